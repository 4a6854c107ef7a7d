import { sql } from 'kysely'
import type { Db } from '../../sql/tables.ts'
import { asAny, type StagingTables } from '../../transforms/declare/resource.ts'

/** The current versions. A record whose version is already current need not be parsed or copied. */
export interface KnownVersions {
  /** @param versionHash hash of a record version in hex */
  has(versionHash: string): boolean
}

/**
 * Number of bytes of each version hash that are kept in memory. The merge into staging still compares whole
 * hashes.
 */
const BYTES = 16

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

function knownVersions(parts: readonly Uint8Array[]): KnownVersions {
  const known = new Set<string>()
  for (const part of parts) {
    const hashes = Buffer.from(part.buffer, part.byteOffset, part.byteLength)
    for (let from = 0; from < hashes.length; from += BYTES)
      known.add(hashes.toString('latin1', from, from + BYTES))
  }
  return { has: (versionHash) => known.has(Buffer.from(versionHash, 'hex').toString('latin1', 0, BYTES)) }
}
