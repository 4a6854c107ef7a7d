import { keepSealedIds } from '../loaders/forgetting/platform.ts'
import { itemsOf } from '../loaders/platform/http.ts'
import { type PlatformItem, replaceKnownItems } from '../loaders/platform/known-items.ts'
import { waitWithoutLimit } from '../sql/statements.ts'
import { findSuppression } from './forgetting/suppression.ts'
import { connectPlatform } from './platform-connection.ts'
import type { RunContext } from './run-context.ts'

/**
 * Reads back what the platform has, where that was asked for or is not known: without it everything would be taken
 * for new, and what only the platform has would stay there for ever.
 *
 * Source: design 4, "State and time".
 */
export async function refresh(run: RunContext, isAsked: boolean): Promise<void> {
  const { database, integration, integrationId, progress } = run
  const { platform } = integration
  if (platform.type !== 'http') return
  const { contents_read_back: known } = await database.kysely
    .selectFrom('sync.integrations')
    .where('integration_id', '=', integrationId)
    .select('contents_read_back')
    .executeTakeFirstOrThrow()
  const contents = integration.content.filter((content) => isAsked || !known.includes(content))
  if (contents.length === 0) return
  const connection = connectPlatform(run, integration, platform)
  const suppression = await findSuppression(database.kysely, run, integration)
  const removable = new Map<string, Uint8Array>()
  async function* pages() {
    for (const content of contents) {
      for await (const page of itemsOf(connection, content)) {
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
      await replaceKnownItems(transaction, run, contents, pages())
      // The platform has to be told whom to remove.
      await keepSealedIds(transaction, integrationId, removable)
      progress.at(integrationId, 'items read back')
    }),
  )
  progress.at(integrationId, 'platform known')
}
