import type { DestinationStream } from 'pino'
import { findFormerIds, findRenamedFrom } from '../../loaders/ledger/former-ids.ts'
import { EngineStoppedError } from '../../sql/database.ts'
import { describePinned } from '../../transforms/texts/pinned.ts'
import type { IntegrationConfig } from '../config/config.ts'
import { findNewId } from '../context/current-id.ts'
import type { Context } from '../context/run-context.ts'
import type { Choose, Job, Queue } from '../database/job-queue.ts'
import { openLog } from '../observe/log.ts'
import { runReported } from '../run/run.ts'
import type { Environment } from '../runtime/environment.ts'
import type { LogLevel } from '../runtime/log-levels.ts'
import { messageOf } from '../runtime/message-of.ts'
import { EXIT, exitCodeOf, type RunReport, worst } from '../runtime/report.ts'

/** Interval at which the worker looks for jobs while it can run more jobs. */
export const LOOK_EVERY_MS = 2_000
const BEAT_EVERY_MS = 4_000
const FIRST_BACKOFF_MS = 1_000
const MAX_BACKOFF_MS = 30_000
/** If another process already runs an integration, seconds until the next attempt. */
const BUSY_SECONDS = 15
/**
 * Seconds until a failed job is tried again for the first time. A random factor makes the wait up to twice as
 * long. Each further attempt of a failed job doubles the wait.
 */
const RETRY_SECONDS = 10
const MAX_RETRY_SECONDS = 600
/** Maximum time for handing over unfinished jobs to other workers. */
const HAND_OVER_MS = 5_000

/** The state of a worker, which `/readyz` returns. */
export interface WorkerState {
  readonly phase: 'starting' | 'working' | 'stopping'
  /** True if the database has answered its last query. */
  readonly database: boolean
  /** Time of the last answer of the database, by the monotonic clock. */
  readonly answeredMs: number
  readonly underWay: readonly string[]
}

export interface WorkOptions {
  readonly queue: Queue
  readonly environment: Environment
  readonly log: WorkerLog
  readonly run: (integrationId: string) => Promise<JobResult>
  readonly choose: Choose
  readonly concurrency: number
  /** Time in which running integrations can end after the worker was told to stop. */
  readonly graceMs: number
  /**
   * Returns the integrations that this worker does not run, because other workers do. After the configuration
   * was read again, the function returns another list.
   */
  readonly excluding: () => readonly string[]
  readonly stop: AbortSignal
  /** Called after each change of the state. */
  readonly show: (state: WorkerState) => void
  /** Ends the process, because its database engine has stopped and cannot be restarted. */
  readonly giveUp: (why: Error) => void
}

/**
 * Runs jobs until the worker is told to stop. A stopped worker takes no more jobs and waits for running jobs.
 * Jobs that do not end in time are handed over to other workers.
 *
 * The worker fetches jobs from the queue itself. The function `work` of pg-boss does not meet its needs.
 * `work` of pg-boss cannot leave integrations to other workers or choose between accounts, and it waits for up to two seconds after a
 * short run. `work` of pg-boss treats a run as failed if the database is unreachable at the end of the run.
 * `work` of pg-boss also counts a handover as an attempt.
 *
 * @returns true if all jobs have ended
 */
