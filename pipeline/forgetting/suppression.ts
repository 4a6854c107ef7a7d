import type { Kysely } from 'kysely'
import { type ForgottenPeople, findForgotten } from '../../loaders/forgetting/forgotten.ts'
import type { PlatformItem } from '../../loaders/platform/target.ts'
import type { Tables } from '../../sql/tables.ts'
import { type Known, makeSieve, type Sieve } from '../../transforms/rules/forgotten.ts'
import { makeRedaction } from '../../transforms/rules/redaction.ts'
import type { IntegrationConfig } from '../config.ts'
import { sourceTypeOf } from '../extract/connect.ts'
import type { BaseContext } from '../run-context.ts'
import { type ForgettingKeys, forgettingKeysOf, requireSameKey } from './keys.ts'

/** How people who were forgotten are kept out. */
export interface Suppression extends Known {
  readonly keys: ForgettingKeys
  readonly sieve: Sieve
  /** What stands in place of the id; null where it was not forgotten. */
  tokenOf(id: string): string | null
  /** An item that was read back from the platform, as it is known here. */
  ofPlatform(item: PlatformItem): PlatformItem
}

/**
 * Opens what keeps forgotten people out of an integration.
 *
 * @returns null where nobody was forgotten, which is all that it costs then
 * @throws ConfigError where their key is missing, or another one is configured
 */
export async function findSuppression(
  db: Kysely<Tables>,
  context: BaseContext,
  integration: IntegrationConfig,
): Promise<Suppression | null> {
  const people = await findForgotten(db, integration.id)
  if (people.ids.length === 0 && people.addressMacs.length === 0) return null
  const keys = forgettingKeysOf(context, integration.id)
  requireSameKey(keys, integration.id, people.ids)
  return suppressionOf(people, keys, integration)
}

export function suppressionOf(
  people: ForgottenPeople,
  keys: ForgettingKeys,
  { source }: Pick<IntegrationConfig, 'source'>,
): Suppression {
  const inHex = (mac: Uint8Array) => Buffer.from(mac).toString('hex')
  const tokens = new Map(people.ids.map(({ idMac, token }) => [inHex(idMac), token]))
  const addresses = new Set(people.addressMacs.map(inHex))
  const tokenOf = (id: string) => tokens.get(inHex(keys.macOfId(id))) ?? null
  const known: Known = {
    isId: (id) => tokenOf(id) !== null,
    isAddress: (address) => addresses.has(inHex(keys.macOfAddress(address))),
  }
  const shape = sourceTypeOf(source).transform.people.shape(source)
  const { ofPerson, ofOther } = makeRedaction({ get: (id) => tokenOf(id) ?? undefined })
  return {
    ...known,
    keys,
    tokenOf,
    sieve: makeSieve(shape, known),
    ofPlatform({ content, uniqueId, fields }) {
      const token = content === 'agenda' ? null : tokenOf(uniqueId)
      return token === null
        ? { content, uniqueId, fields: ofOther(fields) }
        : { content, uniqueId: token, fields: ofPerson(content, fields) }
    },
  }
}
