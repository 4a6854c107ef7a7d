import { logEvents } from '../../../pipeline/observe/log.ts'
import { exitCodeOf, type RunReport } from '../../../pipeline/runtime/report.ts'
import type { Database } from '../../../sql/database.ts'
import { openPlace, runLast, sourceAt } from '../../harness/place.ts'
import { API_KEY, AUTHENTICATION_SECRET, EVENT_ID } from '../../harness/source-server.ts'
import { testEnvironment } from '../../pipeline/extract/support.ts'
import type { SourceType } from './event.ts'
import type { FaultServer } from './fault-server.ts'

/** HTTP limits of these runs: small, so that an answer exceeds them quickly. */
const HTTP = {
  timeoutSeconds: 20,
  retryBudgetSeconds: 300,
  maxRecordBytes: 500_000,
  maxResponseBytes: 2_000_000,
  maxRecords: 5000,
}

export interface Sync {
  readonly database: Database
  readonly integrationId: string
  readonly type: SourceType
  readonly server: FaultServer
  /** Folder of the packs. */
  readonly output: string
  readonly runId: string
  /** HTTP limits, which may be smaller than the smallest values that the configuration allows. */
  readonly http?: Readonly<Record<string, number>>
}

/** The report and exit code of a run, and its whole log. */
export interface Synced {
  readonly report: RunReport
  readonly code: number
  readonly log: string
}

/** Syncs as `event-sync run` does, but with an artificial clock, which advances only when the run waits. */
export async function syncFrom(sync: Sync): Promise<Synced> {
  const { lines, ...place } = contextOf(sync)
  const report = await runLast(place, { runId: sync.runId })
  const code = exitCodeOf(report, place.integration.guards.maxQuarantined)
  return { report, code, log: lines.join('') }
}

/** Returns the context of a run; its log goes to `lines`. */
export function contextOf({ database, integrationId, type, server, output, http }: Omit<Sync, 'runId'>) {
  const lines: string[] = []
  const { context, integration } = openPlace({
    database,
    output,
    integration: {
      id: integrationId,
      source: { ...sourceAt(type, server.url), eventId: EVENT_ID, timeZone: 'UTC' },
    },
    env: { API_KEY, AUTHENTICATION_SECRET },
    environment: environmentOf(server),
    events: logEvents('debug', { write: (line) => void lines.push(line) }),
  })
  const config = { ...context.config, http: { ...context.config.http, ...HTTP, ...http } }
  return { context: { ...context, config }, integration, lines }
}

/** If the source is unreachable, it becomes reachable again while a request waits for its retry. */
function environmentOf(server: FaultServer) {
  const environment = testEnvironment()
  server.setClock(environment.now)
  const isGoneForGood = () => server.casts.some(({ fault }) => fault.name.endsWith('for good'))
  return {
    ...environment,
    async sleep(ms: number) {
      if (environment.sleeps.length % 3 === 2 && !isGoneForGood()) await server.comeBack()
      await environment.sleep(ms)
    },
  }
}
