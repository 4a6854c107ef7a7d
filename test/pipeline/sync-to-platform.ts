import { logEvents } from '../../pipeline/observe/log.ts'
import { observed } from '../../pipeline/observe/observed.ts'
import type { RecordedRunOptions } from '../../pipeline/run/recorded-run.ts'
import { exitCodeOf, type RunReport } from '../../pipeline/runtime/report.ts'
import type { Database } from '../../sql/database.ts'
import { lastOf, openPlace, runAll, sourceAt } from '../harness/place.ts'
import type { SamplePlatform } from '../harness/sample-platform/start.ts'
import { testEnvironment } from './extract/support.ts'

/** An integration that reads a Source A. */
export interface PlatformSync {
  readonly database: Database
  readonly sourceUrl: string
  /** The platform. If no platform is given, the integration has the platform type `jsonl`. */
  readonly platform?: Pick<SamplePlatform, 'url' | 'token' | 'eventId'>
  readonly output: string
  /** Keys that are merged into the integration. */
  readonly integration?: Readonly<Record<string, unknown>>
  readonly batchSize?: number
  readonly retryBudgetSeconds?: number
  readonly password?: string
  readonly audit?: Readonly<Record<string, unknown>>
  /** Further keys of the configuration, such as `webhook`. */
  readonly config?: Readonly<Record<string, unknown>>
  /** Further environment variables. */
  readonly variables?: Readonly<Record<string, string>>
  /** The time at which the clock starts, in milliseconds since 1970. */
  readonly startMs?: number
  /** A function that gets every line of the log when the line is written. */
  readonly told?: (line: string) => void
}

/** The reports and the log lines of one command. */
export interface Ended {
  readonly reports: readonly RunReport[]
  readonly last: RunReport
  readonly code: number
  readonly log: string
}

/** Runs like `event-sync run`, with a clock that moves only during waits. */
export async function syncToPlatform(
  sync: PlatformSync,
  options: Partial<RecordedRunOptions> = {},
): Promise<Ended> {
  const lines: string[] = []
  const { context, integration } = openPlace({
    database: sync.database,
    output: sync.output,
    env: { TOKEN: sync.platform?.token ?? '', PASSWORD: sync.password ?? 'one for all', ...sync.variables },
    environment: testEnvironment(undefined, sync.startMs),
    config: {
      http: { retryBudgetSeconds: sync.retryBudgetSeconds ?? 300 },
      sealingKey: 'env:KEY',
      audit: sync.audit ?? {},
      ...sync.config,
    },
    integration: {
      id: 'summit',
      source: { ...sourceAt('a', sync.sourceUrl), timeZone: 'UTC' },
      ...targetOf(sync),
      ...sync.integration,
    },
    events: logEvents('debug', {
      write(line) {
        lines.push(line)
        sync.told?.(line)
      },
    }),
  })
  const reports = await runAll({ context: observed(context), integration }, options)
  const last = lastOf(reports)
  return { reports, last, code: exitCodeOf(last, 0), log: lines.join('') }
}

function targetOf({ platform, batchSize = 2 }: PlatformSync): Readonly<Record<string, unknown>> {
  if (platform === undefined) return { platform: { type: 'jsonl' } }
  const { url, eventId } = platform
  const http = { type: 'http', url, eventId, token: 'env:TOKEN', batchSize }
  return { platform: http, passwords: { mode: 'none' } }
}
