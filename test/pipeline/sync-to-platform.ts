import { loadConfig } from '../../pipeline/config.ts'
import type { SamplePlatform } from '../../pipeline/demo/sample-platform/start.ts'
import { logProgress } from '../../pipeline/log.ts'
import { observed } from '../../pipeline/observe/observed.ts'
import type { RunOptions } from '../../pipeline/recorded-run.ts'
import { exitCodeOf, type RunReport } from '../../pipeline/report.ts'
import { runIntegration } from '../../pipeline/run.ts'
import type { Database } from '../../sql/database.ts'
import { testEnvironment } from './extract/support.ts'

/** One integration of a Source A whose platform is a sample platform. */
export interface PlatformSync {
  readonly database: Database
  readonly sourceUrl: string
  readonly platform: Pick<SamplePlatform, 'url' | 'token' | 'eventId'>
  readonly output: string
  /** Merged into the integration. */
  readonly integration?: Readonly<Record<string, unknown>>
  readonly batchSize?: number
  readonly retryBudgetSeconds?: number
  readonly password?: string
  readonly audit?: Readonly<Record<string, unknown>>
  /** Further keys of the configuration, such as webhook. */
  readonly config?: Readonly<Record<string, unknown>>
  /** Further environment variables. */
  readonly variables?: Readonly<Record<string, string>>
  /** Told every line of the log as it is written. */
  readonly told?: (line: string) => void
}

/** How the runs of one command ended, and every word that they said. */
export interface Ended {
  readonly reports: readonly RunReport[]
  readonly last: RunReport
  readonly code: number
  readonly log: string
}

/** Runs as `event-sync run` does, by a clock that moves only while somebody waits. */
export async function syncToPlatform(sync: PlatformSync, options: Partial<RunOptions> = {}): Promise<Ended> {
  const { platform } = sync
  const lines: string[] = []
  const env = {
    TOKEN: platform.token,
    PASSWORD: sync.password ?? 'one for all',
    KEY: SEALING_KEY,
    ...sync.variables,
  }
  const text = JSON.stringify({
    http: { retryBudgetSeconds: sync.retryBudgetSeconds ?? 300 },
    sealingKey: 'env:KEY',
    audit: sync.audit ?? {},
    ...sync.config,
    integrations: [
      {
        id: 'summit',
        source: { type: 'a', url: sync.sourceUrl, eventId: '4242', timeZone: 'UTC' },
        platform: {
          type: 'http',
          url: platform.url,
          eventId: platform.eventId,
          token: 'env:TOKEN',
          batchSize: sync.batchSize ?? 2,
        },
        passwords: { mode: 'none' },
        ...sync.integration,
      },
    ],
  })
  const config = loadConfig('event-sync.yaml', { env, readFile: () => text })
  const [integration] = config.integrations
  if (integration === undefined) throw new Error('the configuration has no integration')
  const context = observed({
    config,
    database: sync.database,
    environment: testEnvironment(),
    secrets: { env, readFile: () => text, configFolder: sync.output },
    outputFolder: sync.output,
    progress: logProgress('debug', {
      write(line) {
        lines.push(line)
        sync.told?.(line)
      },
    }),
  })
  const reports = await runIntegration(context, integration, {
    command: 'run',
    rebind: false,
    fresh: false,
    ...options,
  })
  const last = reports.at(-1)
  if (last === undefined) throw new Error('a run gives a report')
  return { reports, last, code: exitCodeOf(last, 0), log: lines.join('') }
}

const SEALING_KEY = Buffer.alloc(32, 7).toString('base64')
