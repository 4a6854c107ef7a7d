import { type Kysely, sql } from 'kysely'
import type { RunCounts, Tables } from '../../../sql/tables.ts'
import { leftTables } from '../faults/snapshot.ts'
import type { SavedResource } from './child.ts'

/** Columns that may differ from a run without kills: times, counts of attempts, and what contains a run's id. */
const IGNORED: Readonly<Record<string, readonly string[]>> = {
  // Each run takes a fence number, and there may be further runs without changes. The last pack is stored after
  // the other columns, and its chain of packs is checked.
  'sync.integrations': ['fence', 'last_pack_run'],
  // The sealed password contains a random nonce.
  'sync.passwords': ['sealed'],
  // Idempotency key and SHA-256 are hashes over a body that contains the run's id.
  'sync.batches': ['idempotency_key', 'sha256', 'sent_at', 'answered_at'],
  // The attempts include requests whose answer was lost when the run was killed.
  'sync.certificates': ['attempts', 'first_answer_at', 'last_answer_at'],
  'sync.requests': ['answered_at', 'source_at'],
  'sync.actions': ['action_id', 'made_at'],
  'sync.marks': ['full_at', 'took_minutes'],
  'sync.misses': ['confirmed_at'],
  'sync.notices': ['notice_id', 'body', 'made_at', 'sent_at'],
}

/** Tables that are not compared row by row, each with the reason. */
const UNCOMPARED: Readonly<Record<string, string>> = {
  'sync.runs': 'runs that died stay in the table; the finished runs are compared',
  'sync.readings': 'rows of dead runs; the table must be empty',
  'sync.rate_budgets': 'limits of hosts at the time of the last answer',
}

/** Finds the tables whose rows must be the same, in the catalogue, so that no new table is left out. */
async function findCompared(db: Kysely<Tables>): Promise<readonly string[]> {
  const found = (await db.introspection.getTables())
    .filter(({ schema, isView }) => (schema === 'staging' || schema === 'sync') && !isView)
    .map(({ schema, name }) => `${schema}.${name}`)
  const names = new Set(found)
  const unknown = Object.keys({ ...IGNORED, ...UNCOMPARED }).filter((table) => !names.has(table))
  if (unknown.length > 0) throw new Error(`the database has no table ${unknown.join(', ')}`)
  return found.filter((table) => UNCOMPARED[table] === undefined)
}

/** The contents of a database after a run. Run ids are replaced by the numbers of the runs. */
export interface State {
  /** Rows as JSON in their order, by table. */
  readonly rows: Readonly<Record<string, readonly string[]>>
  /** Ids of the finished runs in their order. */
  readonly runs: readonly string[]
  /** Runs whose state is neither finished, abandoned nor failed. */
  readonly unfinished: readonly string[]
  /** Fence numbers of the finished runs, in the order of the runs. */
  readonly fences: readonly number[]
  readonly leftTables: readonly string[]
  readonly leftReadings: number
}

export async function readState(db: Kysely<Tables>): Promise<State> {
  const ledger = await db
    .selectFrom('sync.runs')
    .orderBy('run_id')
    .select(['run_id', 'status', 'plan_hash', 'counts', 'certified', 'fence'])
    .execute()
  const finished = ledger.filter(({ status }) => status === 'finished')
  const names = new Map(finished.map(({ run_id }, index) => [run_id, `run ${index + 1}`]))
  const rows: Record<string, readonly string[]> = {}
  for (const table of await findCompared(db)) rows[table] = await rowsOf(db, table, names)
  rows['sync.runs'] = finished.map(({ run_id, fence, ...run }) =>
    JSON.stringify({ run: names.get(run_id), ...run, counts: withoutResumed(run.counts) }),
  )
  return {
    rows,
    runs: finished.map(({ run_id }) => run_id),
    unfinished: ledger
      .filter(({ status }) => !['finished', 'abandoned', 'failed'].includes(status))
      .map(({ run_id, status }) => `${run_id} ${status}`),
    // A plan without changes takes no fence number.
    fences: finished.flatMap(({ fence }) => (fence === null ? [] : Number(fence))),
    leftTables: await leftTables({ kysely: db }),
    leftReadings: (await db.selectFrom('sync.readings').select('resource').execute()).length,
  }
}

/** Removes the note that a run has resumed the reading of a dead run. */
function withoutResumed(counts: RunCounts | null) {
  const { notes = [], ...rest } = counts ?? {}
  const others = notes.filter((note) => !note.startsWith('what an interrupted run had read'))
  return others.length === 0 ? rest : { ...rest, notes: others }
}

/**
 * Returns for each resource how far dead runs have read. Only readings that the next run can take over are
 * returned.
 */
export async function findSaved(db: Kysely<Tables>): Promise<readonly SavedResource[]> {
  return db.selectFrom('sync.readings').select(['resource', 'requests']).execute()
}

export async function countFinished(db: Kysely<Tables>): Promise<number> {
  const runs = await db.selectFrom('sync.runs').where('status', '=', 'finished').select('run_id').execute()
  return runs.length
}

async function rowsOf(
  db: Kysely<Tables>,
  table: string,
  names: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(db)
  const ignored = new Set(IGNORED[table])
  return rows
    .map((row) => {
      const kept = Object.entries(row).filter(([column]) => !ignored.has(column))
      const named = kept.map(([column, value]) => [column, nameRun(column, value, names)])
      return JSON.stringify(Object.fromEntries(named))
    })
    .sort()
}

function nameRun(column: string, value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  if (!/run(_id)?$/.test(column) || typeof value !== 'string') return value
  return names.get(value) ?? 'a run that died'
}
