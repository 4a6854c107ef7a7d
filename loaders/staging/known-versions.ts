import { sql } from 'kysely'
import type { Db } from '../../sql/tables.ts'
import { asAny, type StagingTables } from '../../transforms/declare/resource.ts'

/** The current versions. A record whose version is already current need not be parsed or copied. */
export interface KnownVersions {
  /** @param versionHash hash of a record version in hex */
  has(versionHash: string): boolean
}

/**
 * A half of the bytes of each version hash that are kept in memory. A JavaScript number holds a half exactly. The
 * merge into staging still compares whole hashes.
 */
const HALF_BYTES = 6
const BYTES = 2 * HALF_BYTES
const HALF_DIGITS = 2 * HALF_BYTES

/**
 * Maximum number of versions in memory. The limit prevents memory from growing with the resource: 250,000
 * versions take 13 MB. Records beyond the limit are parsed as if they were new.
 */
const MOST = 250_000

/**
 * Reads the hashes of the current record versions. @returns null if no version is current, as in a first run
 */
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
    // The query returns one row for each first byte of the hashes. One row per hash would take longer. A
    // single row for all hashes would need more memory.
    .groupBy(sql`get_byte(version_hash, 0)`)
    .select(
      sql<Uint8Array>`string_agg(substring(version_hash from 1 for ${sql.lit(BYTES)}), '')`.as('hashes'),
    )
    .execute()
  return rows.length === 0 ? null : knownVersions(rows.map(({ hashes }) => hashes))
}

/**
 * Keeps each hash as two numbers, because strings would take twice the time. If the first halves of two hashes
 * are equal, only one of the two is known.
 */
function knownVersions(parts: readonly Uint8Array[]): KnownVersions {
  const known = new Map<number, number>()
  for (const part of parts) {
    const hashes = Buffer.from(part.buffer, part.byteOffset, part.byteLength)
    for (let from = 0; from < hashes.length; from += BYTES)
      known.set(hashes.readUIntBE(from, HALF_BYTES), hashes.readUIntBE(from + HALF_BYTES, HALF_BYTES))
  }
  const half = (hash: string, from: number) => Number.parseInt(hash.slice(from, from + HALF_DIGITS), 16)
  return { has: (versionHash) => known.get(half(versionHash, 0)) === half(versionHash, HALF_DIGITS) }
}
