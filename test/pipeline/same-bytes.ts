/**
 * Runs every integration of some configurations like `event-sync run`, or writes their packs again like
 * `event-sync export`. The time and the user are fixed, so different bytes can only come from the engine,
 * locale, time zone or folder.
 *
 * The program has one argument: an Order as JSON.
 */
import { findRuns } from '../../loaders/ledger/ledger.ts'
import { openConfig, withContext } from '../../pipeline/commands/session.ts'
import { exportRun } from '../../pipeline/packs/export.ts'
import { runIntegration } from '../../pipeline/run/run.ts'
import { silent } from '../../pipeline/runtime/events.ts'
import { isRunId } from '../../pipeline/runtime/run-id.ts'
import { testEnvironment } from './extract/support.ts'

export interface Order {
  readonly work: 'run' | 'export'
  /** The paths of configurations that share a database. */
  readonly configs: readonly string[]
  /** The run id of each integration. */
  readonly runIds: Readonly<Record<string, string>>
}

const { work, configs, runIds }: Order = JSON.parse(process.argv[2] ?? '')
const [first = ''] = configs

const io = { env: process.env, cwd: '.', stderr: process.stderr }
await withContext(
  { config: first, insecureHttp: true },
  io,
  async ({ database }) => {
    for (const config of configs) {
      const opened = await openConfig({ config, insecureHttp: true }, io, silent)
      const context = { ...opened, database, environment: testEnvironment() }
      for (const integration of context.config.integrations) {
        const runId = runIds[integration.id] ?? ''
        if (!isRunId(runId)) throw new Error(`${integration.id} has no run id`)
        if (work === 'run') {
          // All integrations have the same event. Without `fresh`, the first run of the second integration would
          // be refused, because the id could be a new id of the first one.
          const earlier = await findRuns(database.kysely, { integrationId: integration.id })
          const fresh = earlier.length === 0
          const options = { command: 'run', runId, rebind: false, fresh } as const
          const [report] = await runIntegration(context, integration, options)
          if (report?.status !== 'finished') throw new Error(report?.error ?? report?.held?.detail)
          continue
        }
        const [record] = await findRuns(database.kysely, { runId })
        if (record === undefined) throw new Error(`there is no run ${runId}`)
        await exportRun(context, record)
      }
    }
  },
  { events: silent },
)
