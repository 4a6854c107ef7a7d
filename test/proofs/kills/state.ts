import type { Kysely } from 'kysely'
import type { RunCounts, Tables } from '../../../sql/tables.ts'
import type { StagingTables } from '../../../transforms/declare/resource.ts'
import { leftTables } from '../faults/snapshot.ts'
import type { SavedResource } from './child.ts'

type TableName = keyof StagingTables | `sync.${string}`

/** Tables whose rows must equal those of the undisturbed run, and columns to ignore: times and counts. */
const TABLES: Readonly<Record<string, readonly string[]>> = {
  'staging.a_sessions': [],
  'staging.a_time_slots': [],
  'staging.a_rooms': [],
  'staging.a_tracks': [],
  'staging.a_session_types': [],
  'staging.a_users': [],
  'staging.b_sessions': [],
  'staging.b_registrants': [],
  'staging.b_reg_types': [],
  // Each run takes a fence number, and there may be further runs that have nothing to do.
  'sync.integrations': ['fence'],
  'sync.decisions': [],
  'sync.desired_items': [],
  'sync.platform_items': [],
  'sync.unstaged': [],
  'sync.changes': [],
  // The nonce of each is random.
  'sync.passwords': ['sealed'],
  // The hash of these two is over a body that names the run.
  'sync.batches': ['idempotency_key', 'sha256', 'sent_at', 'answered_at'],
  // A request counts as sent even if its answer was lost with the run.
  'sync.certificates': ['attempts'],
  'sync.requests': ['answered_at', 'source_at'],
}

/** The contents of a database after a run, with runs named by their order instead of their ids. */
export interface State {
  /** Rows as JSON in their order, by table. */
  readonly rows: Readonly<Record<string, readonly string[]>>
  /** Ids of the finished runs in their order. */
  readonly runs: readonly string[]
  /** Runs that are neither finished nor abandoned nor failed. */
  readonly unfinished: readonly string[]
  /** Fence numbers of the finished runs, in order. */
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
  for (const [table, left] of Object.entries(TABLES)) rows[table] = await rowsOf(db, table, left, names)
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

/** Removes the note that a run resumed the reading of a dead one. */
function withoutResumed(counts: RunCounts | null) {
  const { notes = [], ...rest } = counts ?? {}
  const others = notes.filter((note) => !note.startsWith('what an interrupted run had read'))
  return others.length === 0 ? rest : { ...rest, notes: others }
}

/** Returns how far dead runs have read, by resource; only readings that the next run can take over. */
export async function findSaved(db: Kysely<Tables>): Promise<readonly SavedResource[]> {
  return db.selectFrom('sync.readings').select(['resource', 'requests']).execute()
}

export async function countFinished(db: Kysely<Tables>): Promise<number> {
  const runs = await db.selectFrom('sync.runs').where('status', '=', 'finished').select('run_id').execute()
  return runs.length
}

async function rowsOf(
  db: Kysely<Tables>,
  table: TableName | string,
  left: readonly string[],
  names: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const rows: readonly Record<string, unknown>[] = await db
    .selectFrom(table as 'staging.a_users')
    .selectAll()
    .execute()
  return rows
    .map((row) => {
      const kept = Object.entries(row).filter(([column]) => !left.includes(column))
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
