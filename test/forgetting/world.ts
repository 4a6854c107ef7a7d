import type { KeyObject } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { Sought } from '../../loaders/forgetting/person.ts'
import { tablesOfPeople } from '../../loaders/forgetting/tables.ts'
import { findRuns } from '../../loaders/ledger.ts'
import { machine } from '../../pipeline/commands/session.ts'
import { loadConfig } from '../../pipeline/config.ts'
import { migrate } from '../../pipeline/database/migrate.ts'
import { openPGlite } from '../../pipeline/database/pglite.ts'
import { openPostgres } from '../../pipeline/database/postgres.ts'
import { startSampleSourceA } from '../../pipeline/demo/sample-source-a.ts'
import { sampleSourceBDefaults, startSampleSourceB } from '../../pipeline/demo/sample-source-b.ts'
import { exportRun } from '../../pipeline/export.ts'
import { TRANSFORMS } from '../../pipeline/extract/registry.ts'
import { type Forgotten, forget } from '../../pipeline/forgetting/forget.ts'
import { silentProgress } from '../../pipeline/progress.ts'
import { type Purged, type PurgeOptions, purge } from '../../pipeline/purge.ts'
import type { RunReport } from '../../pipeline/report.ts'
import { runIntegration } from '../../pipeline/run.ts'
import type { Context } from '../../pipeline/run-context.ts'
import type { Database } from '../../sql/database.ts'
import type { Engine } from '../support/engines.ts'
import { createDatabase } from '../support/postgres.ts'
import { readPacksIn } from './packs.ts'
import { searchFiles, searchRows, searchStatistics } from './search.ts'

export type Files = Readonly<Record<string, readonly unknown[]>>

/** One integration with a database and an output folder of its own. */
export interface World {
  readonly database: () => Database
  readonly output: string
  sync(files: Files, isRefreshed?: boolean): Promise<RunReport>
  /** @param options with `failAt`, it dies at that point, counted from 1 */
  forget(options: {
    readonly sought: Sought
    readonly isDelivered?: boolean
    readonly failAt?: number
  }): Promise<Forgotten>
  /** Writes every pack again, as `event-sync export` does. */
  exportAll(): Promise<void>
  /** Days that have passed meanwhile. */
  pass(days: number): void
  purge(options: Partial<PurgeOptions>): Promise<Purged>
  /** As the command does at its end; the database is open again after it. */
  scrub(): Promise<void>
  /** Where the person stands: tables and views, files of packs and of the embedded database, samples of the planner. */
  search(): Promise<{
    readonly rows: readonly string[]
    readonly files: readonly string[]
    readonly bytes: readonly string[]
    readonly statistics: readonly string[]
  }>
  /** Findings of `verify` on all packs. */
  verify(publicKey?: KeyObject): Promise<readonly string[]>
  /** Variables that runs see. */
  readonly env: Record<string, string>
  close(): Promise<void>
}

const KEY = Buffer.alloc(32, 7).toString('base64')

export interface WorldOptions {
  readonly source: 'a' | 'b'
  readonly platform?: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, string>>
  readonly audit?: Readonly<Record<string, unknown>>
}

