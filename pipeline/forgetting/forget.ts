import type { Kysely } from 'kysely'
import { erase } from '../../loaders/forgetting/erase.ts'
import { findForgotten, keepForgotten } from '../../loaders/forgetting/forgotten.ts'
import { findPerson, type Person, type Sought, stagedIdsOf } from '../../loaders/forgetting/person.ts'
import { countOnPlatform, findPlatformIds, markDelivered } from '../../loaders/forgetting/platform.ts'
import { findRuns } from '../../loaders/ledger.ts'
import type { Tables } from '../../sql/tables.ts'
import type { AnyTransform } from '../../transforms/source-transform.ts'
import { ConfigError, type IntegrationConfig } from '../config.ts'
import { sourceTypeOf } from '../extract/connect.ts'
import { TRANSFORMS } from '../extract/registry.ts'
import type { Point } from '../observe/told.ts'
import { type Context, timestamp } from '../run-context.ts'
import { type ForgettingKeys, forgettingKeysOf, requireSameKey } from './keys.ts'
import { type Reissued, reissuePacks } from './reissue.ts'
import { suppressionOf } from './suppression.ts'

/** What `forget` did, in counts and places; no value of a person. */
export interface Forgotten {
  readonly integration: string
  /** `unknown`: nothing is known of such a person; `again`: nothing was left of the person but what is told. */
  readonly status: 'forgotten' | 'again' | 'unknown'
  /** Rows that held the person, by table. */
  readonly places: Readonly<Record<string, number>>
  /** Records of others that have the same address, which is therefore not suppressed. */
  readonly sharing: number
  /** Records of others that have the address in a text. */
  readonly mentions: number
  /** Items of the person that the platform still has; the next run removes them. */
  readonly onPlatform: number
  readonly packs: Reissued
}

export interface ForgetOptions {
  readonly sought: Sought
  /** Operations files that were written so far have reached the platform: they need not name the person any more. */
  readonly isDelivered: boolean
}

/**
 * Erases a person from one integration: from the database in one transaction, then from each pack. Done again after it
 * was killed, wherever, it goes on.
 *
 * @returns null where another process holds the integration
 * @throws ConfigError where a run is to be finished first, or the key is missing or another
 */
export async function forget(
  context: Context,
  integration: IntegrationConfig,
  { sought, isDelivered }: ForgetOptions,
): Promise<Forgotten | null> {
  const keys = forgettingKeysOf(context, integration.id)
  const lock = await context.database.lock(integration.id)
  if (lock === null) return null
  try {
    const locked = { ...context, database: { ...context.database, transaction: lock.transaction } }
    await requireFinished(locked, integration.id)
    const at = (point: Point) => context.progress.at(integration.id, point)
    at('erasure begun')
    const erased = await eraseOnce(locked, integration, keys, sought)
    if (isDelivered) {
      await locked.database.transaction((transaction) => markDelivered(transaction, integration.id))
    }
    at('person erased')
    const packs = await reissuePacks(locked, integration.id)
    const onPlatform = await countOnPlatform(locked.database.kysely, integration.id)
    return { integration: integration.id, ...erased, onPlatform, packs }
  } finally {
    await lock.release()
  }
}

/** A run that is on its way would bring values of the person back from its own plan. */
async function requireFinished({ database }: Context, integrationId: string): Promise<void> {
  const [run] = await findRuns(database.kysely, { integrationId, statuses: ['applying', 'applied'] }, 1)
  if (run === undefined) return
  throw new ConfigError(
    `run ${run.run_id} of ${integrationId} is not finished; \`event-sync run ${integrationId}\` finishes it, then forget`,
  )
}

/** Whoever is known by an address from a source alone that the integration was bound to before. */
async function findFormer(
  db: Kysely<Tables>,
  integrationId: string,
  former: readonly AnyTransform[],
  sought: Sought,
): Promise<Person | null> {
  if ('id' in sought) return null
  for (const { people } of former) {
    const ids = await stagedIdsOf(db, integrationId, people, [sought.address])
    if (ids.length > 0) return { ids: [], addresses: [sought.address], sharing: 0 }
  }
  return null
}

/** Suppression and erasure in one transaction: there is no moment at which one is there without the other. */
function eraseOnce(
  context: Context,
  integration: IntegrationConfig,
  keys: ForgettingKeys,
  sought: Sought,
): Promise<Pick<Forgotten, 'status' | 'places' | 'sharing' | 'mentions'>> {
  const { id: integrationId } = integration
  const { transform } = sourceTypeOf(integration.source)
  const by = { user: context.environment.user, at: timestamp(context.environment) }
  return context.database.transaction(async (transaction) => {
    const before = await findForgotten(transaction, integrationId)
    requireSameKey(keys, integrationId, before.ids)
    const known = suppressionOf(before, keys, integration)
    const former = TRANSFORMS.filter((other) => other !== transform)
    const person =
      (await findPerson(transaction, integrationId, transform.people, sought)) ??
      (await findFormer(transaction, integrationId, former, sought))
    if (person === null) {
      const isAgain = 'id' in sought ? known.isId(sought.id) : known.isAddress(sought.address)
      return { status: isAgain ? 'again' : 'unknown', places: {}, sharing: 0, mentions: 0 }
    }
    await keepForgotten(transaction, integrationId, await toKeep(person), by)
    const after = await findForgotten(transaction, integrationId)
    const { sieve, tokenOf } = suppressionOf(after, keys, integration)
    const erasure = {
      integrationId,
      source: transform,
      tokens: new Map(person.ids.map((id) => [id, tokenOf(id) ?? id])),
      addresses: person.addresses,
      sieve,
    }
    const reached = await erase(transaction, erasure, { sources: former, newToken: keys.newToken })
    context.progress.at(integrationId, 'erasure written')
    const places = Object.fromEntries([...reached.places].sort())
    return { status: 'forgotten', places, sharing: person.sharing, mentions: reached.mentions }

    async function toKeep({ ids, addresses }: Person) {
      const there = await findPlatformIds(transaction, integrationId, ids)
      return {
        ids: ids.map((id) => {
          const token = keys.newToken()
          const sealedId = there.has(id) ? keys.seal(token, id) : null
          return { token, idMac: keys.macOfId(id), sealedId, keyCheck: keys.check }
        }),
        addressMacs: addresses.map(keys.macOfAddress),
      }
    }
  })
}
