import type { Content, Db, RunKey } from '../../../sql/tables.ts'
import { type ChangedItem, changedItems } from '../csv-files/changes.ts'
import type { Mask } from '../csv-files/mask.ts'

const MOST_FIELDS = 500

/** The first changed fields of a run in the order of `changes.csv`, item by item. */
export async function readChanges(db: Db, run: RunKey, contents: readonly Content[], mask: Mask) {
  const first: ChangedItem[] = []
  let left = MOST_FIELDS
  for (const content of contents) {
    for await (const page of changedItems(db, run, content, mask)) {
      for (const item of page) {
        if (item.fields.length > 0) first.push({ ...item, fields: item.fields.slice(0, left) })
        left -= item.fields.length
        if (left <= 0) return first
      }
    }
  }
  return first
}
