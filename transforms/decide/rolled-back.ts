import { type RawBuilder, sql } from 'kysely'
import { insertFrom } from '../../sql/insert-from.ts'
import type { Content, CustomFields, Db } from '../../sql/tables.ts'
import type { DeclaredContent } from '../declare/content.ts'
import type { Scope } from '../declare/contents.ts'
import { dropReferences, exclusions } from '../declare/exclude.ts'
import { ROLLED_BACK } from '../declare/reasons.ts'
import type { SourceTransform } from '../declare/source.ts'
import { type LandedRun, platformAsOf } from '../history/platform-as-of.ts'
import { analyzeOutcomes, createWorkingTables, indexOutcomes, storeOutcomes } from './desired.ts'

/** An id of a person, with the e-mail addresses of the items that contain the id. */
export interface PersonalId {
  readonly id: string
  readonly addresses: readonly string[]
}

/** The state that a rollback restores. */
export interface RolledBack {
  /** The run after which the platform had this state. */
  readonly to: LandedRun
  /** Contents to bring back. A rollback does not change other contents. */
  readonly contents: readonly Content[]
  readonly custom: CustomFields
  /** Recognises forgotten people; null if no person was forgotten. */
  readonly isForgotten: ((of: PersonalId) => boolean) | null
}

/**
 * Makes the decisions and the desired items of a rollback. The desired items are the items that the platform
 * had after an earlier run. The desired items contain no suppressed and forgotten people, and no references
 * to missing items. An item that the platform has now but did not have then gets a decision with the reason
 * `rolled_back`.
 *
 * The function does not change staging. The next run that reads the source makes decisions and items from the
 * staged records again.
 */
export async function makeRolledBack<Options>(
  transaction: Db,
  transform: SourceTransform<Options>,
  { integrationId, options, missing = {} }: Scope<Options>,
  runId: string,
  { to, custom, isForgotten, ...rolledBack }: RolledBack,
): Promise<void> {
  // The rules of `exclude` apply to records, and a rollback has no records. The rules of `exclude` apply
  // again when a run reads the source.
  const { contents: broughtBack } = rolledBack
  const scope: Scope<Options> = {
    integrationId,
    contents: broughtBack,
    options,
    custom,
    exclude: [],
    missing,
  }
  const contents = transform.contents.filter(({ content }) => scope.contents.includes(content))
  const resource = sql<string>`case made.content ${sql.join(
    contents.map(({ content, resource }) => sql`when ${sql.lit(content)} then ${sql.lit(resource)}`),
    sql` `,
  )} end`
  await createWorkingTables(transaction)
  const then = transaction
    .selectFrom(platformAsOf(transaction, to, scope.contents).as('made'))
    .select(['made.content', resource.as('resource')])
    // The id of an item is the id of its record.
    .select(['made.unique_id as source_id', 'made.unique_id'])
    .select([sql.lit(null).as('reason'), sql.lit('').as('detail'), 'made.fields'])
  await insertFrom(transaction, 'outcomes', then).execute()
  await indexOutcomes(transaction)
  await analyzeOutcomes(transaction)
  const forgotten = await findForgottenIds(transaction, integrationId, contents, isForgotten)
  await sql`delete from outcomes
    where content <> 'agenda'
      and unique_id = any (${forgotten}::text[])`.execute(transaction)
  await insertRemoved(transaction, integrationId, scope.contents, resource, forgotten)
  for (const statement of exclusions(transaction, contents, scope)) await transaction.executeQuery(statement)
  for (const { content, field, target } of referencesIn(contents)) {
    const isDropped = scope.contents.includes(target)
      ? sql`target.unique_id is null`
      : sql`named.id #>> '{}' = any (${forgotten}::text[])`
    const dropped = { compared: sql`target.reason is null`, isDropped }
    await dropReferences(content, field, target, dropped).execute(transaction)
  }
  await storeOutcomes(transaction, scope, runId, null)
}

type Contents = readonly Pick<DeclaredContent<never>, 'content' | 'fields'>[]

/** Lists the fields of these contents that refer to other items. */
function referencesIn(contents: Contents) {
  return contents.flatMap(({ content, fields }) =>
    Object.entries(fields).flatMap(([field, { references }]) =>
      references === undefined ? [] : [{ content, field, target: references.content }],
    ),
  )
}

/** Inserts decisions on the items that the platform has now and did not have after that run. */
async function insertRemoved(
  transaction: Db,
  integrationId: string,
  contents: readonly Content[],
  resource: RawBuilder<string>,
  forgotten: readonly string[],
): Promise<void> {
  const removed = transaction
    .selectFrom('sync.platform_items as made')
    .leftJoin('outcomes as then', (join) =>
      join.onRef('then.content', '=', 'made.content').onRef('then.unique_id', '=', 'made.unique_id'),
    )
    .where('made.integration_id', '=', integrationId)
    .where('made.content', 'in', [...contents])
    .where('then.unique_id', 'is', null)
    // The plan removes forgotten people without a decision on them.
    .where(sql<boolean>`made.unique_id <> all (${[...forgotten]}::text[])`)
    .select(['made.content', resource.as('resource')])
    .select(['made.unique_id as source_id', 'made.unique_id'])
    .select([sql.lit(ROLLED_BACK).as('reason'), sql.lit('').as('detail'), sql`null::jsonb`.as('fields')])
  await insertFrom(transaction, 'outcomes', removed).execute()
}

/**
 * Finds the ids of forgotten people among the ids of items and the ids in references. The id of a forgotten
 * person may be a token that replaced the real id. The id may also be the real id of a person whom another
 * integration forgot, because the history still has this id.
 */
async function findForgottenIds(
  db: Db,
  integrationId: string,
  contents: Contents,
  isForgotten: ((of: PersonalId) => boolean) | null,
): Promise<string[]> {
  if (isForgotten === null) return []
  const tokens = await db
    .selectFrom('sync.forgotten')
    .where('integration_id', '=', integrationId)
    .select('token')
    .execute()
  const found = new Set(tokens.map(({ token }) => token))
  for (let last = ''; ; ) {
    const page = await personalIdsAfter(db, contents, last)
    for (const one of page) if (isForgotten(one)) found.add(one.id)
    if (page.length < PAGE) return [...found]
    last = page.at(-1)?.id ?? last
  }
}

const PAGE = 50_000

/**
 * Returns a page of ids of people from the items and their references, in byte order, after the id `last`.
 */
async function personalIdsAfter(db: Db, contents: Contents, last: string): Promise<readonly PersonalId[]> {
  const named = referencesIn(contents).flatMap(({ content, field, target }) =>
    target === 'agenda'
      ? []
      : sql`union all
        select one.id #>> '{}', null
        from outcomes
        cross join lateral jsonb_path_query(fields, ${sql.lit(`lax $.${field}[*]`)}) as one (id)
        where content = ${sql.lit(content)}`,
  )
  const { rows } = await sql<PersonalId>`
    select id collate "C" as id, coalesce(array_agg(address) filter (where address is not null), '{}') as addresses
    from (
      select unique_id as id, fields ->> 'emailAddress' as address
      from outcomes
      where content <> 'agenda'
      ${sql.join(named, sql` `)}
    ) as personal
    where id collate "C" > ${last}
    group by 1
    order by 1
    limit ${sql.lit(PAGE)}`.execute(db)
  return rows
}
