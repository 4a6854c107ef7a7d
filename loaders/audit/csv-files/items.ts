import type { Content, CustomFields, Db, RunKey } from '../../../sql/tables.ts'
import { flatFields } from '../../../transforms/declare/field-values.ts'
import { currentAsOf } from '../../../transforms/history/as-of.ts'
import { PLATFORM_FIELDS } from '../../../transforms/registry/platform-fields.ts'
import { customNames } from '../../../transforms/resources/custom-fields.ts'
import { readPages } from '../../ledger/pages.ts'
import { fieldCell } from './csv.ts'
import type { Mask } from './mask.ts'
import { upsertsBetween } from './planned-actions.ts'

const PAGE = 1000

/** Items that the platform should have after the run, in the order of their unique IDs. */
export async function* itemRows(db: Db, run: RunKey, content: Content, custom: CustomFields, mask: Mask) {
  const fields = [...PLATFORM_FIELDS[content], ...customNames(custom, content)]
  const read = (after: string) => itemsAfter(db, run, content, after)
  for await (const page of readPages('', PAGE, read, ({ uniqueId }) => uniqueId))
    yield page.map((item) => [
      mask.id(item.uniqueId),
      item.action,
      ...fields.map((name) => fieldCell(mask.field(content, name, item.fields[name]))),
    ])
}

async function itemsAfter(db: Db, run: RunKey, content: Content, after: string) {
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
    fields: flatFields(fields),
    action: actions.get(uniqueId) ?? 'unchanged',
  }))
}
