import type { Kysely } from 'kysely'
import type { Content, RunKey, Tables } from '../../sql/tables.ts'
import { currentAsOf } from '../../transforms/as-of.ts'
import { PLATFORM_FIELDS } from '../../transforms/platform-fields.ts'
import { readPages } from '../pages.ts'
import { type CsvCell, fieldCell } from './csv.ts'
import type { Mask } from './mask.ts'
import { upsertsBetween } from './planned-actions.ts'

const PAGE = 1000

/** Columns of `agenda.csv`, `speakers.csv` and `attendees.csv`. Source: design 9 (contract). */
export function itemColumns(content: Content): readonly string[] {
  return ['unique_id', 'action', ...PLATFORM_FIELDS[content].map(toSnakeCase)]
}

function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Items that the platform should have after the run, in the order of their unique IDs. */
export async function* itemRows(
  db: Kysely<Tables>,
  run: RunKey,
  content: Content,
  mask: Mask,
): AsyncGenerator<readonly (readonly CsvCell[])[]> {
  const fields = PLATFORM_FIELDS[content]
  const read = (after: string) => itemsAfter(db, run, content, after)
  for await (const page of readPages('', PAGE, read, ({ uniqueId }) => uniqueId))
    yield page.map((item) => [
      mask.id(item.uniqueId),
      item.action,
      ...fields.map((name) => fieldCell(mask.field(content, name, item.fields[name]))),
    ])
}

async function itemsAfter(db: Kysely<Tables>, run: RunKey, content: Content, after: string) {
  const items = await db
    .selectFrom('sync.desired_items as item')
    .where('item.integration_id', '=', run.integrationId)
    .where('item.content', '=', content)
    .where('item.unique_id', '>', after)
    .where(currentAsOf('item', run.runId))
    .orderBy('item.unique_id')
    .limit(PAGE)
    .select(['item.unique_id', 'item.fields'])
    .execute()
  const last = items.at(-1)?.unique_id ?? after
  const actions = await upsertsBetween(db, run, content, after, last)
  return items.map(({ unique_id: uniqueId, fields }) => ({
    uniqueId,
    fields,
    action: actions.get(uniqueId) ?? 'unchanged',
  }))
}
