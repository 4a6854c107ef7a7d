import type { Content } from '../../sql/tables.ts'
import type { Fields } from '../traps/pack.ts'

/** Items by unique ID; `undefined` is a field that must not be there. */
export type Expected = Readonly<
  Record<Content, readonly (readonly [id: string, fields: Readonly<Record<string, unknown>>])[]>
>

/** Items in an order of their own, so that two lists of them can be compared. */
export function inOrder<Item>(
  items: Iterable<readonly [string, Item]>,
): readonly (readonly [string, Item])[] {
  return [...items].sort(([one], [other]) => (one < other ? -1 : 1))
}

/** What changes from one sync to the next, by `content id field`; null where there is no value. */
export function changesBetween(before: Expected, after: Expected): ReadonlyMap<string, readonly unknown[]> {
  const changes = new Map<string, readonly unknown[]>()
  for (const content of ['agenda', 'speakers', 'attendees'] as const) {
    const old = new Map<string, Fields>(before[content] as Iterable<readonly [string, Fields]>)
    for (const [id, fields] of after[content]) {
      for (const field of Object.keys(fields)) {
        const pair = [old.get(id)?.[field] ?? null, fields[field] ?? null]
        if (JSON.stringify(pair[0]) !== JSON.stringify(pair[1]))
          changes.set(`${content} ${id} ${field}`, pair)
      }
    }
  }
  return changes
}
