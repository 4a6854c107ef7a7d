import type { Kysely } from 'kysely'
import type { Content, Fields, Tables } from '../../sql/tables.ts'
import type { PlanScope } from '../../transforms/plan/plan.ts'
import { INTEGRATION, runId } from './staged.ts'

/** The scope of a plan: all contents are planned, and none was read completely. */
export const PLAN_SCOPE: PlanScope = {
  integrationId: INTEGRATION,
  runId: runId(2),
  contents: ['agenda', 'speakers', 'attendees'],
  custom: {},
  removals: 'remove',
  irremovable: [],
  handover: 'replace',
  attested: ['cancelled'],
  complete: [],
  unread: [],
  readByChanges: [],
  target: 'jsonl',
  platformRevision: '7',
}

/** An item: content, unique ID and fields. */
export type Item = readonly [Content, string, Fields]

/** Replaces the items that the platform should have. */
export const desire = (db: Kysely<Tables>, items: readonly Item[], integrationId = INTEGRATION) =>
  replace(db, 'sync.desired_items', items, integrationId, { valid_from_run: runId(1), valid_to_run: null })

/** Replaces the items that the platform has. */
export const possess = (db: Kysely<Tables>, items: readonly Item[], integrationId = INTEGRATION) =>
  replace(db, 'sync.platform_items', items, integrationId, { run_id: runId(1) })

async function replace(
  db: Kysely<Tables>,
  table: 'sync.desired_items' | 'sync.platform_items',
  items: readonly Item[],
  integration_id: string,
  since: object,
): Promise<void> {
  await db.deleteFrom(table).where('integration_id', '=', integration_id).execute()
  for (const part of partsOf(items)) {
    const rows = part.map(([content, unique_id, fields]) => {
      return { integration_id, content, unique_id, fields: JSON.stringify(fields), ...since }
    })
    await db
      .insertInto(table)
      .values(rows as never)
      .execute()
  }
}

/**
 * Stores decisions on records whose source id is equal to their unique ID. If the reason is null, the record
 * is synced.
 */
export async function decideOn(
  db: Kysely<Tables>,
  decisions: readonly (readonly [Content, string, string | null, string?])[],
  integrationId = INTEGRATION,
): Promise<void> {
  for (const part of partsOf(decisions)) {
    await db
      .insertInto('sync.decisions')
      .values(
        part.map(([content, id, reason, detail = '']) => ({
          integration_id: integrationId,
          content,
          resource: content === 'agenda' ? 'sessions' : 'registrants',
          source_id: id,
          unique_id: id,
          decision: reason === null ? ('synced' as const) : ('excluded' as const),
          reason: reason ?? '',
          detail,
          valid_from_run: runId(1),
          valid_to_run: null,
        })),
      )
      .execute()
  }
}

/** Splits values into lists, each small enough for the parameters of one SQL statement. */
function partsOf<Value>(values: readonly Value[]): readonly (readonly Value[])[] {
  const parts: Value[][] = []
  for (let start = 0; start < values.length; start += 1000) parts.push(values.slice(start, start + 1000))
  return parts
}
