import { hash } from 'node:crypto'
import type { Db } from '../../sql/tables.ts'

/**
 * Stores the configuration of a run, once for each text. Call it in the transaction that opens the run.
 *
 * @returns SHA-256 of the text, in hexadecimal
 */
export async function keepConfiguration(
  transaction: Db,
  integrationId: string,
  configuration: string,
): Promise<string> {
  const configHash = hash('sha256', configuration)
  await transaction
    .insertInto('sync.configurations')
    .values({ integration_id: integrationId, config_hash: configHash, configuration })
    .onConflict((conflict) => conflict.columns(['integration_id', 'config_hash']).doNothing())
    .execute()
  return configHash
}

/** Returns the text of a configuration that runs had; null if the database does not have it. */
export async function findConfiguration(
  db: Db,
  integrationId: string,
  configHash: string,
): Promise<string | null> {
  const row = await db
    .selectFrom('sync.configurations')
    .where(({ and }) => and({ integration_id: integrationId, config_hash: configHash }))
    .select('configuration')
    .executeTakeFirst()
  return row?.configuration ?? null
}
