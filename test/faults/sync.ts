import { loadConfig } from '../../pipeline/config.ts'
import { logProgress } from '../../pipeline/log.ts'
import { exitCodeOf, type RunReport } from '../../pipeline/report.ts'
import { runIntegration } from '../../pipeline/run.ts'
import type { Database } from '../../sql/database.ts'
import { testEnvironment } from '../pipeline/extract/support.ts'
import type { SourceType } from './event.ts'
import { credentials, type FaultServer } from './fault-server.ts'

/** Small enough that a body that is too large is made soon. */
const HTTP = {
  timeoutSeconds: 20,
  retryBudgetSeconds: 300,
  maxRecordBytes: 500_000,
  maxResponseBytes: 2_000_000,
}

export interface Sync {
  readonly database: Database
  readonly integrationId: string
  readonly type: SourceType
  readonly server: FaultServer
  /** Folder of the packs. */
  readonly output: string
  readonly runId: string
  /** Limits that may be smaller than the configuration takes. */
  readonly http?: Readonly<Record<string, number>>
}

/** How a run ended, and every word that it said. */
export interface Synced {
  readonly report: RunReport
  readonly code: number
  readonly log: string
}

/** Syncs as `event-sync run` does, by a clock that moves only while somebody waits. */
export async function syncFrom(sync: Sync): Promise<Synced> {
  const { context, integration, lines } = contextOf(sync)
  const options = { command: 'run', runId: sync.runId, rebind: true, fresh: true } as const
  const [report] = await runIntegration(context, integration, options)
  if (report === undefined) throw new Error('a run gives a report')
  const code = exitCodeOf(report, integration.guards.maxQuarantined)
  return { report, code, log: lines.join('') }
}

/** What a run works with; its log goes into `lines`. */
export function contextOf({ database, integrationId, type, server, output, http }: Omit<Sync, 'runId'>) {
  const keys = { apiKey: 'env:API_KEY', authenticationSecret: 'env:AUTHENTICATION_SECRET' }
  const place = { url: server.url, eventId: type === 'a' ? '4242' : '77', timeZone: 'UTC' }
  const source = { type, ...place, ...(type === 'b' ? keys : {}) }
  const text = JSON.stringify({ integrations: [{ id: integrationId, source, platform: { type: 'jsonl' } }] })
  const env = { API_KEY: credentials.apiKey, AUTHENTICATION_SECRET: credentials.authenticationSecret }
  const loaded = loadConfig('event-sync.yaml', { env, readFile: () => text })
  const [integration] = loaded.integrations
  if (integration === undefined) throw new Error('the configuration has no integration')
  const lines: string[] = []
  const context = {
    config: { ...loaded, http: { ...loaded.http, ...HTTP, ...http } },
    database,
    environment: environmentOf(server),
    secrets: { env, readFile: () => text, configFolder: output },
    outputFolder: output,
    progress: logProgress('debug', { write: (line) => void lines.push(line) }),
  }
  return { context, integration, lines }
}

/** Whoever goes away comes back while a few wait. */
function environmentOf(server: FaultServer) {
  const environment = testEnvironment()
  server.nowMs = environment.now
  const isGoneForGood = () => server.casts.some(({ fault }) => fault.name.endsWith('for good'))
  return {
    ...environment,
    async sleep(ms: number) {
      if (environment.sleeps.length % 3 === 2 && !isGoneForGood()) await server.comeBack()
      await environment.sleep(ms)
    },
  }
}
