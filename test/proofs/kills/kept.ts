import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { inject } from 'vitest'
import { findBegunPurges } from '../../../loaders/people/purge.ts'
import { openPGlite } from '../../../pipeline/database/pglite.ts'
import { openPostgres } from '../../../pipeline/database/postgres.ts'
import type { Database } from '../../../sql/database.ts'
import { SEALING_KEY } from '../../harness/place.ts'
import { searchFiles, searchRows, searchStatistics } from '../../people/search.ts'
import { CLI, start } from '../../pipeline/commands/command-line.ts'
import type { Engine } from '../../support/engines.ts'
import { type Databases, pgliteDatabases, postgresDatabases } from './databases.ts'

const PRELOADED = new URL('./killed-command.ts', import.meta.url).href
const EXIT_LOCKED = 5
const LOCKED_MS = 100

/** A folder with configuration, packs and database, in which commands are run and killed. */
export interface Kept {
  readonly at: string
  /** Environment variables with which a command finds the database. */
  readonly variables: Readonly<Record<string, string>>
  copy(): Promise<Kept>
  /**
   * Runs a command until it ends or is killed.
   *
   * @param how.death the point at which the command is killed, for example `person erased 1` (the first time
   * it reaches the point); by default it is not killed
   * @param how.days number of days by which the command's clock is ahead
   */
  command(args: readonly string[], how?: { readonly death?: string; readonly days?: number }): Promise<Ended>
  open(): Promise<Database>
  drop(): Promise<void>
}

export interface Ended {
  /** Exit code of the command; null if the command was killed. */
  readonly code: number | null
  readonly stderr: string
  /** Points that the command reached, in their order. */
  readonly points: readonly string[]
}

export async function keepAt(engine: Engine, at: string): Promise<Kept> {
  const databases = engine === 'pglite' ? pgliteDatabases() : postgresDatabases(inject('postgresUrl'))
  await databases.make(at, null)
  mkdirSync(join(at, 'out'))
  return keptBy(databases, at)
}

let copies = 0

function keptBy(databases: Databases, at: string): Kept {
  return {
    at,
    variables: databases.variables(at),
    async copy() {
      copies += 1
      const copied = `${at}-${copies}`
      await databases.make(copied, at)
      for (const name of ['out', 'event-sync.yaml'])
        cpSync(join(at, name), join(copied, name), { recursive: true })
      return keptBy(databases, copied)
    },
    async command(args, { death = '', days = 0 } = {}) {
      const env = { KEY: SEALING_KEY, DEATH: death, DAYS: String(days), ...databases.variables(at) }
      for (;;) {
        const command = ['--import', PRELOADED, CLI, '--log-level', 'debug', ...args]
        const ended = await start(process.execPath, command, { folder: at, env }).ended
        // PostgreSQL may take a moment to notice that the killed process is dead, so the command is tried
        // again.
        if (ended.code !== EXIT_LOCKED) return { ...ended, points: pointsIn(ended.stderr) }
        await new Promise((resolve) => setTimeout(resolve, LOCKED_MS))
      }
    },
    open: () =>
      databases.engine === 'pglite'
        ? openPGlite(join(at, '.event-sync', 'db'))
        : openPostgres(databases.variables(at).DATABASE_URL ?? ''),
    async drop() {
      await databases.drop(at)
      rmSync(at, { recursive: true })
    },
  }
}

function pointsIn(log: string): readonly string[] {
  return [...log.matchAll(/"point":"([^"]+)"/g)].map(([, point = '']) => point)
}

/** The contents of a folder and its database. */
export interface Found {
  /**
   * Places that contain the person: rows, statistics of the planner, packs, and files of the embedded
   * database.
   */
  readonly places: readonly string[]
  /** Number of purges that have begun and are not recorded as complete. */
  readonly begunPurges: number
  readonly rows: Readonly<Record<string, readonly string[]>>
  readonly files: Readonly<Record<string, string>>
}

/**
 * Reads the rows of all tables and the files of all packs. Values that always differ are left out: tokens,
 * hashes over tokens, and times. The list of purges is left out too, because it contains both the killed
 * purge and the repeated one. For the same reason, equal actions in the log count once, without their ids.
 */
export async function readKept(kept: Kept): Promise<Found> {
  const database = await kept.open()
  const places = [...(await searchRows(database)), ...(await searchStatistics(database))]
  const begunPurges = (await findBegunPurges(database.kysely, ['summit'])).length
  const tables = await database.kysely.introspection.getTables()
  const rows: Record<string, readonly string[]> = {}
  for (const { schema, name, isView } of tables) {
    if (isView || name === 'purges') continue
    const found = await sql<{ row: string }>`
      select to_jsonb(whole_row)::text as row from ${sql.table(`${schema}.${name}`)} as whole_row`.execute(
      database.kysely,
    )
    const read = found.rows.map(({ row }) => withoutChance(row)).sort()
    rows[`${schema}.${name}`] = name === 'actions' ? [...new Set(read.map(withoutId))] : read
  }
  await database.close()
  const output = join(kept.at, 'out')
  const names = readdirSync(output, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(output.length + 1))
    .sort()
  const files = Object.fromEntries(
    names.map((name) => [name, withoutChance(readFileSync(join(output, name), 'utf8'))]),
  )
  const directory = join(kept.at, '.event-sync')
  places.push(...searchFiles(output), ...(existsSync(directory) ? searchFiles(directory) : []))
  return { places, begunPurges, rows, files }
}

function withoutId(row: string): string {
  return row.replace(/"action_id": "[0-9a-f-]{36}"/, '"action_id": "an id"')
}

function withoutChance(text: string): string {
  return text
    .replace(/forgotten-[0-9a-f]{20}/g, 'a token')
    .replace(/\b[0-9a-f]{64}\b|\\\\x[0-9a-f]{20,}/g, 'a hash')
    .replace(/\b\d{10,}\b/g, 'a sum')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*(?:Z|\+00:00)/g, 'a time')
}
