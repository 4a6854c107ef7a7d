import { sql } from 'kysely'
import type { Db } from '../../sql/tables.ts'
import { findFormerIds } from './former-ids.ts'
import { findTablesOf } from './tables.ts'

/** A change of the id of an integration. */
export interface Renaming {
  readonly from: string
  readonly to: string
  /** ISO-8601. */
  readonly at: string
  readonly by: string
  /** Last run whose pack in the output folder has the former id; null if there is no such pack. */
  readonly lastPack: string | null
}

/**
 * Messages about runs that could not start. Before the renaming, somebody may have tried to run the new id,
 * and the run was refused.
 */
const OF_REFUSED_RUNS = 'sync.notices'

/** Finds the tables that have rows of an id. If there are any, no other integration can get this id. */
export async function findTablesInUse(db: Db, integrationId: string): Promise<readonly string[]> {
  const used: string[] = []
  for (const table of await findTablesOf(db)) {
    if (table === OF_REFUSED_RUNS) continue
    const { rows } = await sql<{ isThere: boolean }>`
      select exists (select from ${sql.table(table)} where integration_id = ${integrationId}) as "isThere"`.execute(
      db,
    )
    if (rows[0]?.isThere === true) used.push(table)
  }
  return used
}

/**
 * Changes the id of an integration in every table that has rows of integrations. The function also records
 * the former id, and that the folder of the packs must still be renamed.
 *
 * @returns number of rows by table
 */
export async function renameRows(
  transaction: Db,
  { from, to, at, by, lastPack }: Renaming,
): Promise<Readonly<Record<string, number>>> {
  const before = await findFormerIds(transaction, from)
  const newest = await transaction
    .selectFrom('sync.runs')
    .where('integration_id', '=', from)
    .orderBy('run_id', 'desc')
    .limit(1)
    .select('run_id')
    .executeTakeFirst()
  const last = [newest?.run_id ?? [], lastPack ?? []].flat().sort().at(-1) ?? null
  const rows: Record<string, number> = {}
  for (const table of await findTablesOf(transaction)) {
    const { numAffectedRows = 0n } = await sql`
      update ${sql.table(table)} set integration_id = ${to} where integration_id = ${from}`.execute(
      transaction,
    )
    if (numAffectedRows > 0n) rows[table] = Number(numAffectedRows)
  }
  await transaction
    .insertInto('sync.former_ids')
    .values({
      integration_id: to,
      place: (before.at(-1)?.place ?? 0) + 1,
      former_id: from,
      renamed_at: at,
      renamed_by: by,
      last_run: last,
      is_folder_due: true,
    })
    .execute()
  return rows
}

/**
 * Function that decrypts a value and encrypts it for the new id. The name of the value is part of the
 * encryption.
 */
type Reseal = (name: string, sealed: Uint8Array) => Uint8Array

/**
 * Encrypts for the new id the values that were encrypted for the former id: passwords, and ids of forgotten
 * people whom the platform still has.
 */
export async function resealRows(transaction: Db, integrationId: string, reseal: Reseal): Promise<void> {
  const passwords = await transaction
    .selectFrom('sync.passwords')
    .where('integration_id', '=', integrationId)
    .select(['unique_id', 'sealed'])
    .execute()
  for (const { unique_id, sealed } of passwords)
    await transaction
      .updateTable('sync.passwords')
      .set({ sealed: reseal(unique_id, sealed) })
      .where(({ and }) => and({ integration_id: integrationId, unique_id }))
      .execute()
  const people = await transaction
    .selectFrom('sync.forgotten')
    .where('integration_id', '=', integrationId)
    .where('sealed_id', 'is not', null)
    .select(['token', 'sealed_id'])
    .execute()
  for (const { token, sealed_id } of people)
    await transaction
      .updateTable('sync.forgotten')
      .set({ sealed_id: sealed_id && reseal(token, sealed_id) })
      .where(({ and }) => and({ integration_id: integrationId, token }))
      .execute()
}
