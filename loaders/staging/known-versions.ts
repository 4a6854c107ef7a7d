import { sql } from 'kysely'
import type { Db } from '../../sql/tables.ts'
import { asAny, type StagingTables } from '../../transforms/resources/staging-tables.ts'

/** Versions that are current: a record that makes one of them again needs to be neither parsed nor copied. */
export interface KnownVersions {
  /** @param versionHash in hex */
  has(versionHash: string): boolean
}

/** Of each hash so much is kept; the merge compares all of it. */
const BYTES = 16

/** Of a larger resource the other records are parsed as if they were new: memory must not grow with it. These take 6 MB. */
const MOST = 250_000

/** @returns null where no version is current, as in a first run */
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

/** A hash table in one buffer, with linear probing: a million objects or texts would take five times as much memory. */
function knownVersions(parts: readonly Uint8Array[]): KnownVersions {
  const count = parts.reduce((sum, { length }) => sum + length, 0) / BYTES
  const slots = Math.ceil(count * 1.5)
  const table = Buffer.alloc(slots * BYTES)
  // A hash that begins with as many zeros is not kept, and just not known.
  const isFree = (at: number) => table.readUInt32BE(at) === 0 && table.readUInt32BE(at + 4) === 0

  /** Where a hash is, or would be. */
  function placeOf(hash: Buffer): number {
    let at = (hash.readUInt32BE() % slots) * BYTES
    while (!isFree(at) && table.compare(hash, 0, BYTES, at, at + BYTES) !== 0)
      at = (at + BYTES) % table.length
    return at
  }

  for (const { buffer, byteOffset, length } of parts) {
    for (let from = byteOffset; from < byteOffset + length; from += BYTES) {
      const hash = Buffer.from(buffer, from, BYTES)
      table.set(hash, placeOf(hash))
    }
  }
  return { has: (versionHash) => !isFree(placeOf(Buffer.from(versionHash, 'hex'))) }
}
