import { type RawBuilder, sql } from 'kysely'
import { ofRun } from '../../sql/conditions.ts'
import type { Content, Db, RunKey } from '../../sql/tables.ts'
import { resourceOfTable } from '../decide/lineage.ts'
import type { ContentRead } from '../declare/columns-read.ts'
import { SUPPRESSED } from '../declare/exclude.ts'
import { FORGOTTEN } from '../plan/plan.ts'
import { counted } from '../texts/counted.ts'
import type { GuardFinding } from './guard-finding.ts'
import { countRecent } from './removals.ts'

/**
 * Minimum number of items on the platform from which the guard checks a content. In a smaller content, an
 * organiser may well remove most items at once.
 */
const LEAST_LIVE = 20

/** Reasons for removals that come from the user of this product, not from the source. */
export const ASKED_FOR: readonly string[] = [SUPPRESSED, FORGOTTEN]

/**
 * The largest share of stated removals (removals that records themselves state) without approval. `nowMs` is
 * the end of the period of 24 hours in which removals are counted.
 */
export interface StatedLimits {
  readonly maxStatedShare: number
  readonly nowMs: number
}

/**
 * Holds a plan for approval if it would remove most of a content and the records themselves state the
 * removal, for example as cancelled. The guard also counts removals of the last 24 hours. The usual cause is
 * a source that writes an empty date in a new form, or a renamed type. After such a change of form or name,
 * all records seem to state their removal.
 *
 * @param plan `read`: the columns that the condition of each reason reads
 */
export async function findStatedRemovals(
  db: Db,
  plan: RunKey & { readonly read: readonly ContentRead[] },
  live: ReadonlyMap<Content, number>,
  { maxStatedShare, nowMs }: StatedLimits,
): Promise<GuardFinding | null> {
  const reasons = await countReasons(db, plan)
  if (reasons.length === 0) return null
  const recent = await countRecent(db, plan.integrationId, nowMs, isStated)
  const seen: string[] = []
  for (const [content, items] of live) {
    const ofContent = reasons.filter((row) => row.content === content)
    const planned = ofContent.reduce((sum, { count }) => sum + Number(count), 0)
    const before = recent.get(content) ?? 0
    const all = items + before
    if (planned === 0 || all < LEAST_LIVE || (planned + before) / all <= maxStatedShare) continue
    const why = ofContent.map(({ reason, count }) => {
      const fields = fieldsOfReason(plan.read, content, reason)
      return `${reason}${ofContent.length === 1 ? '' : ` ${count}`}${fields.length === 0 ? '' : ` (${fields.join(', ')})`}`
    })
    const others = before === 0 ? '' : `, after ${counted(before, 'other')} within a day`
    seen.push(`${planned} of ${items} ${content} would be removed: ${why.join(', ')}${others}`)
  }
  if (seen.length === 0) return null
  return {
    guard: 'statedRemovals',
    detail: `${seen.join('; ')}; removals.maxStatedShare is ${maxStatedShare}`,
    todo: 'Look at a few of these records at the source: if they really say so, as when a whole event is cancelled, approve the plan; if a value has another form or name for everybody, correct that first.',
    onlyRemovals: true,
  }
}

/** Returns the fields that the condition of a reason reads, each field once. */
function fieldsOfReason(read: readonly ContentRead[], content: Content, reason: string): readonly string[] {
  const columns = read
    .filter((one) => one.content === content)
    .flatMap((one) => one.columns.filter(({ reasons }) => reasons.includes(reason)))
    .map(({ column, beside }) => beside ?? column)
  return [...new Set(columns.map(({ table, name }) => `${resourceOfTable(table)}.${name}`))]
}

/**
 * Counts the stated removals of a plan by reason. Removals that the last approved plan had too are left out.
 */
function countReasons(db: Db, plan: RunKey) {
  return db
    .selectFrom('sync.changes as change')
    .$call(ofRun(plan))
    .where(isStated)
    .where(isNewToApprover(plan))
    .groupBy(['change.content', 'change.reason'])
    .orderBy('change.content')
    .orderBy(sql`count(*)`, 'desc')
    .orderBy('change.reason')
    .select(['change.content', 'change.reason', sql<string>`count(*)`.as('count')])
    .execute()
}

/**
 * Makes the SQL condition that the removal `change` is new to the user who approves plans. A removal is not
 * new if the last approved plan had it too and the platform did not carry it out.
 */
export function isNewToApprover({ integrationId }: RunKey): RawBuilder<boolean> {
  return sql`not exists (
    select from sync.changes as approved
    where approved.integration_id = change.integration_id
      and approved.run_id = (
        select run.run_id
        from sync.runs as run
        where run.integration_id = ${integrationId} and run.approved_at is not null
        order by run.approved_at desc
        limit 1
      )
      and approved.content = change.content
      and approved.unique_id = change.unique_id
      and approved.action = 'remove'
      and approved.reason = change.reason
      and approved.state <> 'applied'
  )`
}

const isStated: RawBuilder<boolean> = sql`(
  change.action = 'remove' and not change.inferred and change.reason <> all (${ASKED_FOR}::text[])
)`
