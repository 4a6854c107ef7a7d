import type { Db } from '../../sql/tables.ts'
import { asAny, type StagingTables } from '../../transforms/resources/staging-tables.ts'
import { makeSuppressionFilter } from '../../transforms/rules/forgotten.ts'
import { makeRedaction } from '../../transforms/rules/redaction.ts'
import { eraseSuppressed } from '../ledger/suppressed.ts'
import { eraseChanges, eraseCustom, eraseDecisions, eraseItems } from './erase-items.ts'
import { eraseManifests, eraseRequests, markPacks } from './erase-ledger.ts'
import { eraseRecords, reduceRecords } from './erase-records.ts'
import type { Erasing, Erasure, FormerSources } from './erasure.ts'
import { type ErasureLog, makeErasureLog } from './erasure-log.ts'
import { dropHalfRead, makePlansStale } from './forgotten.ts'
import { stagedIdsOf } from './person.ts'

/** Erases a person from every table. Rows stay, so that counts still add up, with a token and the word `forgotten` in them. */
export async function erase(transaction: Db, erasure: Erasure, former: FormerSources): Promise<ErasureLog> {
  const { integrationId, tokens, addresses } = erasure
  const log = makeErasureLog()
  const erasing: Erasing = { ...erasure, transaction, redaction: makeRedaction(tokens), log }
  // Before they have tokens in place of their ids.
  const strange = await unstagedOf(transaction, integrationId, erasure.source.people.table, [
    ...tokens.keys(),
  ])
  await eraseRecords(erasing)
  await reduceRecords(erasing)
  await eraseFormer(erasing, strange, former)
  await eraseDecisions(erasing)
  await eraseItems(erasing)
  await eraseChanges(erasing)
  await eraseCustom(erasing)
  await eraseRequests(erasing)
  await eraseManifests(erasing)
  if (tokens.size > 0) {
    const { numDeletedRows } = await transaction
      .deleteFrom('sync.passwords')
      .where('integration_id', '=', integrationId)
      .where('unique_id', 'in', [...tokens.keys()])
      .executeTakeFirstOrThrow()
    log.add('sync.passwords', numDeletedRows)
  }
  const leftOut = await eraseSuppressed(transaction, integrationId, [...tokens.keys()], addresses)
  log.add('sync.suppressed', leftOut)
  // No run is under way: what one that died has left may hold anybody.
  await dropHalfRead(transaction, integrationId)
  await markPacks(transaction, integrationId, log)
  if (log.places.size > 0) await makePlansStale(transaction, integrationId)
  return log
}

/**
 * Erases the person from the records of sources before: by the address, since an id may well be somebody else's in another
 * source; by the id as well where no record of the present source ever had it.
 */
async function eraseFormer(
  erasing: Erasing,
  strange: readonly string[],
  { sources, newToken }: FormerSources,
): Promise<void> {
  const { transaction, integrationId, tokens: known, addresses } = erasing
  const isAddress = (address: string) => addresses.includes(address.trim().toLowerCase())
  for (const source of sources) {
    const ids = await stagedIdsOf(transaction, integrationId, source.people, addresses)
    const tokens = new Map([...strange, ...ids].map((id) => [id, known.get(id) ?? newToken()]))
    const isId = (id: string) => tokens.has(id)
    const filter = makeSuppressionFilter(source.people.shape(null), { isId, isAddress })
    const former: Erasing = { ...erasing, source, tokens, filter }
    await eraseRecords(former)
    await reduceRecords(former)
  }
}

async function unstagedOf(
  transaction: Db,
  integrationId: string,
  table: keyof StagingTables,
  ids: readonly string[],
): Promise<readonly string[]> {
  if (ids.length === 0) return []
  const rows = await transaction
    .selectFrom(asAny(table))
    .where('integration_id', '=', integrationId)
    .where('source_id', 'in', [...ids])
    .distinct()
    .select('source_id')
    .execute()
  const staged = new Set(rows.map(({ source_id }) => source_id))
  return ids.filter((id) => !staged.has(id))
}
