import { readFileSync } from 'node:fs'
import { checkConfig, type IntegrationConfig, readConfig } from '../../pipeline/config/config.ts'
import type { Context } from '../../pipeline/context/run-context.ts'
import type { RecordedRunOptions } from '../../pipeline/run/recorded-run.ts'
import { runIntegration } from '../../pipeline/run/run.ts'
import type { Environment } from '../../pipeline/runtime/environment.ts'
import { machine } from '../../pipeline/runtime/environment.ts'
import { type Listener, type Point, silent } from '../../pipeline/runtime/events.ts'
import type { RunReport } from '../../pipeline/runtime/report.ts'
import type { AnySourceType } from '../../pipeline/sources/contract/source-type.ts'
import type { Database } from '../../sql/database.ts'
import { sampleSourceBDefaults } from './sample-source/b.ts'

export const SEALING_KEY = Buffer.alloc(32, 7).toString('base64')

/**
 * Environment variables for the configurations of these tests: `KEY` is the value for `sealingKey`, the other
 * variables are for the sources of `sourceAt`.
 */
export const VARIABLES = {
  KEY: SEALING_KEY,
  API_KEY: sampleSourceBDefaults.apiKey,
  AUTHENTICATION_SECRET: sampleSourceBDefaults.authenticationSecret,
}

/**
 * Returns the block `source` of event-sync.yaml for a source on loopback, with the keys that its type
 * requires.
 */
export function sourceAt(type: 'a' | 'b', url: string): Readonly<Record<string, unknown>> {
  if (type === 'a') return { type, url, eventId: '4242' }
  const keys = { apiKey: 'env:API_KEY', authenticationSecret: 'env:AUTHENTICATION_SECRET' }
  return { type, url, eventId: '77', ...keys }
}

/** An integration, with the database and folder that its runs within this process use. */
export interface PlaceSettings {
  readonly database: Database
  readonly output: string
  /** The integration as in event-sync.yaml; its platform is `jsonl` by default. */
  readonly integration: Readonly<Record<string, unknown>>
  readonly config?: Readonly<Record<string, unknown>>
  /** Source types that `source.type` may name in addition to A and B. */
  readonly outside?: readonly AnySourceType[]
  readonly env?: Readonly<Record<string, string>>
  readonly environment?: Environment
  readonly events?: Listener
}

export interface Place {
  readonly context: Context
  readonly integration: IntegrationConfig
}

/** Opens an integration in the same way as a command of `event-sync`. */
export function openPlace({
  database,
  output,
  config: more,
  events = silent,
  ...settings
}: PlaceSettings): Place {
  const env = { ...VARIABLES, ...settings.env }
  const integration = { platform: { type: 'jsonl' }, ...settings.integration }
  const text = JSON.stringify({ ...more, integrations: [integration] })
  const reading = { env, readFile: () => text }
  const sources = new Map(settings.outside?.map((source) => [source.name, source]))
  const outside = { sources, targets: new Map() }
  const config = checkConfig(readConfig('event-sync.yaml', reading), reading, outside)
  const [checked] = config.integrations
  if (checked === undefined) throw new Error('the configuration has no integration')
  const context = {
    config,
    database,
    environment: settings.environment ?? machine,
    secrets: { env, readFile: (path: string) => readFileSync(path, 'utf8'), configFolder: output },
    outputFolder: output,
    events,
  }
  return { context, integration: checked }
}

/**
 * Runs the integration as `event-sync run` does. Returns several reports if an earlier run had died and had
 * to be finished first.
 */
export function runAll(
  place: Place,
  options: Partial<RecordedRunOptions> = {},
): Promise<readonly RunReport[]> {
  const all = { command: 'run', rebind: false, fresh: false, ...options } as const
  return runIntegration(place.context, place.integration, all)
}

export async function runLast(place: Place, options: Partial<RecordedRunOptions> = {}): Promise<RunReport> {
  return lastOf(await runAll(place, options))
}

export function lastOf(reports: readonly RunReport[]): RunReport {
  const report = reports.at(-1)
  if (report === undefined) throw new Error('nothing was run')
  return report
}

/** Makes a listener that calls `at` at each named point that a run reaches; it ignores all other events. */
export function atPoints(at: (point: Point) => void): Listener {
  return {
    emit(_, event) {
      if (event.type === 'reached') at(event.point)
    },
  }
}
