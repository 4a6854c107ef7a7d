import { hostname } from 'node:os'
import { Option } from 'commander'
import type { Context } from '../context/run-context.ts'
import type { Queue } from '../database/job-queue.ts'
import { logEvents, logTo } from '../observe/log.ts'
import { passingOn } from '../observe/observed.ts'
import type { Prometheus } from '../observe/prometheus.ts'
import { machine } from '../runtime/environment.ts'
import { silent } from '../runtime/events.ts'
import { EXIT } from '../runtime/report.ts'
import type { Scheduled } from '../schemas/setup.ts'
import { UserError } from '../settings/errors.ts'
import { type Pages, REFRESH_SECONDS, serveHealth } from '../worker/health.ts'
import { lentDatabases } from '../worker/lent-databases.ts'
import { alignSchedules, describeSchedules } from '../worker/schedules.ts'
import { jsonLog, textLog, type WorkerState, type WorkOptions } from '../worker/work.ts'
import { IDS, integrationsOf, wholeNumber } from './arguments.ts'
import { type Call, defineCommand } from './define-command.ts'
import { toTable } from './io.ts'
import { openDatabase, withContext } from './session.ts'

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
 * Timeouts of a database connection and of a query. A query of the job queue that takes longer is treated as
 * lost in the network.
 */
const TIMEOUTS = { connectMs: 10_000, queryMs: 120_000 }

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
      log.note(`${why.message}; the worker ends, so that what started it starts it again`)
      io.signals.endAtOnce(EXIT.failed)
    }
    const how = { log, show, stop: stop.signal, concurrency, graceMs, giveUp }
    try {
      const work = async (context: Context) => {
        if (health === null) return workFor(context, ids, how, undefined, leave)
        const prometheus = await openMetrics(context)
        pages = pagesOf(context, prometheus)
        const events = passingOn(context.events, [prometheus.listener])
        return workFor({ ...context, events }, ids, how, health.url, leave)
      }
      await withContext(global, io, work, { events })
      return signalCode
    } finally {
      clearTimeout(leaving)
      await health?.close()
    }
  },
})

/**
 * Measures the runs of this worker for Prometheus. The package prom-client and what reads states are loaded
 * only here, so that other commands start as fast as without them.
 */
async function openMetrics(context: Context): Promise<Prometheus> {
  const { config, database, environment } = context
  const { openPrometheus } = await import('../observe/prometheus.ts')
  const { findStates, STATES_BY_NEED } = await import('../inspect/state.ts')
  const { findBacklog } = await import('../database/job-queue.ts')
  const ids = config.integrations.map(({ id }) => id)
  return openPrometheus(ids, STATES_BY_NEED, environment.now, async () => ({
    integrations: await findStates(context),
    jobs: await findBacklog(database),
  }))
}

function pagesOf(context: Context, prometheus: Prometheus): Pages {
  // Most workers never serve the status page, so its code is loaded at the first request.
  const loaded = () => import('../inspect/web-page.ts')
  return {
    status: async () => (await loaded()).makeStatusPage(context, REFRESH_SECONDS),
    report: async (...of) => (await loaded()).readReport(context, ...of),
    metrics: prometheus.text,
  }
}

async function workFor(
  context: Context,
  ids: readonly string[],
  options: Pick<WorkOptions, 'log' | 'show' | 'stop' | 'concurrency' | 'graceMs' | 'giveUp'>,
  health: string | undefined,
  leave: () => void,
): Promise<void> {
  const { config, database } = context
  const { log, concurrency } = options
  const chosen = integrationsOf(config, ids)
  const isEmbedded = database.engine === 'pglite'
  if (isEmbedded && concurrency > 1) {
    throw new UserError(
      'usage',
      '--concurrency: the embedded database takes one run at a time',
      'use PostgreSQL',
    )
  }
  const excluding = config.integrations.filter((one) => !chosen.includes(one)).map(({ id }) => id)
  const { openQueue } = await import('../database/job-queue.ts')
  const { differingSchedules } = await import('../worker/schedules.ts')
  const { runJob, work } = await import('../worker/work.ts')
  const ofQueue = isEmbedded ? database : await openDatabase(context, TIMEOUTS)
  const databases = lentDatabases(() => openDatabase(context))
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
    await databases.close()
    if (!isEmbedded) await ofQueue.close()
  }

  async function workOn(queue: Queue): Promise<boolean> {
    const differing = await differingSchedules(context, queue)
    if (differing.length > 0) {
      log.note(
        `schedules differ from the configuration: ${differing.join(', ')}; run \`event-sync schedule\` to update them`,
      )
    }
    if (chosen.every((integration) => integration.schedule === undefined)) {
      log.note('none of these integrations has a schedule: runs start only with `event-sync schedule --now`')
    }
    log.started({ process: process.pid, machine: hostname(), concurrency, ...(health && { health }) })
    const runApart = (id: string) => databases.lend((database) => runJob({ ...context, database }, id))
    const run = isEmbedded ? (id: string) => runJob(context, id) : runApart
    return work({ ...options, queue, environment: context.environment, run, excluding })
  }
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
