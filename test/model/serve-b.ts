import { isObject, type Json, type JsonObject, render } from './json.ts'
import type { WireB } from './wire-shapes.ts'

/** What Source B serves of one resource. */
export interface ServedB {
  readonly elements: readonly Json[]
  readonly wire: WireB
}

const MOST_PER_PAGE = 200

/** The body of one answer of Source B: of each record only the fields asked for, and id and name. */
export function answerB(url: URL, { elements, wire }: ServedB): string {
  const fields = ['id', 'name', ...(url.searchParams.get('fields') ?? '').split(',')]
  const all = elements.map((element) => (isObject(element) ? only(element, fields) : element))
  if (wire.itemsAs === 'bare') return render(all, wire.style)
  const perPage = Math.min(Number(url.searchParams.get('per-page') ?? 20), wire.cap, MOST_PER_PAGE)
  const page = Number(url.searchParams.get('page') ?? 1)
  const shown = all.slice((page - 1) * perPage, page * perPage)
  const meta = {
    totalCount: all.length,
    pageCount: Math.ceil(all.length / perPage),
    currentPage: page,
    perPage,
  }
  const items = wire.itemsAs === 'list' ? shown : keyed(shown)
  return `{"items":${render(items, wire.style)},"_links":{"self":{"href":"x"}},"_meta":${JSON.stringify(meta)}}`
}

function only({ members }: JsonObject, fields: readonly string[]): JsonObject {
  return { members: members.filter(([key]) => fields.includes(key)) }
}

/** Keyed by id, where it is one that no element before has; else by something else. */
function keyed(elements: readonly Json[]): JsonObject {
  const seen = new Set<string>()
  return {
    members: elements.map((element, index) => {
      const id = isObject(element) ? element.members.find(([key]) => key === 'id')?.[1] : null
      const text = render(id ?? null).replaceAll('"', '')
      const key = seen.has(text) ? `element ${index}` : text
      seen.add(key)
      return [key, element] as const
    }),
  }
}
