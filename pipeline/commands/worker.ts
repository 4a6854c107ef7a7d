import { hostname } from 'node:os'
import { Option } from 'commander'
import type { IntegrationConfig } from '../config/config.ts'
import type { Context } from '../context/run-context.ts'
import type { Queue } from '../database/job-queue.ts'
import { logEvents, logTo } from '../observe/log.ts'
import { passingOn } from '../observe/observed.ts'
import type { Prometheus } from '../observe/prometheus.ts'
import { machine } from '../runtime/environment.ts'
import { type Listener, silent } from '../runtime/events.ts'
import { messageOf } from '../runtime/message-of.ts'
import { EXIT } from '../runtime/report.ts'
import type { Scheduled } from '../schemas/setup.ts'
import { UserError } from '../settings/errors.ts'
import { type Pages, REFRESH_SECONDS, serveHealth } from '../worker/health.ts'
import { alignSchedules, describeSchedules } from '../worker/schedules.ts'
import { jsonLog, textLog, type WorkerState, type WorkOptions } from '../worker/work.ts'
import { IDS, integrationsOf, wholeNumber } from './arguments.ts'
import { type Call, defineCommand } from './define-command.ts'
import { toTable } from './io.ts'
import { openDatabase, type Rereading, withContext } from './session.ts'

interface Options {
  readonly concurrency: number
  readonly port?: number
  readonly host: string
  readonly grace: number
}

const EXAMPLES = `
Examples:
  event-sync worker                            one run at a time after another, as schedules come due
  event-sync worker --concurrency 4 --port 8080  four at a time; /healthz and /readyz on this machine
  event-sync worker summit expo                these integrations alone; other workers take the others
  event-sync --log-level info worker           JSON lines on standard error
`

/**
 * After the grace time, the worker has this time to hand unfinished jobs over to other workers. When the time
 * for handing over jobs has passed, the process ends even if the database does not answer.
 */
const LEAVE_MS = 10_000

/**
 * Connections of the job queue, so that heartbeats never wait for a run. A query of the job queue that takes
 * longer is treated as lost in the network.
 */
const OF_QUEUE = {
  connectTimeoutMs: 10_000,
  queryTimeoutMs: 120_000,
  seats: { queries: 2, copies: 1 },
}

export const addWorkerCommand = defineCommand({
  name: 'worker',
  summary: 'runs integrations as their schedules come due, until it is stopped; start as many as you like',
  help: EXAMPLES,
  args: [IDS],
  options: [
    new Option('--concurrency <n>', 'runs at the same time').argParser(wholeNumber(1, 100)).default(1),
    new Option(
      '--port <n>',
      'answer /healthz, /readyz, /metrics and, with the page of all integrations and the reports that it links, / on this port; 0: a free one',
    ).argParser(wholeNumber(0, 65_535)),
    new Option('--host <address>', 'address for --port').default('127.0.0.1'),
    new Option('--grace <seconds>', 'time for runs under way when it is stopped')
      .argParser(wholeNumber(0, 86_400))
      .default(30),
  ],
  async run({ options: { concurrency, port, host, grace }, global, io }: Call<Options>, ids: string[]) {
    const graceMs = grace * 1000
    const stop = new AbortController()
    let signalCode = 0
    let leaving: NodeJS.Timeout | undefined
    io.signals.onFirst((code) => {
      signalCode = code
      stop.abort()
      leaving = setTimeout(() => io.signals.endAtOnce(code), graceMs + LEAVE_MS)
    })
    const isText = global.logLevel === 'silent'
    const lines = isText ? io.stderr : logTo(io)
    const log = isText
      ? textLog((text) => io.stderr.write(text), machine.now)
      : jsonLog(global.logLevel, lines, machine.now)
    const events = isText ? silent : logEvents(global.logLevel, lines)
    const notYet = async () => Promise.reject(new Error('the database is not open yet'))
    let pages: Pages = { status: notYet, report: notYet, metrics: notYet }
    let state: WorkerState = { phase: 'starting', database: false, answeredMs: 0, underWay: [] }
    const show = (next: WorkerState) => {
      state = next
    }
    const stateNow = () => state
    const health =
      port === undefined
        ? null
        : await serveHealth(port, host, stateNow, machine.monotonic, {
            status: () => pages.status(),
            report: (...of) => pages.report(...of),
            metrics: () => pages.metrics(),
          })
    const leave = () => io.signals.endAtOnce(signalCode)
    const giveUp = (why: Error) => {
      log.warn(`${why.message}; the worker ends, so that what started it starts it again`)
      io.signals.endAtOnce(EXIT.failed)
    }
    const { onHangup } = io.signals
    const how = { log, show, stop: stop.signal, concurrency, graceMs, giveUp, onHangup }
    try {
      const work = async (opened: Context, rereading: Rereading) => {
        const following = follow(opened, rereading, ids)
        if (health === null) return workFor(following, how, undefined, leave)
        const prometheus = await openMetrics(() => following.now().context)
        pages = pagesOf(() => following.now().context, prometheus)
        following.listenWith(prometheus.listener)
        return workFor(following, how, health.url, leave)
      }
      await withContext(global, io, work, { events, runs: concurrency })
      return signalCode
    } finally {
      clearTimeout(leaving)
      await health?.close()
    }
  },
})

