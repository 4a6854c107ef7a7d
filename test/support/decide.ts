import type { Content, Fields } from '../../sql/tables.ts'
import { makeDesired } from '../../transforms/decide/desired.ts'
import type { SourceTransform } from '../../transforms/declare/source.ts'
import type { Engine } from './engines.ts'
import { INTEGRATION, insertStaged, runId, type StagedRows } from './staged.ts'
import { takenBack, useDatabase } from './use-database.ts'

export const ALL_CONTENTS: readonly Content[] = ['agenda', 'speakers', 'attendees']

/** The platform fields of items, by content and unique ID. */
export type Items = Readonly<Record<Content, Readonly<Record<string, Fields>>>>

/** Runs a transform with staged rows on a real engine, and rolls back all changes afterwards. */
export function useTransform<Options>(
  engine: Engine,
  transform: SourceTransform<Options>,
): (rows: StagedRows, options: Options) => Promise<Items> {
  const database = useDatabase(engine)
  return (rows, options) =>
    takenBack(database(), async (transaction) => {
      await insertStaged(transaction, rows)
      const scope = { integrationId: INTEGRATION, contents: ALL_CONTENTS, options }
      await makeDesired(transaction, transform, scope, runId(1), true)
      const items = await transaction
        .selectFrom('sync.desired_items')
        .where('integration_id', '=', INTEGRATION)
        .selectAll()
        .execute()
      const of = (content: Content) =>
        Object.fromEntries(
          items
            .filter((item) => item.content === content)
            .map(({ unique_id, fields }) => [unique_id, fields]),
        )
      return { agenda: of('agenda'), speakers: of('speakers'), attendees: of('attendees') }
    })
}
