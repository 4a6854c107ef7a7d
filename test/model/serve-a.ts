import { isObject, type Json, render } from './json.ts'
import type { WireA } from './wire-shapes.ts'

/** Keys of the relations that are empty unless `$expand` names them. */
const RELATIONS: Readonly<Record<string, string>> = { Sessions: 'Speakers', Users: 'SpeakingAt' }

/** What Source A serves of one resource. */
export interface ServedA {
  readonly elements: readonly Json[]
  readonly wire: WireA
}

/** The records as they are in an answer that expands no relation: an empty list, not an absent key. */
export function unexpanded(resource: string, elements: readonly Json[]): readonly Json[] {
  const relation = RELATIONS[resource]?.toLowerCase()
  if (relation === undefined) return elements
  return elements.map((element) =>
    isObject(element)
      ? {
          members: element.members.map(
            ([key, value]) => [key, key.toLowerCase() === relation ? [] : value] as const,
          ),
        }
      : element,
  )
}

/** The body of one answer of Source A. */
export function answerA(url: URL, resource: string, { elements, wire }: ServedA): string {
  const asked = url.searchParams
  const expanded = (asked.get('$expand') ?? '').split(',').includes(RELATIONS[resource] ?? '')
  const all = expanded ? elements : unexpanded(resource, elements)
  const top = Number(asked.get('$top') ?? 1000)
  const from = Number(asked.get(wire.paging === 'next' ? '$skiptoken' : '$skip') ?? 0)
  const shown =
    wire.paging === 'all' && all.length < top ? all : all.slice(from, from + Math.min(top, wire.cap))
  const array = render(shown, wire.style)
  if (!wire.wrapped) return array
  const next = from + shown.length
  if (wire.paging !== 'next' || next >= all.length) return `{"odata.metadata":"x","value":${array}}`
  const link = JSON.stringify(nextLink(url, next, wire.nextIs))
  // Before or after the elements: the order of keys says nothing.
  return next % 2 === 0
    ? `{"value":${array},"${wire.nextKey}":${link}}`
    : `{"${wire.nextKey}":${link},"value":${array}}`
}

function nextLink(url: URL, next: number, nextIs: WireA['nextIs']): string {
  const following = new URL(url)
  following.searchParams.delete('$skip')
  following.searchParams.set('$skiptoken', String(next))
  if (nextIs === 'absolute') return following.href
  const path = following.pathname + following.search
  return nextIs === 'path' ? path : path.slice(path.lastIndexOf('/') + 1)
}