export async function work(options: WorkOptions): Promise<boolean> {
  const { queue, environment, log, concurrency, stop } = options
  const underWay = new Map<Job, Promise<void>>()
  const over = new AbortController()
  let room = Promise.withResolvers<void>()
  /** Integrations that the configuration of this worker does not have. Their jobs wait for other workers. */
  const unread = new Set<string>()
  let excluding = options.excluding()
  let faults = 0
  let answeredMs = environment.monotonic()

  const idsUnderWay = () => Array.from(underWay.keys(), ({ integrationId }) => integrationId)
  const show = () =>
    options.show({
      phase: stop.aborted ? 'stopping' : 'working',
      database: faults === 0,
      answeredMs,
      underWay: idsUnderWay(),
    })

  async function ask<Answer>(what: string, question: () => Promise<Answer>): Promise<Answer | null> {
    try {
      const answer = await question()
      if (faults > 0) log.recovered()
      faults = 0
      answeredMs = environment.monotonic()
      return answer
    } catch (error) {
      if (error instanceof EngineStoppedError) options.giveUp(error)
      faults += 1
      log.trouble(what, error)
      return null
    } finally {
      show()
    }
  }

  const backoffMs = () => Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(faults - 1, 10))
  const retrySeconds = ({ retryCount }: Job) =>
    Math.min(MAX_RETRY_SECONDS, RETRY_SECONDS * 2 ** retryCount * (1 + environment.random()))
  const jittered = (ms: number) => ms * (0.5 + environment.random() / 2)

  async function runOne(job: Job): Promise<void> {
    log.took(job)
    const jobResult = await options.run(job.integrationId).catch((error: unknown) => failed(messageOf(error)))
    log.ended(job, jobResult)
    if (jobResult.leftAs !== undefined && jobResult.error !== null) unread.add(jobResult.leftAs)
    const record = async () => {
      if (jobResult.result === 'done') await queue.end(job)
      else if (jobResult.result === 'busy') await queue.putBack(job, BUSY_SECONDS)
      else if (jobResult.result === 'left') await queue.putBack(job, 0, jobResult.leftAs)
      else await queue.fail(job, jobResult.error ?? '', retrySeconds(job))
      return true
    }
    // The loop repeats until the database has stored the result. If the queue has given the job to another
    // worker in the meantime, storing the result has no effect.
    while (!over.signal.aborted && (await ask('record how a run ended', record)) === null) {
      await environment.sleep(jittered(backoffMs()), over.signal)
    }
  }

  function begin(job: Job): void {
    const ended = runOne(job).finally(() => {
      underWay.delete(job)
      show()
      room.resolve()
    })
    underWay.set(job, ended)
    show()
  }

  async function beat(): Promise<void> {
    while (!over.signal.aborted) {
      await environment.sleep(BEAT_EVERY_MS, over.signal)
      if (over.signal.aborted) return
      const jobs = [...underWay.keys()]
      if (jobs.length > 0) await ask('send a heartbeat', () => queue.beat(jobs))
      await ask('add the runs that have come due', () => queue.addDue())
    }
  }

  const beating = beat()
  show()
  while (!stop.aborted) {
    room = Promise.withResolvers()
    const free = concurrency - underWay.size
    if (excluding !== options.excluding()) unread.clear()
    excluding = options.excluding()
    const take = () => queue.take(free, [...excluding, ...unread], options.choose)
    const jobs = free === 0 ? [] : ((await ask('look for due runs', take)) ?? [])
    for (const job of jobs) begin(job)
    const waitMs = jittered(faults > 0 ? backoffMs() : LOOK_EVERY_MS)
    await Promise.race([room.promise, environment.sleep(waitMs, stop)])
  }
  show()
  log.stopping(idsUnderWay())
  const all = Promise.all(underWay.values()).then(() => true)
  const isDone = await Promise.race([all, environment.sleep(options.graceMs, over.signal).then(() => false)])
  if (!isDone) {
    const handedOver = Array.from(underWay.keys(), (job) =>
      ask(`hand over ${job.integrationId}`, () => queue.putBack(job, 0)),
    )
    // The embedded database may be busy with a merge. The handover then fails. Another worker takes over the
    // job as it would from a dead worker.
    await Promise.race([Promise.all(handedOver), environment.sleep(HAND_OVER_MS)])
  }
  over.abort()
  if (isDone) await beating
  return isDone
}

export interface JobResult {
  readonly reports: readonly RunReport[]
  /** Exit code with which the command `run` would have ended. */
  readonly code: number
  /**
   * `done` includes held and incomplete runs, because another attempt would change nothing. `busy` means that
   * another process runs the integration. `left` means that the job waits for a worker that knows the
   * integration, which may have another id now.
   */
  readonly result: 'done' | 'failed' | 'busy' | 'left'
  /**
   * Says why the run failed, or why this worker cannot run the integration until it reads the configuration
   * again; null if neither is so.
   */
  readonly error: string | null
  /** Id under which the job waits, if the result is `left`. */
  readonly leftAs?: string
}

function failed(error: string, reports: readonly RunReport[] = [], code: number = EXIT.failed): JobResult {
  return { reports, code, result: 'failed', error }
}

/**
 * Runs an integration as the command `run` does. The function first finishes what an earlier process that
 * died has begun. If the integration was renamed, nothing is run: neither id would be right before the worker
 * reads the configuration again.
 */
export async function runJob(context: Context, integrationId: string): Promise<JobResult> {
  const integration = context.config.integrations.find(({ id }) => id === integrationId)
  const renaming = await findRenaming(context, integrationId, integration)
  if (renaming !== null) return renamed(renaming)
  if (integration === undefined) {
    return left(
      integrationId,
      `${integrationId} is not in the configuration that this worker has read; its job waits for a worker that has it there. Add it, or remove its job with \`event-sync schedule\``,
    )
  }
  const reports = await runReported(context, integration, { command: 'run', rebind: false, fresh: false })
  const code = worst(reports.map((report) => exitCodeOf(report, integration.guards.maxQuarantined)))
  if (code === EXIT.locked) return { reports, code, result: 'busy', error: null }
  if (code !== EXIT.failed && code !== EXIT.usage) return { reports, code, result: 'done', error: null }
  const error = reports.find((report) => report.error !== undefined)?.error
  return failed(error ?? 'the run failed; `event-sync show RUN` says why', reports, code)
}

interface FoundRenaming {
  readonly from: string
  readonly to: string
  /** True if the configuration of the worker has the new id. */
  readonly isConfigured: boolean
}

/**
 * Finds out if the integration of a job was renamed. The job may have the new id, which the worker does not
 * know yet. The job may also have the former id: the schedule may have sent it just before the renaming.
 */
