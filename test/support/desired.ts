import type { Kysely } from 'kysely'
import type { Content, Fields, Tables } from '../../sql/tables.ts'
import type { PlanScope } from '../../transforms/plan/plan.ts'
import { INTEGRATION, runId } from './staged.ts'

/** A plan of all contents, of which nothing was read completely. */
export const PLAN_SCOPE: PlanScope = {
  integrationId: INTEGRATION,
  runId: runId(2),
  contents: ['agenda', 'speakers', 'attendees'],
  removals: 'remove',
  attested: ['cancelled'],
  complete: [],
  unread: [],
  readByChanges: [],
  target: 'jsonl',
  platformRevision: '7',
}

/** An item by content, unique ID and fields. */
export type Item = readonly [Content, string, Fields]

/** Makes items what the platform should have, in place of all before. */
export async function desire(
  db: Kysely<Tables>,
  items: readonly Item[],
  integrationId = INTEGRATION,
): Promise<void> {
  await db.deleteFrom('sync.desired_items').where('integration_id', '=', integrationId).execute()
  for (const part of partsOf(items)) {
    await db
      .insertInto('sync.desired_items')
      .values(
        part.map(([content, unique_id, fields]) => ({
          integration_id: integrationId,
          content,
          unique_id,
          fields: JSON.stringify(fields),
          valid_from_run: runId(1),
          valid_to_run: null,
        })),
      )
      .execute()
  }
}

/** Makes items what the platform has, in place of all before. */
export async function possess(
  db: Kysely<Tables>,
  items: readonly Item[],
  integrationId = INTEGRATION,
): Promise<void> {
  await db.deleteFrom('sync.platform_items').where('integration_id', '=', integrationId).execute()
  for (const part of partsOf(items)) {
    await db
      .insertInto('sync.platform_items')
      .values(
        part.map(([content, unique_id, fields]) => ({
          integration_id: integrationId,
          content,
          unique_id,
          fields: JSON.stringify(fields),
          run_id: runId(1),
        })),
      )
      .execute()
  }
}

/** Decides on records whose source id is their unique ID; a reason of null is synced. */
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

/** Few enough rows for one statement's parameters. */
function partsOf<Value>(values: readonly Value[]): readonly (readonly Value[])[] {
  const parts: Value[][] = []
  for (let start = 0; start < values.length; start += 1000) parts.push(values.slice(start, start + 1000))
  return parts
}
