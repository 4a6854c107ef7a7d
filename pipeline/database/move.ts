import {
  beginMove,
  endMove,
  findMovedTables,
  findMoves,
  findOpenRun,
  forgetMovedTable,
  type Move,
  noteMovedTable,
  type TableSum,
} from '../../loaders/ledger/moves.ts'
import type { Database } from '../../sql/database.ts'
import type { Db } from '../../sql/tables.ts'
import type { Environment } from '../runtime/environment.ts'
import type { MovePoint } from '../runtime/events.ts'
import { makeRunId } from '../runtime/run-id.ts'
import { UserError } from '../settings/errors.ts'
import { isLocked, isMovedByTransaction, whileAlone } from './integration-lock.ts'
import { type DeclaredSource, migrate } from './migrate.ts'
import {
  copySequences,
  copyTable,
  findFilled,
  findMovableTables,
  type MovedTable,
  sumOf,
} from './move-tables.ts'
import { requireNotMoved } from './moved.ts'
import { identifier } from './sql-text.ts'

const NOTHING_COPIED = 'nothing was copied'
const BEING_USED = 'wait until it ends, and move again'

/** A step of a move: the move copies a table, or compares a table with its copy. */
export interface TableStep {
  readonly step: 'copy' | 'compare'
  readonly table: string
  readonly number: number
  readonly of: number
}

/** A table whose rows are all in the new database. */
export interface CopiedTable extends TableSum {
  readonly table: string
  /** True if an earlier move copied the table before it was interrupted. */
  readonly isEarlier: boolean
}

export interface MoveOptions {
  /** The old database. Its schema is the schema of this version of the product. */
  readonly from: Database
  /** The new database, which must be a PostgreSQL database. */
  readonly to: Database
  /** Sources that are not part of this package. */
  readonly outside: readonly DeclaredSource[]
  readonly environment: Pick<Environment, 'now' | 'randomBytes'>
  /** Logs in the new database that an integration was moved. */
  readonly record: (transaction: Db, integrationId: string) => Promise<void>
  readonly at: (point: MovePoint) => void
  readonly begun: (step: TableStep) => void
  readonly copied: (step: TableStep, table: CopiedTable) => void
}

export interface Moved {
  readonly moveId: string
  readonly movedAt: string
  /** True if an earlier command had already moved the data. In this case, this command copied nothing. */
  readonly isEarlier: boolean
  readonly tables: readonly CopiedTable[]
}

/**
 * Copies all data of a database into a new database, compares both databases, and marks the old database as
 * moved. After that, the old database refuses runs. During the move, no run and no other command can change
 * either database.
 *
 * The process may be killed at any point. The old database is marked before the new database accepts runs, so
 * the two databases never accept runs at the same time. After an interruption, the next call continues with
 * the tables that are not copied yet. If runs have changed a copied table in the meantime, the next call
 * copies this table again.
 *
 * @throws UserError if both databases are the same, if a database is in use, has an unfinished run, or was moved to another database, or if
 *   the new database is not empty
 */
export async function moveDatabase(options: MoveOptions): Promise<Moved> {
  const moved = await whileAlone(options.to, [], async (db) => {
    await requireOther(options.from, db)
    return moveInto(options)
  })
  if (moved !== null) return moved
  throw new UserError(
    'locked',
    'the new database is in use by another process, or is the old one',
    `${BEING_USED}; ${NOTHING_COPIED}`,
  )
}

/**
 * @param to a transaction in the new database, which has the lock for a move
 * @throws UserError if both databases are the same
 */
async function requireOther({ engine, kysely }: Database, to: Db): Promise<void> {
  if (engine === 'pglite' || !(await isMovedByTransaction(kysely, to))) return
  throw new UserError(
    'usage',
    'the address of --to and the address in the configuration lead to the same database',
    `name another database with --to; ${NOTHING_COPIED}`,
  )
}

