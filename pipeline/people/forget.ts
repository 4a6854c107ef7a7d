import { findIntegrationsReading } from '../../loaders/ledger/binding.ts'
import { findRun } from '../../loaders/ledger/ledger.ts'
import { countOnPlatform, markDelivered } from '../../loaders/people/forgotten.ts'
import type { Sought } from '../../loaders/people/person.ts'
import { tablesOfPeople } from '../../loaders/people/personal-data-places.ts'
import type { IntegrationConfig } from '../config/config.ts'
import { forgettingKeysOf } from '../context/keys.ts'
import { type Context, whileLocked } from '../context/run-context.ts'
import { eventReadBy } from '../context/suppression.ts'
import { type Reissued, reissuePacks } from '../packs/export.ts'
import { removeExports } from '../packs/exports-folder.ts'
import { pointsOf } from '../runtime/events.ts'
import type { ErasedPerson } from '../schemas/people.ts'
import { UserError } from '../settings/errors.ts'
import { transformsOf } from '../sources/registry.ts'
import { writeSuppressionsOfEvent } from './beside-packs.ts'
import { erasePerson } from './erase-person.ts'
import { takeInUnknown } from './take-in.ts'

/** The result of the command `forget`. The result of `forget` contains no personal data. */
export interface ForgetResult extends ErasedPerson {
  readonly packs: Reissued
}

export interface ForgetOptions {
  readonly sought: Sought
  /**
   * True if all operations files were delivered to the platform. Once operations files are delivered, they no
   * longer need the person's id.
   */
  readonly isDelivered: boolean
  /**
   * True if the person's id is also erased in records of other people, in fields that may not refer to
   * people.
   */
  readonly erasesIdMentions?: boolean
  /**
   * Reason that is stored in the log. The reason must not name a person, because `forget` does not erase the
   * log.
   */
  readonly reason?: string | null
}

/**
 * Erases a person from one integration: first from the database, in one transaction, and then from each pack.
 * If the process dies at any point, calling the function again continues the work.
 *
 * @returns null if another process holds the lock of the integration
 * @throws UserError if a run must be finished first, if the key is missing or is another key, or if the file
 *   beside the packs is missing
 */
export async function forget(
  context: Context,
  integration: IntegrationConfig,
  { sought, isDelivered, erasesIdMentions = false, reason = null }: ForgetOptions,
): Promise<ForgetResult | null> {
  const keys = forgettingKeysOf(context, integration.id)
  return whileLocked(context, integration.id, async (locked) => {
    await requireFinished(locked, integration.id)
    const takenIn = await takeInUnknown(locked, integration, true)
    const at = pointsOf(context.events, integration.id)
    at('erasure begun')
    const erased = await erasePerson(locked, integration, keys, sought, erasesIdMentions, reason)
    if (isDelivered) {
      await locked.database.transaction((transaction) => markDelivered(transaction, integration.id))
    }
    at('person erased')
    await writeSuppressionsOfEvent(locked, integration)
    const exports = await removeExports(locked, integration.id)
    const packs = await reissuePacks(locked, integration.id)
    const onPlatform = await countOnPlatform(locked.database.kysely, integration.id)
    const integrations = await findIntegrationsReading(locked.database.kysely, eventReadBy(integration))
    const alsoReadBy = integrations.filter((id) => id !== integration.id)
    return { integration: integration.id, takenIn, ...erased, onPlatform, alsoReadBy, exports, packs }
  })
}

/**
 * Checks that no run is unfinished.
 *
 * @throws UserError if a run is unfinished, because its plan would bring personal data back
 */
async function requireFinished({ database }: Context, integrationId: string): Promise<void> {
  const run = await findRun(database.kysely, { integrationId, statuses: ['applying', 'applied'] })
  if (run === undefined) return
  throw new UserError(
    'state',
    `run ${run.run_id} of ${integrationId} is not finished`,
    `finish it with \`event-sync run ${integrationId}\`, then run forget again`,
  )
}

/**
 * Removes the remaining bytes of the person's data from the files of the database.
 *
 * @param isThorough true: on PostgreSQL, the tables are rewritten, and are locked during that time
 */
export function scrubForgotten(
  { config, database, events }: Context,
  integrationId: string,
  isThorough: boolean,
) {
  const at = pointsOf(events, integrationId)
  return database.scrub(tablesOfPeople(transformsOf(config)), { isThorough, at })
}
