import { type RawBuilder, sql } from 'kysely'
import type { Content, CustomFields, Db, Fields } from '../../sql/tables.ts'
import { CUSTOM_COLUMN } from '../declare/custom-fields.ts'

/**
 * Platform fields that contain addresses (URLs) of files. A source may put a new signature into these
 * addresses in each answer.
 */
const FILES: Readonly<Record<Content, readonly string[]>> = {
  agenda: ['linkUrls'],
  speakers: ['imageUrl'],
  attendees: [],
}

/**
 * Lists the JSON paths of file addresses in an item: the platform fields above, and custom fields of form
 * `url`.
 */
export function addressPaths(content: Content, custom: CustomFields): readonly (readonly string[])[] {
  const own = Object.values(custom[content] ?? {}).flatMap(({ name, as }) =>
    as === 'url' ? [[CUSTOM_COLUMN, name]] : [],
  )
  return [...FILES[content].map((field) => [field]), ...own]
}

export function jsonPath(path: readonly string[]): RawBuilder<unknown> {
  return sql`array[${sql.join(path.map((key) => sql.lit(key)))}]`
}

/** Makes SQL that removes the signatures from the addresses in a field. */
export function unsigned(value: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`sync.unsigned_addresses(${value})`
}

/**
 * Makes SQL that removes the signatures from the addresses in the column `after` of a row.
 *
 * @param row alias of a row with the columns `content` and `after`
 */
export function unsignedFields(
  row: string,
  contents: readonly Content[],
  custom: CustomFields,
): RawBuilder<Fields | null> {
  const value = sql<Fields | null>`${sql.ref(`${row}.after`)}`
  const ofContents = contents.flatMap((content) => {
    const paths = addressPaths(content, custom).map(jsonPath)
    if (paths.length === 0) return []
    const without = paths.reduce(
      (rest, path) =>
        sql<Fields | null>`jsonb_set_lax(${rest}, ${path}, ${unsigned(sql`${value} #> ${path}`)}, false, 'return_target')`,
      value,
    )
    return [sql`when ${content} then ${without}`]
  })
  return ofContents.length === 0
    ? value
    : sql`case ${sql.ref(`${row}.content`)} ${sql.join(ofContents, sql` `)} else ${value} end`
}

/**
 * Compares the new items in table `outcomes` with the items of the platform. If an item differs from the
 * platform's item only in signatures, it gets the fields of the platform's item. An item with the platform's
 * own fields causes no update. If an item also differs in another field, it keeps its newest addresses.
 *
 * @returns true if at least one item got the fields of the platform's item. The desired items then depend on
 *   the platform's items too
 */
export async function keepSentAddresses(
  db: Db,
  integrationId: string,
  contents: readonly Content[],
  custom: CustomFields,
): Promise<boolean> {
  let kept = 0n
  for (const content of contents) {
    const paths = addressPaths(content, custom).map(jsonPath)
    if (paths.length === 0) continue
    const rest = (fields: string) =>
      paths.reduce((left, path) => sql`${left} #- ${path}`, sql`${sql.ref(fields)}`)
    const addresses = (fields: string) =>
      sql`row(${sql.join(paths.map((path) => unsigned(sql`${sql.ref(fields)} #> ${path}`)))})`
    const { numAffectedRows = 0n } = await sql`update outcomes
      set fields = known.fields
      from sync.platform_items as known
      where outcomes.content = ${content}
        and outcomes.reason is null
        and known.integration_id = ${integrationId}
        and known.content = ${content}
        and known.unique_id = outcomes.unique_id
        and known.fields <> outcomes.fields
        and ${rest('known.fields')} = ${rest('outcomes.fields')}
        and ${addresses('known.fields')} is not distinct from ${addresses('outcomes.fields')}`.execute(db)
    kept += numAffectedRows
  }
  return kept > 0n
}
