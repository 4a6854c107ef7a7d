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
import { pointsOf } from '../runtime/events.ts'
import { UserError } from '../settings/errors.ts'
import { transformsOf } from '../sources/registry.ts'
import { writeSuppressionsOfEvent } from './beside-packs.ts'
import { type Erased, erasePerson } from './erase-person.ts'
import { takeInUnknown } from './take-in.ts'

/** The result of `forget`; it holds no value of a person. */
export interface ForgetResult extends Erased {
  readonly integration: string
  /** Has a sentence if the file beside the packs had suppressions that this database did not know. */
  readonly takenIn: readonly string[]
  /** Items of the person that the platform still has; the next run removes them. */
  readonly onPlatform: number
  /** Other integrations that have read the source event; their records stay. */
  readonly alsoReadBy: readonly string[]
  readonly packs: Reissued
}

export interface ForgetOptions {
  readonly sought: Sought
  /**
   * True if someone has delivered all operations files to the platform, so that they need not name the person
   * any longer.
   */
  readonly isDelivered: boolean
  /** True to erase the id also in records of others, in fields that are not known to name people. */
  readonly erasesIdMentions?: boolean
}

/**
 * Erases a person from one integration: from the database in one transaction, then from each pack. If it is
 * killed at any point, the next call continues it.
 *
 * @returns null if another process holds the integration
 * @throws UserError if a run must be finished first, the key is missing or another key, or the file beside
 * the packs is missing
 */
export async function forget(
  context: Context,
  integration: IntegrationConfig,
  { sought, isDelivered, erasesIdMentions = false }: ForgetOptions,
): Promise<ForgetResult | null> {
  const keys = forgettingKeysOf(context, integration.id)
  return whileLocked(context, integration.id, async (locked) => {
    await requireFinished(locked, integration.id)
    const takenIn = await takeInUnknown(locked, integration, true)
    const at = pointsOf(context.events, integration.id)
    at('erasure begun')
    const erased = await erasePerson(locked, integration, keys, sought, erasesIdMentions)
    if (isDelivered) {
      await locked.database.transaction((transaction) => markDelivered(transaction, integration.id))
    }
    at('person erased')
    await writeSuppressionsOfEvent(locked, integration)
    const packs = await reissuePacks(locked, integration.id)
    const onPlatform = await countOnPlatform(locked.database.kysely, integration.id)
    const integrations = await findIntegrationsReading(locked.database.kysely, eventReadBy(integration))
    const alsoReadBy = integrations.filter((id) => id !== integration.id)
    return { integration: integration.id, takenIn, ...erased, onPlatform, alsoReadBy, packs }
  })
}

/** @throws UserError if a run is not finished: it would bring values of the person back from its plan */
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
 * Removes what is left of the person from the database's files.
 *
 * @param isThorough true to rewrite the tables on PostgreSQL, which locks them during that time
 */
export function scrubForgotten(
  { config, database, events }: Context,
  integrationId: string,
  isThorough: boolean,
) {
  const at = pointsOf(events, integrationId)
  return database.scrub(tablesOfPeople(transformsOf(config)), { isThorough, at })
}
