import type { Kysely } from 'kysely'
import type { ChangeState, Content, Fields, Hold, RunStatus, Tables } from '../../sql/tables.ts'
import { INTEGRATION, runId } from './staged.ts'

/** The values of a run in the ledger that the guards use. */
export interface Ledgered {
  readonly startedAt?: string
  /** Time at which the run was applied; null if the run was not applied. */
  readonly appliedAt?: string | null
  /** Time at which the plan was made; null if the run staged nothing. */
  readonly plannedAt?: string | null
  readonly approvedAt?: string | null
  readonly held?: Hold | null
  readonly status?: RunStatus
  readonly productVersion?: string
  readonly integrationId?: string
  /** Number of the run to which the run goes back, if it is a rollback. */
  readonly rollbackTo?: number
  /** Revision of the platform from which the run planned; 0 if left out. */
  readonly base?: number
}

/** Inserts a run into the ledger; by default the run was applied. */
export async function enterRun(db: Kysely<Tables>, number: number, run: Ledgered = {}): Promise<void> {
  const { appliedAt = '2031-05-01T12:00:00Z', approvedAt = null, held = null } = run
  await db
    .insertInto('sync.runs')
    .values({
      integration_id: run.integrationId ?? INTEGRATION,
      run_id: runId(number),
      command: run.rollbackTo === undefined ? 'run' : 'rollback',
      rollback_to: run.rollbackTo === undefined ? null : runId(run.rollbackTo),
      status: run.status ?? (appliedAt === null ? 'held' : 'finished'),
      started_at: run.startedAt ?? '2031-05-01T11:00:00Z',
      planned_at: run.plannedAt === undefined ? '2031-05-01T11:30:00Z' : run.plannedAt,
      applied_at: appliedAt,
      approved_at: approvedAt,
      held: held === null ? null : JSON.stringify(held),
      product_version: run.productVersion ?? '1.0.0',
      started_by: 'test',
      config_hash: '',
      contents: ['agenda', 'speakers', 'attendees'],
      base: run.base ?? 0,
    })
    .execute()
}

/** A change in the stored plan of a run. */
export interface StoredChange {
  readonly uniqueId: string
  readonly content?: Content
  readonly before?: Fields | null
  readonly after?: Fields | null
  /** Reason of a removal for which no record asked. */
  readonly inferred?: string
  /** Reason of a removal for which a record or a person asked. */
  readonly stated?: string
  readonly state?: ChangeState
  /** True if the platform removed the former person of a handover. */
  readonly freed?: boolean
}

/** Stores the planned changes of a run. */
export async function storeChanges(
  db: Kysely<Tables>,
  number: number,
  changes: readonly StoredChange[],
): Promise<void> {
  if (changes.length === 0) return
  await db
    .insertInto('sync.changes')
    .values(
      changes.map(({ uniqueId, content = 'attendees', before = null, after = null, ...more }, place) => ({
        integration_id: INTEGRATION,
        run_id: runId(number),
        seq: place + 1,
        content,
        unique_id: uniqueId,
        action:
          more.freed === true
            ? 'handover'
            : after === null
              ? 'remove'
              : before === null
                ? 'create'
                : 'update',
        freed: more.freed ?? false,
        reason: more.inferred ?? more.stated ?? '',
        before: before === null ? null : JSON.stringify(before),
        after: after === null ? null : JSON.stringify(after),
        change_hash: Buffer.alloc(32),
        inferred: more.inferred !== undefined,
        phase: after === null ? 'removals' : 'upserts',
        state: more.state ?? 'pending',
      })),
    )
    .execute()
}

/** Returns `count` different texts. */
export function ids(count: number, prefix = 'i'): readonly string[] {
  return Array.from({ length: count }, (_, place) => `${prefix}${place + 1}`)
}
