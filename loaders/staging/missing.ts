import { notExists } from '../../sql/conditions.ts'
import type { Content, Db } from '../../sql/tables.ts'
import { asAny } from '../../transforms/declare/resource.ts'
import type { IncomingRow } from './incoming.ts'
import type { Merge } from './merge.ts'

/** A reading in which records may be missing, and the contents that are made from its records. */
type IncompleteReading = Pick<Merge, 'integrationId' | 'incoming' | 'table'> & {
  readonly contents: readonly Content[]
}

/** Hashes (in hex) of the record versions that were read, by record id. */
export type VersionsById = ReadonlyMap<string, string>

/** Returns the first and the last record that were read, or fewer if the reading has fewer records. */
export async function findEnds(db: Db, incoming: Merge['incoming']): Promise<VersionsById> {
  const ends = (['asc', 'desc'] as const).map((direction) =>
    db
      .selectFrom(incoming)
      .where('source_id', 'is not', null)
      .orderBy('ordinal', direction)
      .limit(1)
      .select(['source_id', ({ fn, val }) => fn<string>('encode', ['version_hash', val('hex')]).as('hash')])
      .executeTakeFirst(),
  )
  const found = await Promise.all(ends)
  return new Map(
    found.flatMap((row) => (row === undefined || row.source_id === null ? [] : [[row.source_id, row.hash]])),
  )
}

/**
 * Finds records that this reading lacks although they are staged or on the platform. If nothing was staged
 * before, as in a first run, every record that was not read is treated as missing.
 *
 * @returns `ids`: ids of the missing records; null if every id that was not read is treated as missing.
 *   `read`: the first and the last record that were read. `isLacked`: a function that returns true for a
 *   record that is treated as missing
 */
export async function findMissing(db: Db, { integrationId, incoming, table, contents }: IncompleteReading) {
  const faults = await db
    .selectFrom(incoming)
    .where('fault', 'is not', null)
    .select(({ fn, val }) => fn<string>('encode', ['version_hash', val('hex')]).as('hash'))
    .execute()
  const known = new Set(faults.map(({ hash }) => hash))
  const first = await db
    .selectFrom(asAny(table))
    .where(({ and }) => and({ integration_id: integrationId, valid_to_run: null }))
    .select('source_id')
    .limit(1)
    .execute()
  const ids = first.length === 0 ? await idsRead() : await idsNotRead()
  const isLacked = first.length === 0 ? (id: string) => !ids.has(id) : (id: string) => ids.has(id)
  return {
    ids: first.length === 0 ? null : ids,
    read: await findEnds(db, incoming),
    isLacked: ({ sourceId, versionHash, fault }: Pick<IncomingRow, 'sourceId' | 'versionHash' | 'fault'>) =>
      fault === null ? sourceId !== null && isLacked(sourceId) : !known.has(versionHash),
  }

  async function idsRead(): Promise<ReadonlySet<string>> {
    const rows = await db
      .selectFrom(incoming)
      .where('source_id', 'is not', null)
      .select('source_id')
      .execute()
    return new Set(rows.flatMap((row) => row.source_id ?? []))
  }

  async function idsNotRead(): Promise<ReadonlySet<string>> {
    const rows = await db
      .selectFrom((eb) =>
        eb
          .selectFrom(`${asAny(table)} as staged`)
          .where(({ and }) => and({ 'staged.integration_id': integrationId, 'staged.valid_to_run': null }))
          .select('staged.source_id')
          .union(
            eb
              .selectFrom('sync.platform_items as item')
              .where('item.integration_id', '=', integrationId)
              .where((where) => where.or(contents.map((content) => where('item.content', '=', content))))
              .select('item.unique_id as source_id'),
          )
          .as('known'),
      )
      .where(({ selectFrom }) =>
        notExists(
          selectFrom(`${incoming} as record`)
            .select('record.ordinal')
            .whereRef('record.source_id', '=', 'known.source_id'),
        ),
      )
      .select('known.source_id')
      .execute()
    return new Set(rows.map((row) => row.source_id))
  }
}