export async function makeWorld(engine: Engine, folder: string, options: WorldOptions): Promise<World> {
  const output = join(folder, 'out')
  const directory = join(folder, 'db')
  mkdirSync(output, { recursive: true })
  const url = engine === 'postgres' ? await createDatabase(inject('postgresUrl')) : ''
  const open = () => (engine === 'postgres' ? openPostgres(url) : openPGlite(directory))
  const server = options.source === 'a' ? await serveA() : await serveB()
  let database = await open()
  let passedMs = 0
  await migrate(database)
  const { source: type } = options
  const env: Record<string, string> = {
    API_KEY: sampleSourceBDefaults.apiKey,
    AUTHENTICATION_SECRET: sampleSourceBDefaults.authenticationSecret,
    KEY,
    ...options.env,
  }

  function contextOf(): {
    readonly context: Context
    readonly integration: Context['config']['integrations'][number]
  } {
    const credentials = { apiKey: 'env:API_KEY', authenticationSecret: 'env:AUTHENTICATION_SECRET' }
    const source = {
      type,
      url: server.url,
      eventId: type === 'a' ? '4242' : '77',
      timeZone: 'UTC',
      ...(type === 'a' ? {} : credentials),
    }
    const text = JSON.stringify({
      sealingKey: 'env:KEY',
      audit: options.audit ?? {},
      integrations: [
        {
          id: 'summit',
          source,
          platform: options.platform ?? { type: 'jsonl' },
          ...(options.platform === undefined ? {} : { passwords: { mode: 'none' } }),
          removals: { maxShare: 1, minCount: 100 },
          guards: { massUpdate: 1, blackout: false, maxQuarantined: 9 },
        },
      ],
    })
    const config = loadConfig('event-sync.yaml', { env, readFile: () => text })
    const [integration] = config.integrations
    if (integration === undefined) throw new Error('the configuration has no integration')
    const secrets = { env, readFile: (file: string) => readFileSync(file, 'utf8'), configFolder: output }
    const context = {
      config,
      database,
      environment: { ...machine, now: () => Date.now() + passedMs },
      secrets,
      outputFolder: output,
      progress: silentProgress,
    }
    return { context, integration }
  }

  return {
    database: () => database,
    output,
    async sync(files, isRefreshed = false) {
      server.hold(files)
      const { context, integration } = contextOf()
      const options = { command: 'run', rebind: false, fresh: false, refresh: isRefreshed } as const
      const report = (await runIntegration(context, integration, options)).at(-1)
      if (report?.status !== 'finished') throw new Error(report?.error ?? `the run is ${report?.status}`)
      return report
    },
    async forget({ sought, isDelivered = false, failAt = Number.POSITIVE_INFINITY }) {
      const { context, integration } = contextOf()
      let points = 0
      const at = () => {
        points += 1
        if (points === failAt) throw new Error('killed')
      }
      const progress = { ...silentProgress, at }
      const forgotten = await forget({ ...context, progress }, integration, { sought, isDelivered })
      if (forgotten === null) throw new Error('locked')
      return forgotten
    },
    pass(days) {
      passedMs += days * 24 * 60 * 60 * 1000
    },
    async purge(options) {
      const { context } = contextOf()
      const all = { olderThanDays: 90, keepRuns: 2, packs: false, dryRun: false, ...options }
      const purged = await purge(context, 'summit', all)
      if (purged === null) throw new Error('locked')
      return purged
    },
    async exportAll() {
      const { context } = contextOf()
      for (const record of await findRuns(database.kysely, { integrationId: 'summit' })) {
        if (record.manifest_sha256 !== null && record.purged_at === null) await exportRun(context, record)
      }
    },
    async scrub() {
      await database.scrub(tablesOfPeople(TRANSFORMS), { isThorough: true })
      await database.close()
      database = await open()
    },
    async search() {
      return {
        rows: await searchRows(database),
        files: searchFiles(output),
        bytes: engine === 'pglite' ? searchFiles(directory) : [],
        statistics: await searchStatistics(database),
      }
    },
    env,
    verify: (publicKey) => readPacksIn(join(output, 'summit'), publicKey ?? null),
    async close() {
      await server.close()
      await database.close()
    },
  }
}

/** Small enough that people take several pages. */
const PAGE_CAP = 3

async function serveA() {
  const empty = { Sessions: [], TimeSlots: [], Rooms: [], Tracks: [], SessionTypes: [], Users: [] }
  const server = await startSampleSourceA(empty, { pageCap: PAGE_CAP })
  return { ...server, hold: (files: Files) => server.setData({ ...empty, ...files }) }
}

async function serveB() {
  const dataOf = ({ sessions = [], registrants = [], reg_types = [] }: Files) => {
    return { sessions, registrants, regTypes: reg_types }
  }
  const server = await startSampleSourceB(dataOf({}), { pageCap: PAGE_CAP })
  return { ...server, hold: (files: Files) => server.setData(dataOf(files)) }
}
