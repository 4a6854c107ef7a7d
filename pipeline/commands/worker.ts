import { hostname } from 'node:os'
import { type Command, InvalidArgumentError } from 'commander'
import { ConfigError } from '../config.ts'
import { logProgress } from '../log.ts'
import { silentProgress } from '../progress.ts'
import type { Context } from '../run-context.ts'
import { serveHealth } from '../unattended/health.ts'
import type { WorkerState } from '../unattended/work.ts'
import { jsonLog, textLog, type WorkerLog } from '../unattended/worker-log.ts'
import { endGently } from './interruption.ts'
import { integrationOf } from './run.ts'
import { type GlobalOptions, machine, openDatabase, withContext } from './session.ts'

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

/** A query of the queue that takes longer than this goes unanswered: the network has lost it. */
const TIMEOUTS = { connectMs: 10_000, queryMs: 120_000 }

/** `event-sync worker`. */
export function addWorkerCommand(program: Command, exit: (code: number) => void): void {
  program
    .command('worker')
    .description(
      'runs integrations as their schedules come due, until it is stopped; start as many as you like',
    )
    .argument('[id...]', 'integrations; left out: all of the configuration')
    .option('--concurrency <n>', 'runs at the same time', wholeNumber(1, 100), 1)
    .option('--port <n>', 'answer /healthz and /readyz on this port; 0: a free one', wholeNumber(0, 65_535))
    .option('--host <address>', 'address for --port', '127.0.0.1')
    .option('--grace <seconds>', 'time for runs under way when it is stopped', wholeNumber(0, 86_400), 30)
    .addHelpText('after', EXAMPLES)
    .action(async (ids: string[], options: Options) => {
      const global = program.opts<GlobalOptions>()
      const stop = new AbortController()
      let signalCode = 0
      endGently((code) => {
        signalCode = code
        stop.abort()
      })
      const isText = global.logLevel === 'silent'
      const log = isText
        ? textLog((text) => process.stderr.write(text), machine.now)
        : jsonLog(global.logLevel, process.stderr, machine.now)
      const progress = isText ? silentProgress : logProgress(global.logLevel, process.stderr)
      let state: WorkerState = { phase: 'starting', database: false, underWay: [] }
      const health =
        options.port === undefined ? null : await serveHealth(options.port, options.host, () => state)
      try {
        const show = (next: WorkerState) => {
          state = next
        }
        const leave = () => process.exit(signalCode)
        await withContext(
          global,
          (context) =>
            workFor(context, ids, { ...options, log, show, stop: stop.signal, health: health?.url, leave }),
          process.env,
          progress,
        )
        exit(signalCode)
      } finally {
        await health?.close()
      }
    })
}

async function workFor(
  context: Context,
  ids: readonly string[],
  options: Options & {
    readonly log: WorkerLog
    readonly show: (state: WorkerState) => void
    readonly stop: AbortSignal
    readonly health: string | undefined
    /** Ends the process with what it has under way. */
    readonly leave: () => void
  },
): Promise<void> {
  const { config, database } = context
  const { log, stop, show, concurrency } = options
  for (const id of ids) integrationOf(config, id)
  if (database.engine === 'pglite' && concurrency > 1) {
    throw new ConfigError('--concurrency: the embedded database takes one run at a time; use PostgreSQL')
  }
  const but =
    ids.length === 0 ? [] : config.integrations.map(({ id }) => id).filter((id) => !ids.includes(id))
  const { openQueue } = await import('../unattended/queue.ts')
  const { differingSchedules } = await import('../unattended/schedules.ts')
  const { runTurn } = await import('../unattended/turn.ts')
  const { work } = await import('../unattended/work.ts')
  const isEmbedded = database.engine === 'pglite'
  const ofQueue = isEmbedded ? database : await openDatabase(context, TIMEOUTS)
  const queue = await openQueue(ofQueue, true, (error) => log.trouble('keep the queue', error))
  const differing = await differingSchedules(context, queue)
  if (differing.length > 0) {
    log.note(
      `schedules differ from the configuration: ${differing.join(', ')}; event-sync schedule aligns them`,
    )
  }
  // One run never waits for the connections of another.
  const open = isEmbedded
    ? async () => ({ database, close: async () => undefined })
    : async () => {
        const own = await openDatabase(context)
        return { database: own, close: () => own.close() }
      }
  const { health } = options
  const where = health === undefined ? {} : { health }
  log.started({ process: process.pid, machine: hostname(), concurrency, ...where })
  const isDone = await work({
    queue,
    environment: context.environment,
    log,
    run: (integrationId) => runTurn(context, open, integrationId),
    concurrency,
    graceMs: options.grace * 1000,
    but,
    stop,
    show,
  })
  // Their locks go with the process; closing what they work with would wait for them.
  if (!isDone) return options.leave()
  await queue.close()
  if (!isEmbedded) await ofQueue.close()
}

function wholeNumber(from: number, to: number) {
  return (text: string): number => {
    const number = Number(text)
    if (/^\d{1,9}$/.test(text) && number >= from && number <= to) return number
    throw new InvalidArgumentError(`It must be a whole number from ${from} to ${to}.`)
  }
}
