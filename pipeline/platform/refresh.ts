import { keepSealedIds } from '../../loaders/forgetting/platform.ts'
import { replaceKnownItems } from '../../loaders/platform/known-items.ts'
import type { PlatformItem, PlatformReader } from '../../loaders/platform/target.ts'
import { waitWithoutLimit } from '../../sql/statements.ts'
import { findSuppression } from '../forgetting/suppression.ts'
import type { RunContext } from '../run-context.ts'
import { readerOf } from './connect.ts'

/**
 * Reads back what the platform has, where that was asked for or is not known: without it everything would be taken
 * for new, and what only the platform has would stay there for ever.
 *
 * Source: design 4, "State and time".
 */
export async function refresh(run: RunContext, isAsked: boolean): Promise<void> {
  const { database, integration, integrationId, progress } = run
  const reader = readerOf(run, integration)
  if (reader === null) return
  const { contents_read_back: known } = await database.kysely
    .selectFrom('sync.integrations')
    .where('integration_id', '=', integrationId)
    .select('contents_read_back')
    .executeTakeFirstOrThrow()
  const contents = integration.content.filter((content) => isAsked || !known.includes(content))
  if (contents.length === 0) return
  const suppression = await findSuppression(database.kysely, run, integration)
  const removable = new Map<string, Uint8Array>()
  async function* pages(platform: PlatformReader) {
    for (const content of contents) {
      for await (const page of platform.itemsOf(content)) {
        yield suppression === null ? page : { ...page, items: page.items.map(hidden) }
      }
    }
  }
  function hidden(item: PlatformItem): PlatformItem {
    const known = suppression?.ofPlatform(item) ?? item
    const { uniqueId: token } = known
    if (suppression !== null && token !== item.uniqueId) {
      removable.set(token, suppression.keys.seal(token, item.uniqueId))
    }
    return known
  }
  await run.step('refresh', () =>
    database.transaction(async (transaction) => {
      await waitWithoutLimit(transaction)
      await replaceKnownItems(transaction, run, contents, pages(reader))
      // The platform has to be told whom to remove.
      await keepSealedIds(transaction, integrationId, removable)
      progress.at(integrationId, 'items read back')
    }),
  )
  progress.at(integrationId, 'platform known')
}
