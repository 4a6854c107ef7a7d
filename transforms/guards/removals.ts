import { type RawBuilder, sql } from 'kysely'
import { notExists, ofRun } from '../../sql/conditions.ts'
import type { Content, Db, RunKey } from '../../sql/tables.ts'
import { ruleOfReason } from '../declare/exclude.ts'
import type { Plan } from '../plan/plan.ts'
import { counted } from '../texts/counted.ts'
import { checkRules, type GuardFinding } from './guard-finding.ts'

const WINDOW_MS = 24 * 60 * 60 * 1000

/**
 * Minimum numbers of removals with which a plan is held. A few items of a content disappear on any ordinary
 * day; a third of them does not.
 */
const LEAST = 10
const LEAST_OF_LARGE_SHARE = 5
const LARGE_SHARE = 0.3

/**
 * The limits for inferred removals: below them, no approval is needed. `nowMs` is the end of the period of 24
 * hours in which removals are counted.
 */
export interface RemovalLimits {
  readonly maxShare: number
  /**
   * A plan with fewer removals than `minCount` is not held, however large their share is. If `minCount` is
   * null, the number depends on the share of removals.
   */
  readonly minCount: number | null
  readonly nowMs: number
}

/**
 * Holds a plan for approval if it has too many inferred removals (removals that no record states). The usual
 * cause is a source that answers 200 with only a part of its data. The guard also counts removals of the last
 * 24 hours. A plan that removes all remaining items of a content is held, even if only few items remain.
 */
export async function findRemovals(
  db: Db,
  plan: { readonly integrationId: string; readonly runId: string; readonly changes: Plan['changes'] },
  live: ReadonlyMap<Content, number>,
  limits: RemovalLimits,
): Promise<GuardFinding | null> {
  const reasons = await countReasons(db, plan)
  if (reasons.length === 0) return null
  const recent = await countRecent(db, plan.integrationId, limits.nowMs, sql`change.inferred`)
  const seen: string[] = []
  const why = new Set<string>()
  for (const [content, items] of live) {
    const ofContent = reasons.filter((row) => row.content === content)
    const planned = ofContent.reduce((sum, { count }) => sum + Number(count), 0)
    if (planned === 0) continue
    const before = recent.get(content) ?? 0
    const { create, remove } = plan.changes[content] ?? { create: 0, remove: 0 }
    const [gone, share] = [planned + before, (planned + before) / (items + before)]
    const least = limits.minCount ?? (share >= LARGE_SHARE ? LEAST_OF_LARGE_SHARE : LEAST)
    const isTooMuch = gone >= least && share > limits.maxShare
    const isEmptied = items - remove + create === 0
    if (!isTooMuch && !isEmptied) continue
    const counts = ofContent.map(({ reason, count }) => `${reason} ${count}`).join(', ')
    for (const { reason } of ofContent) if (reason !== null) why.add(reason)
    const figures = [
      `${planned} of ${counted(items, 'live item')} of ${content} would be removed without a record that asks for it (${counts})`,
      ...(before > 0 ? [`after ${counted(before, 'other')} within a day`] : []),
      ...(isTooMuch ? [`removals.maxShare is ${limits.maxShare}`] : []),
      ...(isEmptied ? ['none would be left'] : []),
    ]
    seen.push(figures.join(', '))
  }
  if (seen.length === 0) return null
  return {
    guard: 'removals',
    detail: seen.join('; '),
    todo: todoOf([...why]),
    onlyRemovals: true,
  }
}

function todoOf(reasons: readonly string[]): string {
  const rules = reasons.flatMap((reason) => ruleOfReason(reason) ?? [])
  const ofRules = checkRules(rules)
  if (rules.length === reasons.length) return ofRules
  const ofSource =
    'Check at the source whether the records are still there, and whether the fields that they lack can still be read: a source that hides data looks like one that has deleted it.'
  return rules.length === 0 ? ofSource : `${ofSource} ${ofRules}`
}

function countReasons(db: Db, plan: RunKey) {
  return db
    .selectFrom('sync.changes')
    .$call(ofRun(plan))
    .where('action', '=', 'remove')
    .where('inferred', '=', true)
    .groupBy(['content', 'reason'])
    .orderBy('content')
    .orderBy(sql`count(*)`, 'desc')
    .orderBy('reason')
    .select(['content', 'reason', sql<string>`count(*)`.as('count')])
    .execute()
}

/**
 * Counts the items that were removed in the last 24 hours and have not come back to the platform since. If a
 * user approved a plan with removals of the same kind in these 24 hours, only removals after the approval are
 * counted.
 *
 * @param kind SQL condition on the table `change` that selects the kind of removals
 */
export async function countRecent(
  db: Db,
  integrationId: string,
  nowMs: number,
  kind: RawBuilder<boolean>,
): Promise<ReadonlyMap<Content, number>> {
  const startMs = nowMs - WINDOW_MS
  const approved = await db
    .selectFrom('sync.runs as run')
    .where('run.integration_id', '=', integrationId)
    .where('run.approved_at', '>', sql<Date>`${new Date(startMs).toISOString()}::timestamptz`)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('sync.changes as change')
          .whereRef('change.integration_id', '=', 'run.integration_id')
          .whereRef('change.run_id', '=', 'run.run_id')
          .where(kind)
          .select('change.seq'),
      ),
    )
    .orderBy('run.approved_at', 'desc')
    .limit(1)
    .select('run.approved_at')
    .executeTakeFirst()
  const sinceMs = approved?.approved_at?.getTime() ?? startMs
  const rows = await db
    .selectFrom('sync.changes as change')
    .innerJoin('sync.runs as run', (join) =>
      join
        .onRef('run.integration_id', '=', 'change.integration_id')
        .onRef('run.run_id', '=', 'change.run_id'),
    )
    .where('run.integration_id', '=', integrationId)
    // Removals of an approved plan are left out, because a user has seen and approved them.
    .where('run.approved_at', 'is', null)
    .where('run.applied_at', '>', sql<Date>`${new Date(sinceMs).toISOString()}::timestamptz`)
    .where(kind)
    .where('change.state', '=', 'applied')
    .where(({ selectFrom }) =>
      notExists(
        selectFrom('sync.platform_items as live')
          .whereRef('live.integration_id', '=', 'change.integration_id')
          .whereRef('live.content', '=', 'change.content')
          .whereRef('live.unique_id', '=', 'change.unique_id')
          .select('live.unique_id'),
      ),
    )
    .groupBy('change.content')
    .select(['change.content', sql<string>`count(distinct change.unique_id)`.as('count')])
    .execute()
  return new Map(rows.map(({ content, count }) => [content, Number(count)]))
}