async function moveInto(options: MoveOptions): Promise<Moved> {
  const { from, to, environment, record, at } = options
  const marked = (await findMoves(from.kysely)).find(
    ({ part, movedAt }) => part === 'old' && movedAt !== null,
  )
  const moved = marked === undefined ? await copyAll(options) : await earlierMove(to, marked)
  await to.transaction(async (transaction) => {
    if (!(await endMove(transaction, moved.moveId, timeOf(environment)))) return
    const integrations = await transaction.selectFrom('sync.integrations').select('integration_id').execute()
    for (const { integration_id } of integrations) await record(transaction, integration_id)
  })
  at('move finished')
  return moved
}

/** @throws UserError if the data was already moved to a different database */
async function earlierMove(to: Database, { moveId, movedAt }: Move): Promise<Moved> {
  const known = (await findMovesIfThere(to)).some((move) => move.moveId === moveId)
  if (!known || movedAt === null)
    throw new UserError(
      'state',
      `this database was moved at ${movedAt}, to another database than the one of --to`,
      `set \`database\` in the configuration to that one, and move from there; ${NOTHING_COPIED}`,
    )
  const sums = await findMovedTables(to.kysely, moveId)
  const tables = Array.from(sums, ([table, sum]) => ({ table, ...sum, isEarlier: true }))
  return { moveId, movedAt, isEarlier: true, tables }
}

/** Copies all tables, compares the copies with the old tables, and marks the old database as moved. */
async function copyAll(options: MoveOptions): Promise<Moved> {
  const { from, environment, at } = options
  const tables = await findMovableTables(from)
  const names = tables.map(({ name }) => name)
  const moved = await whileAlone(from, names, async (db): Promise<Moved> => {
    await requireNotMoved(db)
    await requireNoOpenRun(db)
    const moveId = await prepare(options, tables)
    const copied = await copyTables(options, moveId, tables)
    await compareTables(options, moveId, tables, copied)
    const movedAt = timeOf(environment)
    await endMove(db, moveId, movedAt)
    return { moveId, movedAt, isEarlier: false, tables: copied }
  })
  if (moved === null) throw await describeUse(from)
  at('old database marked')
  return moved
}

async function requireNoOpenRun(db: Db): Promise<void> {
  const run = await findOpenRun(db)
  if (run === undefined) return
  throw new UserError(
    'state',
    `run ${run.run_id} of ${run.integration_id} is not finished`,
    `finish it first with \`event-sync run ${run.integration_id}\`; ${NOTHING_COPIED}`,
  )
}

async function describeUse({ kysely }: Database): Promise<UserError> {
  const integrations = await kysely.selectFrom('sync.integrations').select('integration_id').execute()
  const locked: string[] = []
  for (const { integration_id: id } of integrations) if (await isLocked(kysely, id)) locked.push(id)
  const what = locked.length === 0 ? 'the old database' : locked.join(', ')
  return new UserError('locked', `${what}: in use by another process`, `${BEING_USED}; ${NOTHING_COPIED}`)
}

/**
 * Makes the schema of the new database, and records the move in both databases.
 *
 * @returns the id of the move
 */
async function prepare(
  { from, to, ...options }: MoveOptions,
  tables: readonly MovedTable[],
): Promise<string> {
  const { environment, outside, at } = options
  const now = timeOf(environment)
  const begun = (await findMoves(from.kysely)).find(({ part, movedAt }) => part === 'old' && movedAt === null)
  const isBegun = (move: Move) => move.moveId === begun?.moveId && move.movedAt === null
  if (begun !== undefined && (await findMovesIfThere(to)).some(isBegun)) {
    await migrate(to, outside)
    await requireSameTables(to, tables)
    return begun.moveId
  }
  const moveId = makeRunId(environment.now(), environment.randomBytes(10), begun?.moveId ?? null)
  await requireEmpty(to)
  await from.transaction((transaction) => beginMove(transaction, moveId, 'old', now))
  at('move noted at the old database')
  await migrate(to, outside)
  await requireSameTables(to, tables)
  await to.transaction((transaction) => beginMove(transaction, moveId, 'new', now))
  at('move noted at the new database')
  return moveId
}

