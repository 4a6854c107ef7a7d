import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Measured, measure } from './measured.ts'

/**
 * The program to measure. Benchmarks run the built program, as users do, because loading the TypeScript
 * sources costs time and memory. Tests run the sources.
 */
const file = process.env.VITEST === undefined ? '../../pipeline/bin/event-sync.js' : '../../pipeline/cli.ts'
export const cli = join(import.meta.dirname, file)

/** A place where commands are measured: a folder with a configuration, and a database. */
export interface Place {
  readonly folder: string
  /** URL of the database; null for the embedded database in the folder. */
  readonly databaseUrl: string | null
  /** Runs `event-sync` in its own process. */
  command(...args: readonly string[]): Promise<Measured>
  /** Starts a worker and stops it after it has finished this many runs. */
  worker(runs: number): Promise<Measured>
}

export interface PlaceSettings {
  readonly folder: string
  readonly databaseUrl: string | null
  readonly sourceUrl: string
  readonly sourceType?: 'a' | 'b'
  /** Ids of the configured integrations, which all read the same event; default: one integration. */
  readonly ids?: readonly string[]
  /** Default: all contents. */
  readonly content?: readonly string[]
  /** Further configuration keys of each integration. */
  readonly more?: Readonly<Record<string, unknown>>
  /** Further environment variables to which the configuration refers. */
  readonly variables?: Readonly<Record<string, string>>
}

/** Makes the folder with its configuration. */
export function makePlace({ folder, databaseUrl, sourceUrl, ...settings }: PlaceSettings): Place {
  mkdirSync(folder, { recursive: true })
  const config = join(folder, 'event-sync.yaml')
  const { sourceType = 'b', ids = ['large'], more = {} } = settings
  const { content = ['agenda', 'speakers', 'attendees'] } = settings
  const credentials = sourceType === 'b' ? { apiKey: 'env:KEY', authenticationSecret: 'env:KEY' } : {}
  const source = { type: sourceType, url: sourceUrl, eventId: '4242', timeZone: 'UTC', ...credentials }
  const integrations = ids.map((id) => ({ id, source, content, platform: { type: 'jsonl' }, ...more }))
  const database = databaseUrl === null ? {} : { database: 'env:DATABASE_URL' }
  // JSON is valid YAML.
  writeFileSync(config, JSON.stringify({ ...database, integrations }))
  const variables = { KEY: 'k', DATABASE_URL: databaseUrl ?? '', ...settings.variables }
  return {
    folder,
    databaseUrl,
    command: (...args) => measure(process.execPath, [cli, '-c', config, '--json', ...args], variables),
    worker: (lines) =>
      measure(process.execPath, [cli, '-c', config, '--log-level', 'info', 'worker'], variables, {
        text: '"msg":"job ended"',
        lines,
      }),
  }
}
