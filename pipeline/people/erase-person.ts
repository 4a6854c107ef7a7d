import type { Kysely } from 'kysely'
import { erase } from '../../loaders/people/erase.ts'
import {
  findForgotten,
  findPlatformIds,
  keepForgotten,
  keepSealedIds,
  takeOverForgotten,
} from '../../loaders/people/forgotten.ts'
import { findPerson, type Person, type Sought, stagedIdsOf } from '../../loaders/people/person.ts'
import { findKnownResources } from '../../loaders/staging/incoming.ts'
import type { Tables } from '../../sql/tables.ts'
import { asAny } from '../../transforms/declare/resource.ts'
import type { AnyTransform } from '../../transforms/declare/source.ts'
import type { IntegrationConfig } from '../config/config.ts'
import { recordChangedKeys } from '../context/changed-keys.ts'
import { type ForgettingKeys, requireSameKey } from '../context/keys.ts'
import { recordAction } from '../context/record-action.ts'
import { type Context, timestamp } from '../context/run-context.ts'
import { sourceBindingOf, suppressionOf } from '../context/suppression.ts'
import { pointsOf } from '../runtime/events.ts'
import type { Erased } from '../schemas/people.ts'
import { UserError } from '../settings/errors.ts'
import { sourceTypeOf, transformsOf } from '../sources/registry.ts'

/**
 * Checks that the sources of all staged records are configured.
 *
 * @throws UserError if a source is missing, because the columns of its records are then unknown
 */
async function requireKnownSources(
  db: Kysely<Tables>,
  integrationId: string,
  sources: readonly AnyTransform[],
): Promise<void> {
  const tables = new Set<string>(sources.flatMap(({ resources }) => resources.map(({ table }) => table)))
  for (const { table, source } of await findKnownResources(db)) {
    if (tables.has(table)) continue
    const row = await db
      .selectFrom(asAny(table))
      .where('integration_id', '=', integrationId)
      .limit(1)
      .select('source_id')
      .executeTakeFirst()
    if (row === undefined) continue
    throw new UserError(
      'state',
      `${integrationId} was once read from a source called "${source}", which is not in the configuration`,
      'set source.type of an integration to its file, so that its records can be erased too',
    )
  }
}

/** Finds a person by e-mail address in the records of sources from which the integration read before. */
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

/**
 * Suppresses and erases a person in one transaction. After a crash, either both are done or nothing is done.
 *
 * @param reason reason that is stored in the log
 */
export function erasePerson(
  context: Context,
  integration: IntegrationConfig,
  keys: ForgettingKeys,
  sought: Sought,
  erasesIdMentions: boolean,
  reason: string | null = null,
): Promise<Erased> {
  const sourceBinding = sourceBindingOf(integration)
  const { integrationId, event } = sourceBinding
  const { transform } = sourceTypeOf(integration.source)
  const by = { user: context.environment.user, at: timestamp(context.environment) }
  return context.database.transaction(async (transaction) => {
    await takeOverForgotten(transaction, integrationId, event)
    const before = await findForgotten(transaction, integrationId)
    requireSameKey(keys, integrationId, [...before.ids, ...before.addresses])
    const known = suppressionOf(before, keys, integration)
    const former = transformsOf(context.config).filter((other) => other !== transform)
    await requireKnownSources(transaction, integrationId, [transform, ...former])
    const found =
      (await findPerson(transaction, sourceBinding, transform, sought)) ??
      (await findFormer(transaction, integrationId, former, sought))
    // Records of other people may still contain the id of a person who was forgotten before, or may contain
    // it again.
    const isOfOthers = 'id' in sought && known.isId(sought.id)
    const person = found ?? (isOfOthers ? { ids: [sought.id], addresses: [], sharing: 0 } : null)
    if (person === null) {
      const isAgain = 'address' in sought && known.isAddress(sought.address)
      return { status: isAgain ? 'again' : 'unknown', places: {}, sharing: 0, mentions: 0, idMentions: 0 }
    }
    await recordChangedKeys(transaction, context, integrationId)
    await keep(person)
    const after = await findForgotten(transaction, integrationId)
    const { filter, tokenOf } = suppressionOf(after, keys, integration)
    const erasure = {
      ...sourceBinding,
      source: transform,
      tokens: new Map(person.ids.map((id) => [id, tokenOf(id) ?? id])),
      addresses: person.addresses,
      filter,
      erasesIdMentions,
      // If the person was not found in any source, ids in records of former sources stay: a former source may
      // have given the same id to another person.
      formerSources: found === null ? [] : former,
      newToken: keys.newToken,
    }
    const erased = await erase(transaction, erasure)
    pointsOf(context.events, integrationId)('erasure written')
    const places = Object.fromEntries([...erased.rowsByTable].sort())
    const { mentions, idMentions } = erased
    const status = found === null && erased.rowsByTable.size === 0 ? 'again' : 'forgotten'
    if (status === 'forgotten') {
      const detail = person.ids.flatMap((id) => tokenOf(id) ?? []).join(', ') || null
      await recordAction(transaction, context, integrationId, 'forgotten', { reason, detail })
    }
    return { status, places, sharing: person.sharing, mentions, idMentions }

    /**
     * Stores the suppression of the person. If the person was already forgotten, perhaps in another
     * integration, the token stays the same.
     */
    async function keep({ ids, addresses }: Person): Promise<void> {
      const there = await findPlatformIds(transaction, integrationId, ids)
      const of = { forgottenIn: integrationId, keyCheck: keys.check }
      const people = {
        ids: ids
          .filter((id) => !known.isId(id))
          .map((id) => {
            const token = keys.newToken()
            const sealedId = there.has(id) ? keys.seal(token, id) : null
            return { ...of, token, idMac: keys.macOfId(id, of), sealedId }
          }),
        addresses: addresses
          .filter((address) => !known.isAddress(address))
          .map((address) => ({ ...of, addressMac: keys.macOfAddress(address, of) })),
      }
      await keepForgotten(transaction, integrationId, event, people, by)
      const sealed = [...there].flatMap((id) => {
        const token = known.tokenOf(id)
        return token === null ? [] : [[token, keys.seal(token, id)] as const]
      })
      await keepSealedIds(transaction, integrationId, new Map(sealed))
    }
  })
}