/** The parts of the configuration that a worker uses. */
interface Followed {
  readonly context: Context
  /** Integrations that this worker runs. */
  readonly chosen: readonly IntegrationConfig[]
  /** Integrations that other workers run. */
  readonly excluding: readonly string[]
}

type Following = ReturnType<typeof follow>

/**
 * Follows the configuration of a worker. A run keeps the configuration with which it began.
 *
 * @param ids integrations that the user chose; none: all
 * @throws UserError if the configuration does not have a chosen integration
 */
function follow(opened: Context, { fingerprint, read }: Rereading, ids: readonly string[]) {
  let listener: Listener = silent
  let now = followed(opened)

  function followed(context: Context): Followed {
    const events = passingOn(context.events, [{ emit: (...of) => listener.emit(...of) }])
    const chosen = integrationsOf(context.config, ids)
    const others = context.config.integrations.filter((one) => !chosen.includes(one))
    return { context: { ...context, events }, chosen, excluding: others.map(({ id }) => id) }
  }

  return {
    now: () => now,
    fingerprint,
    /** @throws UserError if the configuration cannot be used; the worker then keeps the one that it has */
    async readAgain(): Promise<Followed> {
      now = followed(await read())
      return now
    },
    listenWith(other: Listener): void {
      listener = other
    },
  }
}

/**
 * Measures the runs of this worker for Prometheus. The package prom-client and what reads states are loaded
 * only here, so that other commands start as fast as without them.
 */
async function openMetrics(now: () => Context): Promise<Prometheus> {
  const { openPrometheus } = await import('../observe/prometheus.ts')
  const { findStates, STATES_BY_NEED } = await import('../inspect/state.ts')
  const { findBacklog } = await import('../database/job-queue.ts')
  const ids = () => now().config.integrations.map(({ id }) => id)
  return openPrometheus(ids, STATES_BY_NEED, now().environment.now, async () => ({
    integrations: await findStates(now()),
    jobs: await findBacklog(now().database),
  }))
}

function pagesOf(now: () => Context, prometheus: Prometheus): Pages {
  // Most workers never serve the status page, so its code is loaded at the first request.
  const loaded = () => import('../inspect/web-page.ts')
  return {
    status: async () => (await loaded()).makeStatusPage(now(), REFRESH_SECONDS),
    report: async (...of) => (await loaded()).readReport(now(), ...of),
    metrics: prometheus.text,
  }
}

async function workFor(
  following: Following,
  options: Pick<WorkOptions, 'log' | 'show' | 'stop' | 'concurrency' | 'graceMs' | 'giveUp'> & {
    readonly onHangup: (work: () => void) => void
  },
  health: string | undefined,
  leave: () => void,
): Promise<void> {
  const { context } = following.now()
  const { database, environment } = context
  const { log, concurrency } = options
  const isEmbedded = database.engine === 'pglite'
  if (isEmbedded && concurrency > 1) {
    throw new UserError(
      'usage',
      '--concurrency: the embedded database takes one run at a time',
      'use PostgreSQL',
    )
  }
  const { openQueue } = await import('../database/job-queue.ts')
  const { differingSchedules } = await import('../worker/schedules.ts')
  const { chooseJobs } = await import('../worker/order.ts')
  const { rereadOnChange } = await import('../worker/reread.ts')
  const { runJob, work } = await import('../worker/work.ts')
  const ofQueue = isEmbedded ? database : await openDatabase(context, OF_QUEUE)
  try {
    const queue = await openQueue(ofQueue, true, (error) => log.trouble('keep the queue', error))
    const isDone = await workOn(queue).catch(async (error: unknown) => {
      await queue.close()
      throw error
    })
    // The worker must end although a run is still under way. The database releases the locks when the process
    // ends. Closing the connection here would have to wait until the run ends.
    if (!isDone) return leave()
    await queue.close()
  } finally {
    if (!isEmbedded) await ofQueue.close()
  }

  async function workOn(queue: Queue): Promise<boolean> {
    await noteSchedules(queue, following.now())
    log.started({ process: process.pid, machine: hostname(), concurrency, ...(health && { health }) })
    const over = new AbortController()
    const stop = AbortSignal.any([options.stop, over.signal])
    options.onHangup(rereadOnChange(following.fingerprint, () => readAgain(queue), environment, stop))
    const retaining = isEmbedded ? noteEmbeddedRetention() : retainOld(stop)
    const run = (id: string) => runJob(following.now().context, id)
    const isDone = await work({
      ...options,
      queue,
      environment,
      run,
      choose: (due, count) => chooseJobs(following.now().context, due, count),
      excluding: () => following.now().excluding,
    }).finally(() => over.abort())
    if (isDone) await retaining
    return isDone
  }

  /** Deletes what is older than `retention`, while the worker runs. */
  async function retainOld(stop: AbortSignal): Promise<void> {
    const { deletePart, retain } = await import('../worker/retain.ts')
    const { scrubPurged } = await import('../people/purge.ts')
    const ids = () => following.now().chosen.map(({ id }) => id)
    return retain({
      ids,
      deletePart: (id) => {
        const { context } = following.now()
        return deletePart(context, id, context.config.retention)
      },
      scrub: () => scrubPurged(following.now().context, ids()),
      onTrouble: (what, error) => log.trouble(what, error),
      environment,
      stop,
    })
  }

  /** The space of deleted rows of an embedded database can be freed only while no worker uses it. */
  async function noteEmbeddedRetention(): Promise<void> {
    if (context.config.retention !== undefined)
      log.warn('`retention` is not applied by a worker on the embedded database; run `event-sync purge`')
  }

  async function readAgain(queue: Queue): Promise<void> {
    try {
      const before = following.now()
      const after = await following.readAgain()
      log.note(`the configuration was read again: ${describeDifference(before, after)}`)
      await noteSchedules(queue, after)
    } catch (error) {
      const why = messageOf(error)
        .split('\n')
        .map((line) => line.trim())
        .join('; ')
      log.warn(`the changed configuration is not used, and the worker continues with the one before: ${why}`)
    }
  }

  async function noteSchedules(queue: Queue, { context, chosen }: Followed): Promise<void> {
    const differing = await differingSchedules(context, queue)
    if (differing.length > 0) {
      log.warn(
        `schedules differ from the configuration: ${differing.join(', ')}; run \`event-sync schedule\` to update them`,
      )
    }
    if (chosen.every((integration) => integration.schedule === undefined)) {
      log.note('none of these integrations has a schedule: runs start only with `event-sync schedule --now`')
    }
  }
}

