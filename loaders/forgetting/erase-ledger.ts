import { z } from 'zod'
import type { Db } from '../../sql/tables.ts'
import { recordedAddress } from '../../transforms/rules/request-address.ts'
import type { Erasing, Erasure } from './erasure.ts'
import type { ErasureLog } from './erasure-log.ts'
import { containing } from './like.ts'

/** Ids and e-mail addresses that a source wrote into addresses of pages, which were kept there before version 0.2. */
export async function eraseRequests({ transaction, integrationId, tokens, addresses, log }: Erasing) {
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
        .where('integration_id', '=', integrationId)
        .where('run_id', '=', run_id)
        .where('resource', '=', resource)
        .where('page', '=', page)
        .execute()
      log.run(run_id)
      log.add('sync.requests', 1)
    }
  }
}

/** Earlier manifests with such an id or address: their hash stays a link of the chain, their text goes. */
export async function eraseManifests({ transaction, integrationId, tokens, addresses, log }: Erasing) {
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
        .where('integration_id', '=', integrationId)
        .where('run_id', '=', run_id)
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
export async function markPacks(transaction: Db, integrationId: string, { runs, spans }: ErasureLog) {
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
