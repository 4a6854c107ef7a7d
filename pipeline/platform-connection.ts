import type { PlatformAnswer, PlatformConnection } from '../loaders/platform/http.ts'
import { ConfigError, type IntegrationConfig, resolveSecret } from './config.ts'
import { type Answer, type HttpRequest, send } from './extract/http.ts'
import { RetryLaterError, requestedWaitMs } from './extract/retry.ts'
import { limitsOf, retriesOf } from './open-run.ts'
import type { Context } from './run-context.ts'

/** An answer is held in memory whole: the results of a batch, or a page of items. */
const MAX_ANSWER_BYTES = 67_108_864

export type HttpPlatform = Extract<IntegrationConfig['platform'], { type: 'http' }>

/**
 * Opens the way to one event of a platform, with a retry budget of its own.
 *
 * @param budgetSeconds time that may be spent on waiting, in all
 * Source: `loaders/platform/contract/README.md`.
 */
export function connectPlatform(
  context: Omit<Context, 'database'>,
  integration: IntegrationConfig,
  platform: HttpPlatform,
  budgetSeconds: number = context.config.http.retryBudgetSeconds,
): PlatformConnection {
  const { environment, progress, secrets } = context
  const token = resolveSecret(platform.token, secrets, `platform.token of ${integration.id}`)
  const retries = retriesOf(context, integration, budgetSeconds, platform.url)
  if (!/^[\x21-\x7e]+$/.test(token.reveal())) {
    throw new ConfigError(
      `platform.token of ${integration.id}: it holds a blank or a character that no header can carry; see to the secret`,
    )
  }
  const limits = { ...limitsOf(context, integration), maxResponseBytes: MAX_ANSWER_BYTES }
  const base = new URL(`${platform.url}/v1/events/${encodeURIComponent(platform.eventId)}/`)

  async function ask(request: Omit<HttpRequest, 'url'>, path: string, query: URLSearchParams) {
    const url = new URL(path, base)
    url.search = query.toString()
    const headers = {
      Accept: 'application/json',
      ...request.headers,
      Authorization: `Bearer ${token.reveal()}`,
    }
    return retries.run(`platform, ${path}`, async (): Promise<PlatformAnswer> => {
      progress.at(integration.id, 'platform asked')
      const answer = await send({ ...request, url, headers }, limits)
      const answered = { status: answer.status, body: parse(await textOf(answer)) }
      progress.at(integration.id, 'platform answered')
      if (answer.status === 408 || answer.status === 429 || answer.status >= 500) {
        const waitMs = requestedWaitMs(answer, environment.now())
        throw new RetryLaterError(`answered ${answer.status}`, waitMs, answer.status)
      }
      return answered
    })
  }

  return {
    post: (path, body, headers) =>
      ask(
        { method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers } },
        path,
        new URLSearchParams(),
      ),
    get: (path, query) => ask({ within: base }, path, new URLSearchParams(query)),
  }
}

async function textOf(answer: Answer): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of answer.body) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
