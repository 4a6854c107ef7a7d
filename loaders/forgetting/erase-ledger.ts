import type { Kysely } from 'kysely'
import type { Tables } from '../../sql/tables.ts'
import type { Erasure } from './erasure.ts'
import { containing } from './like.ts'
import type { Reached } from './reached.ts'

/** Addresses that a source wrote into the address of a page. */
export async function eraseRequests(
  transaction: Kysely<Tables>,
  { integrationId, addresses }: Erasure,
  reached: Reached,
): Promise<void> {
  for (const form of addresses.flatMap(formsOf)) {
    const rows = await transaction
      .updateTable('sync.requests')
      .set((eb) => ({
        url: eb.fn<string>('regexp_replace', [
          'url',
          eb.val(asPattern(form)),
          eb.val('forgotten'),
          eb.val('gi'),
        ]),
      }))
      .where('integration_id', '=', integrationId)
      .where('url', 'ilike', containing(form))
      .returning('run_id')
      .execute()
    for (const { run_id } of rows) reached.run(run_id)
    reached.add('sync.requests', rows.length)
  }
}

/** Earlier manifests that hold such an address: their hash stays a link of the chain, their text goes. */
export async function eraseManifests(
  transaction: Kysely<Tables>,
  { integrationId, addresses }: Erasure,
  reached: Reached,
): Promise<void> {
  for (const form of addresses.flatMap(formsOf)) {
    const rows = await transaction
      .updateTable('sync.superseded_manifests')
      .set({ manifest: null, signature: null })
      .where('integration_id', '=', integrationId)
      .where('manifest', 'ilike', containing(form))
      .returning('run_id')
      .execute()
    for (const { run_id } of rows) reached.run(run_id)
    reached.add('sync.superseded_manifests', rows.length)
  }
}

/** An address as it is written, and as it stands in a URL. */
function formsOf(address: string): readonly string[] {
  return [...new Set([address, encodeURIComponent(address), encodeURI(address)])]
}

function asPattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** Notes which packs hold the person, so that they are written again whatever happens meanwhile. */
export async function markPacks(
  transaction: Kysely<Tables>,
  integrationId: string,
  { runs, spans }: Reached,
): Promise<void> {
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
