import { type RawBuilder, sql } from 'kysely'
import type { Content, CustomFields, Db } from '../../sql/tables.ts'
import { CUSTOM_COLUMN } from '../resources/custom-fields.ts'

/** Fields of the platform that hold addresses of files, which a source may sign anew in each answer. */
const FILES: Readonly<Record<Content, readonly string[]>> = {
  agenda: ['linkUrls'],
  speakers: ['imageUrl'],
  attendees: [],
}

/** Where the fields of an item have such addresses: those of the platform, and custom ones of form `url`. */
export function addressPaths(content: Content, custom: CustomFields): readonly (readonly string[])[] {
  const own = Object.values(custom[content] ?? {}).flatMap(({ name, as }) =>
    as === 'url' ? [[CUSTOM_COLUMN, name]] : [],
  )
  return [...FILES[content].map((field) => [field]), ...own]
}

export function jsonPath(path: readonly string[]): RawBuilder<unknown> {
  return sql`array[${sql.join(path.map((key) => sql.lit(key)))}]`
}

/** A field, if it has a value, without what signs the addresses in it. */
export function unsigned(value: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`sync.unsigned_addresses(${value})`
}

/**
 * Gives each item of `outcomes` that differs from what the platform has in signatures alone the fields that the platform has. So a
 * new signature is no change; with another change, the newest address is sent.
 *
 * @returns whether there is such an item: then the items follow from what the platform has, too
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
