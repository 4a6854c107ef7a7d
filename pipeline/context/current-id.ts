import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Binding, findBindings, findSameBinding } from '../../loaders/ledger/binding.ts'
import { findRenamedFrom } from '../../loaders/ledger/former-ids.ts'
import { findLastPackRun } from '../../loaders/ledger/ledger.ts'
import { RENAMED_FILE } from '../../loaders/verify/renamed.ts'
import type { Db } from '../../sql/tables.ts'
import type { IntegrationConfig } from '../config/config.ts'
import { RenamedError } from '../settings/errors.ts'
import { platformOf } from './connect.ts'
import type { BaseContext } from './run-context.ts'

/** Returns the source and the platform of an integration in the form in which the first run stores them. */
export function bindingOf(integration: IntegrationConfig): Binding {
  const { type: source, url: source_url, eventId: source_event_id } = integration.source
  const { type: platform, url: platform_url, eventId: platform_event_id } = platformOf(integration)
  return { source, source_url, source_event_id, platform, platform_url, platform_event_id }
}

/**
 * Requires that an integration has the same id in the database and in the configuration. An integration with
 * two different ids would begin as a new integration, without its history.
 *
 * @throws RenamedError
 */
export async function requireCurrentId(
  db: Db,
  { config, outputFolder }: Pick<BaseContext, 'config' | 'outputFolder'>,
  integration: IntegrationConfig,
) {
  const { id } = integration
  await requirePacksHere(db, outputFolder, id)
  if ((await findBindings(db, [id])).length > 0) return
  await requireNotRenamed(db, integration)
  const binding = bindingOf(integration)
  const same = await findSameBinding(db, binding)
  const former = same.find((other) => !config.integrations.some((one) => one.id === other))
  if (former === undefined) return
  const other =
    binding.platform_url === ''
      ? `\`event-sync run ${id} --fresh\` creates everything again`
      : `\`event-sync run ${id} --rebind\` makes it the only one that writes to that platform event`
  throw new RenamedError(
    `the database does not know ${id}, but it knows ${former}, which has the same source event and platform event and is not in the configuration`,
    `if ${id} is a new id for ${former}, run \`event-sync rename ${former} ${id}\`; if it is another integration, ${other}`,
    `event-sync rename ${former} ${id}`,
  )
}

/**
 * Requires that the last pack of an integration is not in the folder of another id. It is there if the
 * integration was renamed after the backup from which this database was restored. The packs and suppressions
 * of the other folder would be ignored.
 */
async function requirePacksHere(db: Db, outputFolder: string, id: string): Promise<void> {
  const run = await findLastPackRun(db, id)
  if (run === null || existsSync(join(outputFolder, id, run)) || !existsSync(outputFolder)) return
  const other = readdirSync(outputFolder).find((name) =>
    [RENAMED_FILE, run].every((file) => existsSync(join(outputFolder, name, file))),
  )
  if (other === undefined) return
  throw new RenamedError(
    `the packs of ${id} are in ${join(outputFolder, other)}`,
    `if ${id} was renamed to ${other} after the backup of this database, run \`event-sync rename ${id} ${other}\`; if not, move the packs back`,
    `event-sync rename ${id} ${other}`,
  )
}

/**
 * Refuses a former id of an integration. The former id is accepted if the configuration now uses it for
 * another event.
 */
async function requireNotRenamed(db: Db, integration: IntegrationConfig): Promise<void> {
  const { id } = integration
  const renamed = await findNewId(db, integration)
  if (renamed === null) return
  const { integrationId, renamedAt } = renamed
  throw new RenamedError(
    `${id} was renamed to ${integrationId} at ${renamedAt.toISOString()}, and the configuration still has the former id`,
    `change it in the configuration: \`id: ${integrationId}\``,
    `event-sync run ${integrationId}`,
  )
}

/**
 * Finds the id to which an integration was renamed. Returns null if it was not renamed, or if the configuration
 * now uses its former id for another event.
 */
export async function findNewId(db: Db, { id, source }: IntegrationConfig) {
  const renamed = await findRenamedFrom(db, id)
  const bindings = await findBindings(
    db,
    renamed.map(({ integrationId }) => integrationId),
  )
  const isOfEvent = (one: Binding) => one.source === source.type && one.source_event_id === source.eventId
  const own = new Set(bindings.filter(isOfEvent).map(({ integration_id }) => integration_id))
  return renamed.find(({ integrationId }) => own.has(integrationId)) ?? null
}
