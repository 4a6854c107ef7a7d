import { sql } from 'kysely'
import { ofRun } from '../../../sql/conditions.ts'
import type { Content, Db, RunKey } from '../../../sql/tables.ts'
import { mapTexts } from '../../../transforms/declare/field-values.ts'
import { currentAsOf } from '../../../transforms/history/as-of.ts'
import { contentNamedIn } from '../../../transforms/rules/platform.ts'
import type { Mask } from '../csv-files/csv.ts'

/** Facts about the sessions to which the shown changes of a plan refer. */
export interface NamedSessions {
  /** Titles by id. The map has no session that is neither on the platform nor in the plan. */
  readonly titles: ReadonlyMap<string, string>
  /** Ids of the sessions that the plan would remove. */
  readonly removed: ReadonlySet<string>
}

/**
 * Finds the titles of the sessions with these ids. If the plan changes the title of a session, the function
 * returns the new title.
 */
export async function findNamedSessions(db: Db, run: RunKey, ids: readonly string[]): Promise<NamedSessions> {
  if (ids.length === 0) return { titles: new Map(), removed: new Set() }
  const isNamed = sql<boolean>`unique_id = any (${[...ids]}::text[])`
  const titlesIn = (table: 'sync.platform_items' | 'sync.desired_items') =>
    db
      .selectFrom(`${table as 'sync.platform_items'} as item`)
      .where(({ and }) => and({ 'item.integration_id': run.integrationId, 'item.content': 'agenda' }))
      .where(isNamed)
      .select(['item.unique_id', sql<string | null>`item.fields ->> 'name'`.as('title')])
  const onPlatform = await titlesIn('sync.platform_items').execute()
  const desired = await titlesIn('sync.desired_items').where(currentAsOf('item', run.runId)).execute()
  const removed = await db
    .selectFrom('sync.changes')
    .$call(ofRun(run))
    .where(({ and }) => and({ content: 'agenda', action: 'remove' }))
    .where(isNamed)
    .select('unique_id')
    .execute()
  return {
    titles: new Map(
      [...onPlatform, ...desired].flatMap(({ unique_id, title }) =>
        title === null ? [] : [[unique_id, title]],
      ),
    ),
    removed: new Set(removed.map(({ unique_id }) => unique_id)),
  }
}

/** Returns true if the values of a field are ids of sessions. */
export function namesSessions(content: Content, field: string): boolean {
  return contentNamedIn(content, field) === 'agenda'
}

/** Returns the id of a session followed by its title, for example `5008 "Opening"`. */
export function titled(id: string, mask: Mask, { titles }: NamedSessions): string {
  const title = titles.get(id)
  return title === undefined ? mask.id(id) : `${mask.id(id)} "${title}"`
}

/** Makes a mask that shows each session with its id and its title. */
export function withTitles(mask: Mask, sessions: NamedSessions): Mask {
  return {
    id: mask.id,
    field: (content, name, value) =>
      value !== undefined && namesSessions(content, name)
        ? mapTexts(value, (id) => titled(id, mask, sessions))
        : mask.field(content, name, value),
  }
}
