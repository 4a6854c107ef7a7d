import { contents } from './contract.ts'
import { type Reply, refusal } from './reply.ts'
import { compareBytes, type Store } from './store.ts'

/**
 * A page of the items of a content, as `#/$defs/items`.
 *
 * The cursor is the last unique ID given, not a count: items that come or go meanwhile move no others.
 */
export function listItems(store: Store, query: URLSearchParams, pageSize: number): Reply {
  const content = contents.find((name) => name === query.get('content'))
  const cursor = query.get('cursor')
  const after = cursor === null ? null : readCursor(cursor)
  const names = [...query.keys()]
  const isStrange = names.some((name, index) => !isParameter(name) || names.indexOf(name) !== index)
  if (content === undefined || after === undefined || isStrange) return refusal(400, 'invalid')

  const all = store.uniqueIds(content)
  const start = after === null ? 0 : firstAfter(all, after)
  const page = all.slice(start, start + pageSize)
  const last = page.at(-1)
  return {
    status: 200,
    body: {
      items: page.map((uniqueId) => ({ uniqueId, fields: store.item(content, uniqueId)?.fields ?? {} })),
      next: last === undefined || start + pageSize >= all.length ? null : writeCursor(last),
      fence: Math.max(0, ...[...store.fences.values()].map(({ fence }) => fence)),
      total: all.length,
    },
  }
}

function isParameter(name: string): boolean {
  return name === 'content' || name === 'cursor'
}

function firstAfter(sorted: readonly string[], uniqueId: string): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareBytes(sorted[middle] ?? '', uniqueId) > 0) high = middle
    else low = middle + 1
  }
  return low
}

function writeCursor(uniqueId: string): string {
  return Buffer.from(uniqueId).toString('base64url')
}

/** Undefined where it is none that was given out. */
function readCursor(cursor: string): string | undefined {
  const uniqueId = Buffer.from(cursor, 'base64url').toString()
  return uniqueId !== '' && writeCursor(uniqueId) === cursor ? uniqueId : undefined
}
