import { z } from 'zod'
import { ofRun } from '../../sql/conditions.ts'
import type { Db } from '../../sql/tables.ts'
import { asAny, type StagingTables } from '../../transforms/resources/staging-tables.ts'
import { makeRedaction, makeSuppressionFilter, recordedAddress } from '../../transforms/rules/people.ts'
import { eraseSuppressed } from '../ledger/suppressed.ts'
import { eraseChanges, eraseCustom, eraseDecisions, eraseItems } from './erase-items.ts'
import { eraseMentions, eraseRecords } from './erase-records.ts'
import {
  containing,
  type Erasing,
  type Erasure,
  type ErasureLog,
  type FormerSources,
  makeErasureLog,
} from './erasure.ts'
import { dropHalfRead, makePlansStale } from './forgotten.ts'
import { stagedIdsOf } from './person.ts'

/** Erases a person from every table. Rows stay, so that counts still add up, with a token and the word `forgotten` in them. */
export async function erase(transaction: Db, erasure: Erasure, former: FormerSources): Promise<ErasureLog> {
  const { integrationId, tokens, addresses } = erasure
  const log = makeErasureLog()
  const erasing: Erasing = { ...erasure, transaction, redaction: makeRedaction(tokens), log }
  // Before they have tokens in place of their ids.
  const neverStaged = await neverStagedOf(transaction, integrationId, erasure.source.people.table, [
    ...tokens.keys(),
  ])
  await eraseRecords(erasing)
  await eraseMentions(erasing)
  await eraseFormer(erasing, neverStaged, former)
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
  const leftOut = await eraseSuppressed(transaction, erasure, [...tokens.keys()], addresses)
  log.add('sync.suppressed', leftOut)
  // No run is under way: what one that died has left may hold anybody.
  await dropHalfRead(transaction, integrationId)
  await markPacks(transaction, integrationId, log)
  if (log.rowsByTable.size > 0) await makePlansStale(transaction, integrationId)
  return log
}

/**
 * Erases the person from the records of sources before: by the address, since an id may well be somebody else's in another
 * source; by the id as well where no record of the present source ever had it.
 */
async function eraseFormer(
  erasing: Erasing,
  neverStaged: readonly string[],
  { sources, newToken }: FormerSources,
): Promise<void> {
  const { transaction, integrationId, tokens: known, addresses } = erasing
  const isAddress = (address: string) => addresses.includes(address.trim().toLowerCase())
  for (const source of sources) {
    const ids = await stagedIdsOf(transaction, integrationId, source.people, addresses)
    const tokens = new Map([...neverStaged, ...ids].map((id) => [id, known.get(id) ?? newToken()]))
    const isId = (id: string) => tokens.has(id)
    const filter = makeSuppressionFilter(source.people.keys(null), { isId, isAddress })
    const former: Erasing = { ...erasing, source, tokens, filter }
    await eraseRecords(former)
    await eraseMentions(former)
  }
}

async function neverStagedOf(
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

/** Ids and e-mail addresses that a source wrote into addresses of pages, which were kept there before version 0.2. */
async function eraseRequests({ transaction, integrationId, tokens, addresses, log }: Erasing) {
  for (const form of formsIn({ tokens, addresses })) {
    const rows = await transaction
      .selectFrom('sync.requests')
      .where('integration_id', '=', integrationId)
      .where('url', 'ilike', containing(form))
      .select(['run_id', 'resource', 'page', 'url'])
      .execute()
    for (const { run_id, resource, page, url } of rows) {
      const recorded = withoutPerson(url, form)
      if (recorded === url) continue
      await transaction
        .updateTable('sync.requests')
        .set({ url: recorded })
        .$call(ofRun({ integrationId, runId: run_id }))
        .where(({ and }) => and({ resource, page }))
        .execute()
      log.run(run_id)
      log.add('sync.requests', 1)
    }
  }
}

/** Earlier manifests with such an id or address: their hash stays a link of the chain, their text goes. */
async function eraseManifests({ transaction, integrationId, tokens, addresses, log }: Erasing) {
  for (const form of formsIn({ tokens, addresses })) {
    const rows = await transaction
      .selectFrom('sync.superseded_manifests')
      .where('integration_id', '=', integrationId)
      .where('manifest', 'ilike', containing(form))
      .select(['run_id', 'manifest', 'sha256'])
      .execute()
    for (const { run_id, manifest, sha256 } of rows) {
      if (manifest === null || !hasForm(manifest, form)) continue
      await transaction
        .updateTable('sync.superseded_manifests')
        .set({ manifest: null, signature: null })
        .$call(ofRun({ integrationId, runId: run_id }))
        .where('sha256', '=', sha256)
        .execute()
      log.run(run_id)
      log.add('sync.superseded_manifests', 1)
    }
  }
}

/** Whether a request of a manifest has an id or an address in what is left out of addresses by now. */
function hasForm(manifest: string, form: string): boolean {
  const { requests } = manifestSchema.parse(JSON.parse(manifest))
  return requests.some(
    ({ url }) => url.toLowerCase().includes(form.toLowerCase()) && withoutPerson(url, form) !== url,
  )
}

/** Short ids may be part of any path; an e-mail address is nothing else. */
function withoutPerson(url: string, form: string): string {
  const recorded = recordedAddress(url)
  return /@|%40/.test(form) ? recorded.replace(new RegExp(RegExp.escape(form), 'gi'), 'forgotten') : recorded
}

const manifestSchema = z.object({ requests: z.array(z.object({ url: z.string() })) })

/** Ids and addresses of the person, as they are written, and as they are in a URL. */
function formsIn({ tokens, addresses }: Pick<Erasure, 'tokens' | 'addresses'>): readonly string[] {
  return [...new Set([...tokens.keys(), ...addresses].flatMap(formsOf))]
}

function formsOf(address: string): readonly string[] {
  return [...new Set([address, encodeURIComponent(address), encodeURI(address)])]
}

/** Notes which packs hold the person, so that they are written again whatever happens meanwhile. */
async function markPacks(transaction: Db, integrationId: string, { runs, spans }: ErasureLog) {
  if (runs.size === 0 && spans.length === 0) return
  await transaction
    .updateTable('sync.runs')
    .set({ reissue_due: true })
    .where('integration_id', '=', integrationId)
    .where('manifest_sha256', 'is not', null)
    .where('purged_at', 'is', null)
    .where((eb) =>
      eb.or([
        ...(runs.size === 0 ? [] : [eb('run_id', 'in', [...runs])]),
        ...spans.map(({ from, to }) =>
          to === null ? eb('run_id', '>=', from) : eb.and([eb('run_id', '>=', from), eb('run_id', '<', to)]),
        ),
      ]),
    )
    .execute()
}