/** Says which integrations a worker runs after it has read its configuration again. */
function describeDifference(before: Followed, after: Followed): string {
  const idsOf = ({ chosen }: Followed) => new Set(chosen.map(({ id }) => id))
  const [old, now] = [idsOf(before), idsOf(after)]
  const added = [...now].filter((id) => !old.has(id))
  const gone = [...old].filter((id) => !now.has(id))
  return [
    `${now.size} ${now.size === 1 ? 'integration' : 'integrations'}`,
    ...(added.length > 0 ? [`new: ${added.join(', ')}`] : []),
    ...(gone.length > 0 ? [`no longer: ${gone.join(', ')}`] : []),
  ].join('; ')
}

const SCHEDULE_EXAMPLES = `
Examples:
  event-sync schedule                    bring the database in line with event-sync.yaml; show what is due when
  event-sync schedule --now              also make a run of every integration due at once
  event-sync schedule --now summit expo  only of these two, as after fixing what made them fail
  event-sync --json schedule             the same for programs
`

export const addScheduleCommand = defineCommand({
  name: 'schedule',
  summary: 'brings the schedules in the database in line with the configuration, and shows them',
  help: SCHEDULE_EXAMPLES,
  options: [new Option('--now [id...]', 'make runs of these integrations due now; without ids: of all')],
  run: ({ options: { now }, open }: Call<{ readonly now?: true | readonly string[] }>) =>
    open(async (context) => {
      const chosen = now === undefined ? [] : integrationsOf(context.config, now === true ? [] : now)
      const called = chosen.map(({ id }) => id)
      const { openQueue } = await import('../database/job-queue.ts')
      const troubles: Error[] = []
      const queue = await openQueue(context.database, false, (error) => troubles.push(error))
      const align = async () => {
        const removed = await alignSchedules(context, queue)
        for (const id of called) await queue.call(id)
        return { schedules: await describeSchedules(context, queue), removed, called }
      }
      const json = await align().finally(() => queue.close())
      if (troubles[0] !== undefined) throw troubles[0]
      const { schedules, removed } = json
      const text = [
        tableOf(schedules),
        removed.length > 0 ? `\nno longer scheduled: ${removed.join(', ')}\n` : '',
        called.length > 0 ? `\ndue now: ${called.join(', ')}\n` : '',
      ].join('')
      return { text, json }
    }),
})

function tableOf(schedules: readonly Scheduled[]): string {
  const columns = ['integration', 'cron', 'time zone', 'next there', 'next in UTC', 'last run', 'given up']
  const toSecond = (time: string) => `${time.slice(0, 19)}Z`
  const rows = schedules.map(({ integration, cron, timeZone, next, nextLocal, lastRun, givenUp }) => [
    integration,
    cron ?? 'only by hand',
    timeZone ?? '',
    nextLocal ?? '',
    next === null ? '' : toSecond(next),
    lastRun === null ? 'never' : `${lastRun.status}, ${toSecond(lastRun.startedAt)}`,
    givenUp === null
      ? ''
      : `${toSecond(givenUp.at)} after ${givenUp.tries} tries: ${givenUp.error.split('\n', 1)}`,
  ])
  return toTable(columns, rows)
}
