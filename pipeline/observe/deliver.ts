import { makeConnections } from '../extract/connections.ts'
import { type HttpRequest, send } from '../extract/http.ts'
import { ReadError } from '../extract/read-error.ts'
import { certificatesOf } from '../open-run.ts'
import type { BaseContext } from '../run-context.ts'

/** Tries at telling somebody something, and the ceiling of the first wait between two, which doubles. */
const MAX_TRIES = 4
const FIRST_WAIT_MS = 1000
/** An answer to a message holds nothing that is read. */
const MAX_ANSWER_BYTES = 65_536

/**
 * POSTs a message until it was taken: an answer from 200 to 299. At least once: an answer that is lost makes for a second.
 *
 * @param budgetMs most time that all tries and waits may take together
 * @throws ReadError where it was not taken within the budget, or will not be; ConfigError for `http.caFile`
 */
export async function deliver(context: BaseContext, request: HttpRequest, budgetMs: number): Promise<void> {
  const { environment } = context
  const connections = makeConnections(budgetMs, certificatesOf(context))
  // The network takes real time, and a sleep may be one of another clock.
  const startedMs = performance.now()
  let waitedMs = 0
  const leftMs = () => budgetMs - waitedMs - (performance.now() - startedMs)
  for (let tries = 1; ; tries += 1) {
    try {
      const limits = { timeoutMs: Math.max(1, leftMs()), maxResponseBytes: MAX_ANSWER_BYTES, connections }
      const answer = await send({ ...request, method: 'POST' }, limits)
      answer.discard()
      if (answer.status >= 200 && answer.status <= 299) return
      const retryable = answer.status === 408 || answer.status === 429 || answer.status >= 500
      throw new ReadError(`answered ${answer.status}`, { retryable })
    } catch (error) {
      if (!(error instanceof ReadError) || !error.retryable) throw error
      const waitMs = Math.ceil(environment.random() * FIRST_WAIT_MS * 2 ** (tries - 1))
      if (tries >= MAX_TRIES || waitMs >= leftMs()) {
        throw new ReadError(`${error.message}; gave up after ${tries === 1 ? 'one try' : `${tries} tries`}`, {
          retryable: false,
          cause: error,
        })
      }
      const asleepMs = performance.now()
      await environment.sleep(waitMs)
      waitedMs += Math.max(0, waitMs - (performance.now() - asleepMs))
    }
  }
}
