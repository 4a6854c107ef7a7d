import type { Db } from '../../sql/tables.ts'
import { addressKey } from '../../transforms/rules/addresses.ts'
import { makeRedaction, makeSuppressionFilter } from '../../transforms/rules/people.ts'
import { makePlansStale } from '../ledger/stored-plan.ts'
import { hasRow } from './erase-rows.ts'
import { type Erasing, type Erasure, type ErasureLog, makeErasureLog, type Place } from './erasure.ts'
import { markForReissue } from './forgotten.ts'
import { stagedIdsOf } from './person.ts'
import { PLACES, placesOfRecords, stagedPlaces } from './personal-data-places.ts'

/**
 * Erases a person from every table. Most rows stay so that counts still add up; their values become a token
 * or the word `forgotten`.
 */
export async function erase(transaction: Db, erasure: Erasure): Promise<ErasureLog> {
  const { integrationId, tokens, source } = erasure
  const log = makeErasureLog()
  const erasing: Erasing = { ...erasure, transaction, redaction: makeRedaction(tokens), log }
  // The query for ids that were never staged must run before tokens replace the ids in the tables.
  const neverStaged: string[] = []
  for (const id of tokens.keys()) if (!(await hasRow(erasing, stagedPlaces(source), id))) neverStaged.push(id)
  await eraseIn(erasing, placesOfRecords(source))
  await eraseFormer(erasing, neverStaged)
  const others = PLACES.filter(({ among }) => among !== 'resource')
  await eraseIn(erasing, others)
  for (const loss of log.losses)
    for (const [place, step] of stepsOf(others)) await step.eraseLost?.(erasing, place, loss)
  await markPacks(transaction, integrationId, log)
  if (log.rowsByTable.size > 0) await makePlansStale(transaction, integrationId)
  return log
}

async function eraseIn(erasing: Erasing, places: readonly Place[]): Promise<void> {
  for (const [place, step] of stepsOf(places)) await step.erase(erasing, place)
}

function stepsOf(places: readonly Place[]) {
  return places.flatMap((place) =>
    'why' in place.forget ? [] : place.forget.map((step) => [place, step] as const),
  )
}

/**
 * Erases the person from the records of sources that the integration read formerly. In former sources, the
 * person is searched by address, because the same id may belong to someone else there. In former sources, ids
 * that no record of the current source ever had are searched too.
 */
async function eraseFormer(erasing: Erasing, neverStaged: readonly string[]): Promise<void> {
  const { transaction, integrationId, tokens: known, addresses } = erasing
  const isAddress = (address: string) => addresses.includes(addressKey(address))
  for (const source of erasing.formerSources) {
    const ids = await stagedIdsOf(transaction, integrationId, source.people, addresses)
    const tokens = new Map([...neverStaged, ...ids].map((id) => [id, known.get(id) ?? erasing.newToken()]))
    const isId = (id: string) => tokens.has(id)
    const filter = makeSuppressionFilter(source.people.keys(null), { isId, isAddress })
    await eraseIn({ ...erasing, source, tokens, filter }, placesOfRecords(source))
  }
}

/**
 * Marks the packs that contain values of the person. Marked packs are written again, even if the process
 * crashes now.
 */
async function markPacks(transaction: Db, integrationId: string, { runs, spans }: ErasureLog): Promise<void> {
  await markForReissue(transaction, integrationId, (eb) =>
    eb.or([
      ...[...runs].map((run) => eb('run_id', '=', run)),
      ...spans.map(({ from, to }) =>
        to === null ? eb('run_id', '>=', from) : eb.and([eb('run_id', '>=', from), eb('run_id', '<', to)]),
      ),
    ]),
  )
}
