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

/**
 * Largest number of tries, and the upper bound of the first wait between two tries. The bound doubles with
 * each try.
 */
const MAX_TRIES = 4
const FIRST_WAIT_MS = 1000
/** Limit for the body of the answer, which is discarded. */
const MAX_ANSWER_BYTES = 65_536

/**
 * POSTs a message until it is accepted with a status from 200 to 299. If the answer is lost, the message is
 * sent again.
 *
 * @param budgetMs longest time for all tries and waits together
 * @throws ReadError if the message was not accepted; ConfigError for `http.caFile` and proxies
 */
export async function deliver(context: BaseContext, request: HttpRequest, budgetMs: number): Promise<void> {
  const { environment } = context
  const connections = connectionsOf(context, budgetMs)
  // The network takes real time, but `environment.sleep` may use another clock. Both are counted.
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

/**
 * Returns the address and the secret of the webhook.
 *
 * @throws ConfigError if a reference cannot be resolved or the address is invalid
 */
export function webhookAddress({ url, secret }: WebhookConfig, secrets: SecretEnvironment) {
  const signingKey = revealed(secret, 'webhook.secret', secrets)
  return { url: addressOf(url, 'webhook.url', secrets), secret: signingKey }
}

/**
 * Returns the address for lineage events.
 *
 * @returns null if events go to a file
 * @throws ConfigError if a reference cannot be resolved or the address is invalid
 */
export function lineageAddress({ to, token }: LineageConfig, secrets: SecretEnvironment) {
  if (!isReference(to) && !/^https?:/i.test(to)) return null
  const bearer = revealed(token, 'lineage.token', secrets)
  return { url: addressOf(to, 'lineage.to', secrets), token: bearer }
}
