import { itemsOf } from '../loaders/platform/http.ts'
import { replaceKnownItems } from '../loaders/platform/known-items.ts'
import { waitWithoutLimit } from '../sql/statements.ts'
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
  async function* pages() {
    for (const content of contents) yield* itemsOf(connection, content)
  }
  await run.step('refresh', () =>
    database.transaction(async (transaction) => {
      await waitWithoutLimit(transaction)
      await replaceKnownItems(transaction, run, contents, pages())
      progress.at(integrationId, 'items read back')
    }),
  )
  progress.at(integrationId, 'platform known')
}
