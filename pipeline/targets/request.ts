import { PlatformRefusalError } from '../../loaders/platform/target.ts'
import { parseJson } from '../../transforms/rules/values.ts'
import type { RateBudget } from '../http/budget.ts'
import { type Answer, type HttpRequest, isBelow, send, textOf } from '../http/http.ts'
import { isTemporary, statusFault } from '../http/retry.ts'
import { keysOnly, mistakesIn } from '../settings/definition.ts'
import type { TargetContext } from './target-type.ts'

/** A request of a target to its platform. */
export interface RequestOptions {
  readonly method?: NonNullable<HttpRequest['method']>
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  /** A value that is sent as JSON. */
  readonly body?: unknown
}

/** The final answer of the platform. `body` is the JSON of the answer; null if the answer is not JSON. */
export interface TargetAnswer {
  readonly status: number
  readonly body: unknown
}

/**
 * Sends a request to the platform. Answers 408, 429 and 5xx, and requests without an answer, are repeated for
 * up to `http.retryBudgetSeconds`. A wait that the answer asks for is observed.
 *
 * @param path path below `platform.url`, without query, for example `events/7/people`
 * @returns the answer, whatever its status is, except for the statuses below
 * @throws PlatformRefusalError if the answer is 401, 403 or a redirect
 */
export type TargetRequest = (path: string, options?: RequestOptions) => Promise<TargetAnswer>

const NAMES: Readonly<Record<keyof RequestOptions, true>> = {
  method: true,
  query: true,
  headers: true,
  body: true,
}
const OPTIONS = keysOnly(Object.keys(NAMES))

interface Place {
  /** Name of the target, for messages. */
  readonly title: string
  readonly url: string
  /** Text that identifies the account at the platform, which shares the limit of requests. */
  readonly account: string
  readonly requestsPerMinute: number | undefined
}

const ADVICE: Readonly<Record<number, string>> = {
  401: 'check the credentials in platform',
  403: 'check what the credentials in platform may do',
}

/** Makes the function with which a target sends its requests. */
export function makeRequest(place: Place, context: TargetContext): TargetRequest {
  const retries = context.retriesAt(place.url)
  const budget = budgetOf(place, context)
  const base = new URL(`${place.url}/`)
  return async (path, options = {}) => {
    const mistakes = mistakesIn(OPTIONS, options)
    if (mistakes.length > 0)
      throw new PlatformRefusalError(
        `the options of \`request\` of ${place.title}: ${mistakes.join('; ')}`,
        'correct the file of the target',
      )
    const { method = 'GET', query = {}, headers = {}, body } = options
    const url = new URL(path, base)
    if (!isBelow(url, base)) throw new Error('the path of a request is not below platform.url')
    url.search = new URLSearchParams(query).toString()
    const what = `platform, ${method}`
    const request: HttpRequest = {
      method,
      url,
      addressKey: 'platform.url',
      headers: {
        Accept: 'application/json',
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }
    const answer = await retries.run(what, async (begin) => {
      const spent = await budget.spend(what, retries.signal)
      begin()
      let received: Answer | null = null
      try {
        context.at('platform asked')
        received = await send(request, context.limits)
        const { status } = received
        const answered = { status, body: toJson(await textOf(received)) }
        context.at('platform answered')
        if (isTemporary(status)) throw statusFault(received, context.now())
        return answered
      } finally {
        await spent(received)
      }
    })
    const { status } = answer
    const advice = status >= 300 && status < 400 ? 'check platform.url' : ADVICE[status]
    if (advice !== undefined) throw new PlatformRefusalError(`the platform answered ${status}: ${advice}`)
    return answer
  }
}

function toJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return null
  }
}

/** Returns the request budget that all requests to the platform with this account share. */
function budgetOf(
  { title, url, account, requestsPerMinute }: Place,
  context: TargetContext,
): Pick<RateBudget, 'spend'> {
  if (requestsPerMinute === undefined) return { spend: async () => async () => undefined }
  const cause = `${title} takes at most ${requestsPerMinute} requests a minute`
  return context.budgetOf(url, account, requestsPerMinute, cause)
}
