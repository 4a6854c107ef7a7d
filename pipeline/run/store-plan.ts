import type { Kysely } from 'kysely'
import { type countDecisions, updateRun } from '../../loaders/ledger/ledger.ts'
import type { Hold, Pin, RunCounts, RunStatus, Tables } from '../../sql/tables.ts'
import type { Plan } from '../../transforms/plan/plan.ts'
import { type RunContext, timestamp } from '../context/run-context.ts'

/** A plan, and the facts about its run that are stored with it. */
interface PlanToStore {
  readonly plan: Plan
  /** Revision of the platform from which the plan starts. */
  readonly base: string
  readonly status: RunStatus
  readonly certified: boolean
  readonly held: Hold | null
  readonly pinned: Pin | null
  readonly decided: Awaited<ReturnType<typeof countDecisions>>
  readonly notes: readonly string[]
  /** Number of different records that the run read, of each resource. */
  readonly records: Readonly<Record<string, number>>
  /** Other counts of the run. */
  readonly counts: Partial<RunCounts>
}

/** Stores the plan of a run in the ledger, and announces it. */
export async function storePlan(
  run: RunContext,
  transaction: Kysely<Tables>,
  { plan, base, status, certified, held, pinned, decided, notes, records, counts }: PlanToStore,
): Promise<void> {
  const { integrationId, runId } = run
  const { hash, changes, kept } = plan
  await updateRun(transaction, integrationId, runId, {
    status,
    planned_at: timestamp(run.environment),
    plan_hash: hash,
    base,
    certified,
    held,
    pinned,
    counts: { changes, kept, ...decided, ...(notes.length === 0 ? {} : { notes }), ...counts },
  })
  const { withheld = 0 } = counts
  run.emit({ type: 'planned', planHash: hash, records, changes, ...decided, withheld, held })
  run.at('plan made')
}
