import type { Kysely } from 'kysely'
import { type SourceBinding, type SourceEvent, sourceEventOf } from '../../loaders/ledger/binding.ts'
import { type ForgottenPeople, findForgotten } from '../../loaders/people/forgotten.ts'
import type { PlatformItem } from '../../loaders/platform/target.ts'
import type { Tables } from '../../sql/tables.ts'
import { type ForgottenLookup, makeRedaction, makeSuppressionFilter } from '../../transforms/rules/people.ts'
import type { IntegrationConfig } from '../config/config.ts'
import { sourceTypeOf } from '../sources/registry.ts'
import { type ForgettingKeys, forgettingKeysOf, requireSameKey, type SumOrigin } from './keys.ts'
import type { BaseContext } from './run-context.ts'

/** Functions that recognise forgotten people and keep them out of plans and output. */
export type Suppression = ReturnType<typeof suppressionOf>

/**
 * Loads the suppressions of an integration.
 *
 * @returns null if nobody was forgotten
 * @throws ConfigError if the sealing key is missing, or if another key is configured
 */
export async function findSuppression(
  db: Kysely<Tables>,
  context: BaseContext,
  integration: IntegrationConfig,
): Promise<Suppression | null> {
  const people = await findForgotten(db, integration.id)
  if (people.ids.length === 0 && people.addresses.length === 0) return null
  const keys = forgettingKeysOf(context, integration.id)
  requireSameKey(keys, integration.id, [...people.ids, ...people.addresses])
  return suppressionOf(people, keys, integration)
}

export function eventReadBy({ source }: Pick<IntegrationConfig, 'source'>): SourceEvent {
  return sourceEventOf({ source: source.type, source_url: source.url, source_event_id: source.eventId })
}

export function sourceBindingOf(integration: Pick<IntegrationConfig, 'id' | 'source'>): SourceBinding {
  return { integrationId: integration.id, event: eventReadBy(integration) }
}

/** Returns the distinct origins of hashes (integration and key). */
export function originsOf(of: readonly SumOrigin[]): readonly SumOrigin[] {
  const keyOf = ({ forgottenIn, keyCheck }: SumOrigin) =>
    `${Buffer.from(keyCheck).toString('hex')} ${forgottenIn}`
  return [...new Map(of.map((one) => [keyOf(one), one])).values()]
}

export function suppressionOf(
  people: ForgottenPeople,
  keys: ForgettingKeys,
  { source }: Pick<IntegrationConfig, 'source'>,
) {
  const inHex = (mac: Uint8Array) => Buffer.from(mac).toString('hex')
  const tokens = new Map(people.ids.map(({ idMac, token }) => [inHex(idMac), token]))
  const addresses = new Set(people.addresses.map(({ addressMac }) => inHex(addressMac)))
  const origins = originsOf([...people.ids, ...people.addresses])
  /**
   * Returns the random token that replaces the id of a forgotten person; null if the id belongs to nobody who
   * was forgotten.
   */
  const tokenOf = (id: string): string | null => {
    for (const origin of origins) {
      const token = tokens.get(inHex(keys.macOfId(id, origin)))
      if (token !== undefined) return token
    }
    return null
  }
  const lookup: ForgottenLookup = {
    isId: (id) => tokenOf(id) !== null,
    isAddress: (address) =>
      origins.some((origin) => addresses.has(inHex(keys.macOfAddress(address, origin)))),
  }
  const { ofPerson, ofOther } = makeRedaction({ get: (id) => tokenOf(id) ?? undefined })
  return {
    ...lookup,
    keys,
    tokenOf,
    filter: makeSuppressionFilter(sourceTypeOf(source).transform.people.keys(source), lookup),
    /** Returns an item of the platform in which tokens replace the ids of forgotten people. */
    ofPlatform({ content, uniqueId, fields }: PlatformItem): PlatformItem {
      const token = content === 'agenda' ? null : tokenOf(uniqueId)
      return token === null
        ? { content, uniqueId, fields: ofOther(fields) }
        : { content, uniqueId: token, fields: ofPerson(content, fields) }
    },
  }
}
