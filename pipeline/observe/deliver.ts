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
import type { Environment } from '../runtime/environment.ts'
import { addressOf } from '../settings/addresses.ts'
import { isReference } from '../settings/values.ts'

/**
 * Maximum number of attempts to send a message. The constant below is the maximum of the first wait between
 * two attempts. The maximum of the wait doubles with each attempt.
 */
const MAX_TRIES = 4
const FIRST_WAIT_MS = 1000
/** Maximum size of the body of an answer. The product does not use the body. */
const MAX_ANSWER_BYTES = 65_536

/**
 * Sends a message by POST, with retries, until an answer has a status from 200 to 299. If the answer is lost,
 * the message is sent again.
 *
 * @param budgetMs maximum time of all attempts and waits together
 * @throws ReadError if the receiver did not accept the message; ConfigError if `http.caFile` or a proxy is
 *   wrong
 */
export async function deliver(context: BaseContext, request: HttpRequest, budgetMs: number): Promise<void> {
  const { environment } = context
  const connections = connectionsOf(context, budgetMs)
  try {
    await untilAccepted(environment, budgetMs, async (timeoutMs) => {
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
    })
  } finally {
    connections.close()
  }
}

/**
 * Repeats an attempt to send a message until it succeeds or fails for good.
 *
 * @param budgetMs maximum time of all attempts and waits together
 * @param attempt makes one attempt, which may take the given number of milliseconds
 * @throws the error of the last attempt
 */
export async function untilAccepted<Result>(
  environment: Environment,
  budgetMs: number,
  attempt: (leftMs: number) => Promise<Result>,
): Promise<Result> {
  // The network takes real time, but `environment.sleep` may use another clock in tests. The time limit
  // counts both real time and the time of `environment.sleep`.
  const startedMs = performance.now()
  let waitedMs = 0
  const leftMs = () => budgetMs - waitedMs - (performance.now() - startedMs)
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt(Math.max(1, leftMs()))
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
}

function revealed(
  reference: WebhookConfig['secret'],
  key: string,
  secrets: SecretEnvironment,
): string | null {
  return reference === undefined ? null : resolveSecret(reference, secrets, key).reveal()
}

/**
 * Returns the address and the secret of a webhook.
 *
 * @param name key of the webhook in event-sync.yaml, for example `webhook[1]`
 * @throws ConfigError if a reference cannot be resolved or if the address is invalid
 */
export function webhookAddress({ url, secret }: WebhookConfig, name: string, secrets: SecretEnvironment) {
  const signingKey = revealed(secret, `${name}.secret`, secrets)
  return { url: addressOf(url, `${name}.url`, secrets), secret: signingKey }
}

/**
 * Returns the address to which lineage events are sent.
 *
 * @returns null if the events are written to a file
 * @throws ConfigError if a reference cannot be resolved or if the address is invalid
 */
export function lineageAddress({ to, token }: LineageConfig, secrets: SecretEnvironment) {
  if (!isReference(to) && !/^https?:/i.test(to)) return null
  const bearer = revealed(token, 'lineage.token', secrets)
  return { url: addressOf(to, 'lineage.to', secrets), token: bearer }
}
