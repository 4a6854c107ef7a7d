import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../sql/tables.ts'

const bound = sql<string>`jsonb_build_object(
  'source', jsonb_build_object('type', source, 'url', source_url, 'eventId', source_event_id),
  'platform', jsonb_build_object('type', platform, 'url', platform_url, 'eventId', platform_event_id)
)`

/**
 * Stores the configuration of a run with its source and platform, once for each text. Call it in the
 * transaction that opens the run.
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
    .columns(['integration_id', 'config_hash', 'configuration', 'bound'])
    .expression((eb) =>
      eb
        .selectFrom('sync.integrations')
        .where('integration_id', '=', integrationId)
        .select((one) => [
          'integration_id',
          one.val(configHash).as('config_hash'),
          one.val(configuration).as('configuration'),
          bound.as('bound'),
        ]),
    )
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
