import { sql } from 'kysely'
import type { Db } from '../../sql/tables.ts'
import { asAny, type StagingTables } from '../../transforms/declare/resource.ts'

/** Versions that are current: a record that makes one of them again needs to be neither parsed nor copied. */
export interface KnownVersions {
  /** @param versionHash in hex */
  has(versionHash: string): boolean
}

/** Bytes of each hash that are kept; the merge compares all of it. */
const BYTES = 16

/** In a larger resource the other records are parsed as if they were new: memory must not grow with it. These take 13 MB. */
const MOST = 250_000

/** @returns null if no version is current, as in a first run */
export async function findKnownVersions(
  db: Db,
  integrationId: string,
  table: keyof StagingTables,
  most = MOST,
): Promise<KnownVersions | null> {
  const current = db
    .selectFrom(asAny(table))
    .where(({ and }) => and({ integration_id: integrationId, valid_to_run: null }))
    .limit(sql.lit(most))
    .select('version_hash')
  const rows = await db
    .selectFrom(current.as('version'))
    // A row for each would take longer, and one for all more memory at once.
    .groupBy(sql`get_byte(version_hash, 0)`)
    .select(
      sql<Uint8Array>`string_agg(substring(version_hash from 1 for ${sql.lit(BYTES)}), '')`.as('hashes'),
    )
    .execute()
  return rows.length === 0 ? null : knownVersions(rows.map(({ hashes }) => hashes))
}

function knownVersions(parts: readonly Uint8Array[]): KnownVersions {
  const known = new Set<string>()
  for (const part of parts) {
    const hashes = Buffer.from(part.buffer, part.byteOffset, part.byteLength)
    for (let from = 0; from < hashes.length; from += BYTES)
      known.add(hashes.toString('latin1', from, from + BYTES))
  }
  return { has: (versionHash) => known.has(Buffer.from(versionHash, 'hex').toString('latin1', 0, BYTES)) }
}
