import type { Queue, Turn } from '../database/queue.ts'
import type { Environment } from '../runtime/environment.ts'
import type { JobResult } from './turn.ts'
import type { WorkerLog } from './worker-log.ts'

/** Looks for turns this often while there is room for more. */
const LOOK_EVERY_MS = 2_000
const BEAT_EVERY_MS = 4_000
const FIRST_BACKOFF_MS = 1_000
const MAX_BACKOFF_MS = 30_000
/** An integration that another process runs is tried again after this long. */
const BUSY_SECONDS = 15
/** Longest time for handing over unfinished turns. */
const HAND_OVER_MS = 5_000

/** The state of a worker, for `/readyz`. */
export interface WorkerState {
  readonly phase: 'starting' | 'working' | 'stopping'
  /** Whether the database answered its last query. */
  readonly database: boolean
  /** When it last answered, by the monotonic clock. */
  readonly answeredMs: number
  readonly underWay: readonly string[]
}

export interface WorkOptions {
  readonly queue: Queue
  readonly environment: Environment
  readonly log: WorkerLog
  readonly run: (integrationId: string) => Promise<JobResult>
  readonly concurrency: number
  /** Time that running integrations get when the worker is stopped. */
  readonly graceMs: number
  /** Integrations that it leaves to other workers. */
  readonly excluding: readonly string[]
  readonly stop: AbortSignal
  /** Called with each change. */
  readonly show: (state: WorkerState) => void
}

/**
 * Runs turns until it is stopped; then takes no more, lets what is under way finish, and hands over what does not.
 *
 * @returns whether everything has ended
 */
export async function work(options: WorkOptions): Promise<boolean> {
  const { queue, environment, log, concurrency, stop } = options
  const underWay = new Map<string, { readonly turn: Turn; readonly ended: Promise<void> }>()
  const over = new AbortController()
  let room = Promise.withResolvers<void>()
  let faults = 0
  let answeredMs = environment.monotonic()

  const show = () =>
    options.show({
      phase: stop.aborted ? 'stopping' : 'working',
      database: faults === 0,
      answeredMs,
      underWay: [...underWay.values()].map(({ turn }) => turn.integrationId),
    })

  async function ask<Answer>(what: string, question: () => Promise<Answer>): Promise<Answer | null> {
    try {
      const answer = await question()
      if (faults > 0) log.recovered()
      faults = 0
      answeredMs = environment.monotonic()
      return answer
    } catch (error) {
      faults += 1
      log.trouble(what, error)
      return null
    } finally {
      show()
    }
  }

  const backoffMs = () => Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(faults - 1, 10))
  const jittered = (ms: number) => ms * (0.5 + environment.random() / 2)

  async function runOne(turn: Turn): Promise<void> {
    log.took(turn)
    const outcome = await options.run(turn.integrationId)
    log.ended(turn, outcome)
    // Until the database has stored it, or the queue has given the turn to another worker.
    while (!over.signal.aborted) {
      const isStored = await ask('tell how a run ended', async () => {
        if (outcome.result === 'done') await queue.end(turn)
        else if (outcome.result === 'busy') await queue.putBack(turn, BUSY_SECONDS)
        else await queue.fail(turn, outcome.error ?? '')
        return true
      })
      if (isStored === true) return
      await environment.sleep(jittered(backoffMs()), over.signal)
    }
  }

  function begin(turn: Turn): void {
    const ended = runOne(turn)
      .catch((error: unknown) => log.trouble(`run ${turn.integrationId}`, error))
      .finally(() => {
        underWay.delete(turn.id)
        show()
        room.resolve()
      })
    underWay.set(turn.id, { turn, ended })
    show()
  }

  async function beat(): Promise<void> {
    while (!over.signal.aborted) {
      await environment.sleep(BEAT_EVERY_MS, over.signal)
      const turns = [...underWay.values()].map(({ turn }) => turn)
      if (turns.length > 0 && !over.signal.aborted)
        await ask('tell that it is alive', () => queue.beat(turns))
    }
  }

  const beating = beat()
  show()
  while (!stop.aborted) {
    const free = concurrency - underWay.size
    if (free === 0) {
      await Promise.race([room.promise, environment.sleep(LOOK_EVERY_MS, stop)])
      continue
    }
    room = Promise.withResolvers()
    const turns = (await ask('look for turns', () => queue.take(free, options.excluding))) ?? []
    for (const turn of turns) begin(turn)
    if (turns.length === free) continue
    if (faults > 0) await environment.sleep(jittered(backoffMs()), stop)
    else await Promise.race([room.promise, environment.sleep(jittered(LOOK_EVERY_MS), stop)])
  }
  show()
  log.stopping([...underWay.values()].map(({ turn }) => turn.integrationId))
  const all = Promise.all([...underWay.values()].map(({ ended }) => ended)).then(() => true)
  const grace = environment.sleep(options.graceMs, over.signal).then(() => false)
  const isDone = await Promise.race([all, grace])
  if (!isDone) {
    const handedOver = [...underWay.values()].map(({ turn }) =>
      ask(`hand ${turn.integrationId} over`, () => queue.putBack(turn, 0)),
    )
    // The embedded database may be busy with a merge: then the turn is taken over as that of a dead worker.
    await Promise.race([Promise.all(handedOver), environment.sleep(HAND_OVER_MS)])
  }
  over.abort()
  if (isDone) await beating
  return isDone
}