/**
 * Returns the moves that a database has recorded. If the database does not have the schema yet, there are
 * none.
 */
async function findMovesIfThere(database: Database): Promise<readonly Move[]> {
  const { rows } = await database.executeSql(`select 1 where to_regclass('sync.moves') is not null`)
  return rows.length === 0 ? [] : findMoves(database.kysely)
}

async function requireEmpty(to: Database): Promise<void> {
  const filled = await findFilled(to, await findMovableTables(to))
  if (filled === undefined) return
  throw new UserError(
    'state',
    `the new database is not empty: ${filled.name} has rows, and no move from this database has put them there`,
    `name an empty database with --to; ${NOTHING_COPIED}`,
  )
}

/** Requires that the new database has the same tables with the same columns. */
async function requireSameTables(to: Database, tables: readonly MovedTable[]): Promise<void> {
  const there = new Map((await findMovableTables(to)).map(({ name, columns }) => [name, columns.join()]))
  const missing = tables.filter(({ name, columns }) => there.get(name) !== columns.join())
  if (missing.length === 0) return
  throw new UserError(
    'state',
    `the new database lacks ${missing.map(({ name }) => name).join(', ')}, or a column of it`,
    `name the source of these records in \`sources\` of the configuration, at least until the move has ended; ${NOTHING_COPIED}`,
  )
}

async function copyTables(options: MoveOptions, moveId: string, tables: readonly MovedTable[]) {
  const { from, to, begun, copied } = options
  const known = await findMovedTables(to.kysely, moveId)
  const all: CopiedTable[] = []
  for (const [index, table] of tables.entries()) {
    const step = { step: 'copy', table: table.name, number: index + 1, of: tables.length } as const
    begun(step)
    const sum = await sumOf(from, table)
    const isEarlier = isSame(sum, known.get(table.name))
    if (!isEarlier) await copyOne(options, moveId, table, sum)
    const one = { table: table.name, ...sum, isEarlier }
    all.push(one)
    copied(step, one)
  }
  return all
}

/**
 * Copies one table. If the process is killed before it records that the table was copied, the next call
 * copies the table again.
 */
async function copyOne(
  options: MoveOptions,
  moveId: string,
  table: MovedTable,
  sum: TableSum,
): Promise<void> {
  const { from, to, environment, at } = options
  await forgetMovedTable(to.kysely, moveId, table.name)
  await to.executeSql(`truncate ${identifier(table.name)}`)
  at('table emptied')
  await copyTable(from, to, table)
  at('table copied')
  await copySequences(from, to, table)
  await to.executeSql(`analyze ${identifier(table.name)}`)
  await noteMovedTable(to.kysely, moveId, table.name, sum, timeOf(environment))
  at('table noted')
}

/**
 * @throws Error with the name of the first table that differs from its copy. The next call copies this table
 *   again
 */
async function compareTables(
  { to, begun }: MoveOptions,
  moveId: string,
  tables: readonly MovedTable[],
  copied: readonly CopiedTable[],
): Promise<void> {
  for (const [index, table] of tables.entries()) {
    begun({ step: 'compare', table: table.name, number: index + 1, of: tables.length })
    const [old, moved] = [copied[index], await sumOf(to, table)]
    if (isSame(moved, old)) continue
    await forgetMovedTable(to.kysely, moveId, table.name)
    const hashes =
      old?.rows === moved.rows ? 'the same number of rows, but another hash' : `${moved.rows} rows`
    throw new Error(
      `${table.name} has ${old?.rows} rows in the old database, and in the new one ${hashes}; the old database was not marked and stays in use; move again, which copies this table again`,
    )
  }
}

function isSame(sum: TableSum, other: TableSum | undefined): boolean {
  return sum.rows === other?.rows && sum.checksum === other.checksum
}

function timeOf({ now }: MoveOptions['environment']): string {
  return new Date(now()).toISOString()
}
