import {
  type LineageConfig,
  resolveSecret,
  type SecretEnvironment,
  type WebhookConfig,
} from '../config/config.ts'
import { connectionsOf } from '../context/limits.ts'
import type { BaseContext } from '../context/run-context.ts'
import { type HttpRequest, send } from '../http/http.ts'
import { ReadError } from '../http/read-error.ts'
import { backoffMs, statusFault } from '../http/retry.ts'
import { addressOf } from '../settings/addresses.ts'
import { isReference } from '../settings/values.ts'

/** Tries at most, and the ceiling of the first wait between two, which doubles. */
const MAX_TRIES = 4
const FIRST_WAIT_MS = 1000
/** The body of an answer is not read. */
const MAX_ANSWER_BYTES = 65_536

/**
 * POSTs a message until it is accepted, with 200 to 299: where an answer is lost, it is sent again.
 *
 * @param budgetMs most time that all tries and waits may take together
 * @throws ReadError where it was not accepted; ConfigError for `http.caFile` and proxies
 */
export async function deliver(context: BaseContext, request: HttpRequest, budgetMs: number): Promise<void> {
  const { environment } = context
  const connections = connectionsOf(context, budgetMs)
  // The network takes real time, and a sleep may be one of another clock.
  const startedMs = performance.now()
  let waitedMs = 0
  const leftMs = () => budgetMs - waitedMs - (performance.now() - startedMs)
  try {
    for (let tries = 1; ; tries += 1) {
      try {
        const timeoutMs = Math.max(1, leftMs())
        const limits = {
          timeoutMs,
          maxResponseMs: timeoutMs,
          maxResponseBytes: MAX_ANSWER_BYTES,
          connections,
        }
        const answer = await send({ ...request, method: 'POST', sizeKey: null }, limits)
        answer.discard()
        if (answer.status >= 200 && answer.status <= 299) return
        throw statusFault(answer, environment.now(), `check ${request.addressKey}`)
      } catch (error) {
        if (!(error instanceof ReadError) || !error.retryable) throw error
        const waitMs = backoffMs(environment, tries, FIRST_WAIT_MS)
        if (tries >= MAX_TRIES || waitMs >= leftMs()) {
          const gaveUp = `gave up after ${tries === 1 ? 'one try' : `${tries} tries`}`
          throw new ReadError(`${error.what}; ${gaveUp}`, { hint: error.hint, cause: error })
        }
        const asleepMs = performance.now()
        await environment.sleep(waitMs)
        waitedMs += Math.max(0, waitMs - (performance.now() - asleepMs))
      }
    }
  } finally {
    connections.close()
  }
}

function revealed(
  reference: WebhookConfig['secret'],
  key: string,
  secrets: SecretEnvironment,
): string | null {
  return reference === undefined ? null : resolveSecret(reference, secrets, key).reveal()
}

/** @throws ConfigError */
export function webhookAddress({ url, secret }: WebhookConfig, secrets: SecretEnvironment) {
  const signingKey = revealed(secret, 'webhook.secret', secrets)
  return { url: addressOf(url, 'webhook.url', secrets), secret: signingKey }
}

/**
 * @returns null if events go to a file
 * @throws ConfigError
 */
export function lineageAddress({ to, token }: LineageConfig, secrets: SecretEnvironment) {
  if (!isReference(to) && !/^https?:/i.test(to)) return null
  const bearer = revealed(token, 'lineage.token', secrets)
  return { url: addressOf(to, 'lineage.to', secrets), token: bearer }
}