async function findRenaming(
  { config, database }: Context,
  integrationId: string,
  integration: IntegrationConfig | undefined,
): Promise<FoundRenaming | null> {
  const db = database.kysely
  if (integration !== undefined) {
    const to = (await findNewId(db, integration))?.integrationId
    return to === undefined ? null : { from: integrationId, to, isConfigured: false }
  }
  const formerIds = new Set((await findFormerIds(db, integrationId)).map(({ formerId }) => formerId))
  for (const former of config.integrations.filter(({ id }) => formerIds.has(id))) {
    const to = (await findNewId(db, former))?.integrationId
    if (to === integrationId) return { from: former.id, to, isConfigured: false }
  }
  const current = (await findRenamedFrom(db, integrationId)).find((one) =>
    config.integrations.some(({ id }) => id === one.integrationId),
  )
  if (current === undefined) return null
  return { from: integrationId, to: current.integrationId, isConfigured: true }
}

function renamed({ from, to, isConfigured }: FoundRenaming): JobResult {
  const error = `${from} was renamed to ${to} after this worker had read the configuration; change the id there: until then this worker does not run ${to}`
  return left(to, isConfigured ? null : error)
}

function left(leftAs: string, error: string | null): JobResult {
  return { reports: [], code: EXIT.usage, result: 'left', error, leftAs }
}

/** The log of a worker, for people or for programs. The log contains no value of a record and no secret. */
export interface WorkerLog {
  started(what: Readonly<Record<string, string | number>>): void
  took(job: Job): void
  ended(job: Job, jobResult: JobResult): void
  /** Logs a fault from which the worker recovers by itself. */
  trouble(what: string, error: unknown): void
  recovered(): void
  note(text: string): void
  /** Logs a fact on which the user should act. */
  warn(text: string): void
  stopping(underWay: readonly string[]): void
}

/**
 * Minimum time between two log lines about the same fault, because a database may be unreachable for hours.
 */
const TROUBLE_EVERY_MS = 30_000

export function textLog(write: (text: string) => void, now: () => number): WorkerLog {
  const line = (text: string) => write(`${new Date(now()).toISOString()} ${text}\n`)
  return withoutRepeats(now, {
    started(what) {
      const settings = Object.entries(what).map(([name, value]) => `${name} ${value}`)
      line(`worker started (${settings.join(', ')})`)
    },
    took: ({ integrationId, retryCount }) =>
      line(`${integrationId}: begun${retryCount === 0 ? '' : `, try ${retryCount + 1}`}`),
    ended: ({ integrationId }, jobResult) => line(`${integrationId}: ${wordsOf(jobResult)}`),
    trouble: (what, error) => line(`cannot ${what}: ${messageOf(error).replaceAll('\n', '; ')}; retrying`),
    recovered: () => line('the database answers again'),
    note: line,
    warn: line,
    stopping: (underWay) =>
      line(`worker stops${underWay.length === 0 ? '' : `, after ${underWay.join(', ')}`}`),
  })
}

export function jsonLog(level: LogLevel, destination: DestinationStream, now: () => number): WorkerLog {
  const log = openLog(level, destination)
  return withoutRepeats(now, {
    started: (what) => log.info(what, 'worker started'),
    took: ({ integrationId, id, retryCount }) =>
      log.info({ integration: integrationId, job: id, attempt: retryCount + 1 }, 'job begun'),
    ended({ integrationId, id, retryCount }, { reports, code, result, error }) {
      const runs = reports.map(({ run, status }) => ({ run, status }))
      const ended = { integration: integrationId, job: id, attempt: retryCount + 1, result, code, runs }
      if (error === null) log.info(ended, 'job ended')
      else log.error({ ...ended, error }, 'job ended')
    },
    trouble: (what, error) => log.warn({ what, error: messageOf(error) }, 'trouble'),
    recovered: () => log.info('the database answers again'),
    note: (text) => log.info(text),
    warn: (text) => log.warn(text),
    stopping: (underWay) => log.info({ underWay }, 'worker stops'),
  })
}

function withoutRepeats(now: () => number, log: WorkerLog): WorkerLog {
  const loggedMs = new Map<string, number>()
  return {
    ...log,
    trouble(what, error) {
      if (now() - (loggedMs.get(what) ?? Number.NEGATIVE_INFINITY) < TROUBLE_EVERY_MS) return
      loggedMs.set(what, now())
      log.trouble(what, error)
    },
    recovered() {
      loggedMs.clear()
      log.recovered()
    },
  }
}

function wordsOf({ reports, result, error, leftAs }: JobResult): string {
  if (result === 'left') return error ?? `was renamed to ${leftAs}; put back in the queue under this id`
  if (result === 'busy') return 'another process is running it; put back in the queue'
  const ended = reports
    .map(({ run, status, pinned }) => {
      const pin = pinned === null ? '' : `, ${describePinned(pinned)}`
      return `${status}${run === null ? '' : ` (run ${run})`}${pin}`
    })
    .join(', ')
  return error === null ? ended : `failed: ${error.replaceAll('\n', '; ')}`
}
