import type { KeyObject } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, inject } from 'vitest'
import { findRuns } from '../../loaders/ledger/ledger.ts'
import type { Sought } from '../../loaders/people/person.ts'
import { tablesOfPeople } from '../../loaders/people/personal-data-places.ts'
import type { Retention } from '../../pipeline/config/config.ts'
import { migrate } from '../../pipeline/database/migrate.ts'
import { openPGlite } from '../../pipeline/database/pglite.ts'
import { openPostgres } from '../../pipeline/database/postgres.ts'
import { exportRun } from '../../pipeline/packs/export.ts'
import { type ForgetResult, forget } from '../../pipeline/people/forget.ts'
import { type Purged, type PurgeOptions, purge } from '../../pipeline/people/purge.ts'
import { applyRetention, previewRetention, type RetentionOptions } from '../../pipeline/people/retention.ts'
import { machine } from '../../pipeline/runtime/environment.ts'
import { type Listener, silent } from '../../pipeline/runtime/events.ts'
import type { RunReport } from '../../pipeline/runtime/report.ts'
import type { Database } from '../../sql/database.ts'
import { TRANSFORMS } from '../../transforms/decide/platform-fields.ts'
import { atPoints, openPlace, type Place, runLast, sourceAt } from '../harness/place.ts'
import { type Resources, serveRecords } from '../harness/serve-records.ts'
import type { Engine } from '../support/engines.ts'
import { useFolder } from '../support/folder.ts'
import { createDatabase } from '../support/postgres.ts'
import { readPacksIn } from './packs.ts'
import { searchFiles, searchRows, searchStatistics } from './search.ts'

/** Maximum number of records on a page: so small that the list of people takes several pages. */
const PAGE_CAP = 3

/** A test environment: one integration with a database and an output folder of its own. */
export interface World {
  readonly database: () => Database
  readonly output: string
  sync(files: Resources, isRefreshed?: boolean): Promise<RunReport>
  /** @param options with `failAt`, `forget` throws an error at that point, counted from 1 */
  forget(options: {
    readonly sought: Sought
    readonly isDelivered?: boolean
    readonly erasesIdMentions?: boolean
    readonly failAt?: number
  }): Promise<ForgetResult>
  /** Writes every pack again, as `event-sync export` does. */
  exportAll(): Promise<void>
  /** Moves the clock forward. */
  pass(days: number): void
  purge(options: Partial<PurgeOptions>): Promise<Purged>
  /** Deletes one part of what is older than the retention. @param at called at each point at which a crash matters */
  retain(options: RetentionOptions, at?: () => void): Promise<Purged>
  /** Returns what `retain` would delete in all. */
  previewRetention(retention: Retention): Promise<Purged>
  /**
   * Removes deleted data from the files of the database, as the command `forget` does at its end. Afterwards
   * opens the database again.
   */
  scrub(): Promise<void>
  /**
   * Returns the places that contain the person: tables and views, files of packs, files of the embedded
   * database, and statistics of the planner.
   */
  search(): Promise<{
    readonly rows: readonly string[]
    readonly files: readonly string[]
    readonly bytes: readonly string[]
    readonly statistics: readonly string[]
  }>
  /** Returns the findings of `verify` for all packs. */
  verify(publicKey?: KeyObject): Promise<readonly string[]>
  /** Environment variables of runs. */
  readonly env: Record<string, string>
  close(): Promise<void>
}

interface WorldOptions {
  readonly source: 'a' | 'b'
  readonly platform?: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, string>>
  readonly audit?: Readonly<Record<string, unknown>>
  /** Custom fields. */
  readonly fields?: Readonly<Record<string, unknown>>
}

async function makeWorld(engine: Engine, folder: string, options: WorldOptions): Promise<World> {
  const output = join(folder, 'out')
  const directory = join(folder, 'db')
  mkdirSync(output, { recursive: true })
  const url = engine === 'postgres' ? await createDatabase(inject('postgresUrl')) : ''
  const open = () => (engine === 'postgres' ? openPostgres(url) : openPGlite(directory))
  const server = await serveRecords(options.source, {}, PAGE_CAP)
  let database = await open()
  let passedMs = 0
  await migrate(database)
  const env: Record<string, string> = { ...options.env }

  function openAgain(events: Listener = silent): Place {
    const platform =
      options.platform === undefined ? {} : { platform: options.platform, passwords: { mode: 'none' } }
    return openPlace({
      database,
      output,
      env,
      events,
      environment: { ...machine, now: () => Date.now() + passedMs },
      config: { sealingKey: 'env:KEY', audit: options.audit ?? {} },
      integration: {
        id: 'summit',
        source: { ...sourceAt(options.source, server.url), timeZone: 'UTC' },
        ...platform,
        fields: options.fields ?? {},
        removals: { maxShare: 1, minCount: 100 },
        guards: { massUpdate: 1, blackout: false, maxQuarantined: 9 },
      },
    })
  }

  return {
    database: () => database,
    output,
    async sync(files, isRefreshed = false) {
      server.hold(files)
      const report = await runLast(openAgain(), { refresh: isRefreshed })
      if (report.status !== 'finished') throw new Error(report.error ?? `the run is ${report.status}`)
      return report
    },
    async forget({
      sought,
      isDelivered = false,
      erasesIdMentions = false,
      failAt = Number.POSITIVE_INFINITY,
    }) {
      let points = 0
      const at = () => {
        points += 1
        if (points === failAt) throw new Error('killed')
      }
      const { context, integration } = openAgain(atPoints(at))
      const forgotten = await forget(context, integration, { sought, isDelivered, erasesIdMentions })
      if (forgotten === null) throw new Error('locked')
      return forgotten
    },
    pass(days) {
      passedMs += days * 24 * 60 * 60 * 1000
    },
    async purge(options) {
      const { context } = openAgain()
      const all = { olderThanDays: 90, keepRuns: 2, packs: false, dryRun: false, ...options }
      const purged = await purge(context, 'summit', all)
      if (purged === null) throw new Error('locked')
      return purged
    },
    async retain(options, at) {
      const { context } = at === undefined ? openAgain() : openAgain(atPoints(at))
      const purged = await applyRetention(context, 'summit', options)
      if (purged === null) throw new Error('locked')
      return purged
    },
    async previewRetention(retention) {
      const purged = await previewRetention(openAgain().context, 'summit', retention)
      if (purged === null) throw new Error('locked')
      return purged
    },
    async exportAll() {
      const { context } = openAgain()
      for (const record of await findRuns(database.kysely, { integrationId: 'summit' })) {
        const { manifest_sha256, purged_at, pack_purged_at } = record
        if (manifest_sha256 !== null && purged_at === null && pack_purged_at === null)
          await exportRun(context, record)
      }
    },
    async scrub() {
      await database.scrub(tablesOfPeople(Object.values(TRANSFORMS)), { isThorough: true })
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

/** Makes test environments. Each test has a folder of its own, and its environments are closed at its end. */
export function useWorlds() {
  const folder = useFolder()
  const worlds: World[] = []
  afterEach(async () => {
    for (const world of worlds.splice(0)) await world.close()
  })
  return {
    folder,
    /** @param history the records of the source in each of the first runs, which this function makes */
    async begin(engine: Engine, options: WorldOptions, history: readonly Resources[]): Promise<World> {
      const world = await makeWorld(engine, folder(), options)
      worlds.push(world)
      for (const resources of history) await world.sync(resources)
      return world
    },
  }
}
