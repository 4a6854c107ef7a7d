import type { Kysely } from 'kysely'
import type { Tables } from '../../sql/tables.ts'
import { makeSieve } from '../../transforms/rules/forgotten.ts'
import { makeRedaction } from '../../transforms/rules/redaction.ts'
import { dropLeftReadings } from '../staging/readings.ts'
import { eraseChanges, eraseDecisions, eraseItems } from './erase-items.ts'
import { eraseManifests, eraseRequests, markPacks } from './erase-ledger.ts'
import { eraseRecords, reduceRecords } from './erase-records.ts'
import type { Erasure, FormerSources } from './erasure.ts'
import { stagedIdsOf } from './person.ts'
import { makeReached, type Reached } from './reached.ts'

/**
 * Erases a person from every table of the database, in the transaction that it is given. Rows stay, so that counts,
 * history and plans still add up; what was the person in them is a token and the word `forgotten`.
 *
 * @returns what was found, by place
 */
export async function erase(
  transaction: Kysely<Tables>,
  erasure: Erasure,
  former: FormerSources,
): Promise<Reached> {
  const { integrationId, tokens } = erasure
  const reached = makeReached()
  const redaction = makeRedaction(tokens)
  await eraseRecords(transaction, erasure, reached)
  await reduceRecords(transaction, erasure, reached)
  await eraseFormer(transaction, erasure, former, reached)
  await eraseDecisions(transaction, erasure, reached)
  await eraseItems(transaction, erasure, redaction, reached)
  await eraseChanges(transaction, erasure, redaction, reached)
  await eraseRequests(transaction, erasure, reached)
  await eraseManifests(transaction, erasure, reached)
  if (tokens.size > 0) {
    const { numDeletedRows } = await transaction
      .deleteFrom('sync.passwords')
      .where('integration_id', '=', integrationId)
      .where('unique_id', 'in', [...tokens.keys()])
      .executeTakeFirstOrThrow()
    reached.add('sync.passwords', numDeletedRows)
  }
  // No run is under way: what one that died has left may hold anybody.
  await dropLeftReadings(transaction, integrationId, NO_RUN)
  await markPacks(transaction, integrationId, reached)
  if (reached.places.size > 0) {
    // A stored plan with the person in it must not be applied any more, and what was made of the person is made anew.
    await transaction
      .updateTable('sync.integrations')
      .set((eb) => ({ base: eb('base', '+', eb.lit(1)), transform_basis: null }))
      .where('integration_id', '=', integrationId)
      .execute()
  }
  return reached
}

/** By the address alone: an id may well be somebody else's in another source. */
async function eraseFormer(
  transaction: Kysely<Tables>,
  { integrationId, addresses }: Erasure,
  { sources, newToken }: FormerSources,
  reached: Reached,
): Promise<void> {
  const isAddress = (address: string) => addresses.includes(address.trim().toLowerCase())
  for (const source of sources) {
    const ids = await stagedIdsOf(transaction, integrationId, source.people, addresses)
    const tokens = new Map(ids.map((id) => [id, newToken()]))
    const sieve = makeSieve(source.people.shape(null), { isId: (id) => tokens.has(id), isAddress })
    const erasure = { integrationId, source, tokens, addresses, sieve }
    await eraseRecords(transaction, erasure, reached)
    await reduceRecords(transaction, erasure, reached)
  }
}

const NO_RUN = '00000000-0000-0000-0000-000000000000'
