import { isObject, type Json, type JsonObject, type JsonStyle, num, obj, render } from './json.ts'

/** How Source A serves one resource during one run. */
export interface WireA {
  readonly paging: 'skip' | 'all' | 'next'
  /** True if the list of records is wrapped as `{"value": …}`. */
  readonly wrapped: boolean
  readonly nextKey: '@odata.nextLink' | 'odata.nextLink'
  readonly nextIs: 'absolute' | 'path' | 'relative'
  /**
   * The query parameter by which the link to the next page names that page. A reader can notice that records
   * moved only if the parameter is `$skip`.
   */
  readonly nextBy: '$skiptoken' | '$skip'
  /** True if no further link follows after `$top` elements, as in OData. */
  readonly endsAtTop?: boolean
  /** Maximum number of elements in an answer; at least two, because two pages have one element in common. */
  readonly cap: number
  readonly style: JsonStyle
}

export interface WireB {
  readonly itemsAs: 'list' | 'object' | 'bare'
  /** Fields of the records: with `asked` the requested fields, id and name; with `all` all fields. */
  readonly fields: 'asked' | 'all'
  readonly cap: number
  readonly style: JsonStyle
  /**
   * How the source answers a request for the records with certain ids, `search=id=*in*…`; default:
   * `answered`.
   */
  readonly ids?: IdAnswer
}

/**
 * How a source answers a request for certain ids. With `cut`, the last record is missing in the answer and in
 * its total. With `refused`, the status is 400.
 */
export type IdAnswer = 'answered' | 'ignored' | 'cut' | 'refused'
export const ID_ANSWERS: readonly IdAnswer[] = ['answered', 'ignored', 'cut', 'refused']

/** Source A with its simplest answers: bare arrays, page by page. */
export const PLAIN_A: Omit<WireA, 'cap'> = {
  paging: 'skip',
  wrapped: false,
  nextKey: '@odata.nextLink',
  nextIs: 'absolute',
  nextBy: '$skiptoken',
  style: 'plain',
}
export const PLAIN_B: Omit<WireB, 'cap'> = { itemsAs: 'list', fields: 'asked', style: 'plain' }

/** The records of one resource, and the form in which a source serves these records. */
export interface Held<Wire> {
  readonly elements: readonly Json[]
  readonly wire: Wire
}

/**
 * The key of the related records, by resource. In an answer, the list of related records is empty if
 * `$expand` does not name its key.
 */
const RELATIONS: Readonly<Record<string, string>> = { Sessions: 'Speakers', Users: 'SpeakingAt' }

/**
 * Returns the records of an answer without `$expand`. The key of the related records is present, with an
 * empty list.
 */
export function unexpanded(resource: string, elements: readonly Json[]): readonly Json[] {
  const relation = RELATIONS[resource]?.toLowerCase()
  return elements.map((element) =>
    relation !== undefined && isObject(element)
      ? {
          members: element.members.map(
            ([key, value]) => [key, key.toLowerCase() === relation ? [] : value] as const,
          ),
        }
      : element,
  )
}

/** Returns the index, counted from 0, of the first element that a request to Source A wants. */
export function skipOf({ searchParams }: URL): number {
  return Number(searchParams.get('$skiptoken') ?? searchParams.get('$skip') ?? 0)
}

/**
 * Returns the elements of a page of Source A, beginning at the index `skip`; default: the requested index.
 */
export function sliceOfA(
  url: URL,
  elements: readonly Json[],
  cap: number,
  skip = skipOf(url),
): readonly Json[] {
  return elements.slice(skip, skip + Math.min(topOf(url), cap))
}

const topOf = ({ searchParams }: URL) => Number(searchParams.get('$top') ?? 1000)

/** Returns the records in the order that the request wants: unchanged, or reversed. */
export function orderedOfA({ searchParams }: URL, elements: readonly Json[]): readonly Json[] {
  return searchParams.get('$orderby') === 'Id desc' ? elements.toReversed() : elements
}

/** Returns the body of one answer of Source A. */
export function answerA(url: URL, resource: string, { elements, wire }: Held<WireA>): string {
  const expanded = (url.searchParams.get('$expand') ?? '').split(',').includes(RELATIONS[resource] ?? '')
  const ascending = expanded ? elements : unexpanded(resource, elements)
  const all = orderedOfA(url, ascending)
  const isWhole = wire.paging === 'all' && all.length < topOf(url)
  const shown = isWhole ? all : sliceOfA(url, all, wire.cap)
  const array = render(shown, wire.style)
  if (!wire.wrapped) return array
  const next = skipOf(url) + shown.length
  const left = wire.endsAtTop ? topOf(url) - shown.length : topOf(url)
  if (wire.paging !== 'next' || next >= all.length || left === 0)
    return `{"odata.metadata":"x","value":${array}}`
  const link = JSON.stringify(nextLink(url, next, left, wire))
  // The link is sometimes before and sometimes after the elements, because readers must not depend on the
  // order of keys.
  return next % 2 === 0
    ? `{"value":${array},"${wire.nextKey}":${link}}`
    : `{"${wire.nextKey}":${link},"value":${array}}`
}

function nextLink(url: URL, next: number, left: number, { nextIs, nextBy }: WireA): string {
  const following = new URL(url)
  following.searchParams.delete('$skip')
  following.searchParams.set(nextBy, String(next))
  if (url.searchParams.has('$top')) following.searchParams.set('$top', String(left))
  if (nextIs === 'absolute') return following.href
  const path = following.pathname + following.search
  return nextIs === 'path' ? path : path.slice(path.lastIndexOf('/') + 1)
}

const MOST_PER_PAGE = 1000

/** Returns the number, counted from 1, of the page that a request to Source B wants. */
export function pageOf({ searchParams }: URL): number {
  return Number(searchParams.get('page') ?? 1)
}

/** Returns the records in the order that the request wants: unchanged, or reversed. */
function orderedOfB({ searchParams }: URL, elements: readonly Json[]): readonly Json[] {
  return searchParams.get('sort') === '-id' ? elements.toReversed() : elements
}

/** Values that replace the true values in the envelope of Source B's answers. */
export interface Envelope {
  /** Number of the page that the source returns for every request. */
  readonly page?: number
  readonly currentPage?: number
  /** The total in the envelope; default: the number of elements. */
  readonly totalCount?: Json
  readonly pageCount?: Json
  /** Further members of the envelope as JSON text, for example `,"errors":[]`. */
  readonly beside?: string
  readonly items?: readonly Json[]
}

/** Returns the ids of the records that a request to Source B wants; null if the request wants all records. */
export function idsAskedFor({ searchParams }: URL): ReadonlySet<string> | null {
  const [, ids] = /^id=\*in\*(.+)$/.exec(searchParams.get('search') ?? '') ?? []
  return ids === undefined ? null : new Set(ids.split('|'))
}

function searched(url: URL, elements: readonly Json[], how: IdAnswer = 'answered'): readonly Json[] {
  const ids = idsAskedFor(url)
  if (ids === null || how === 'ignored') return elements
  const found = elements.filter((element) => ids.has(idTextOf(element)))
  return how === 'cut' ? found.slice(0, -1) : found
}

function idTextOf(element: Json): string {
  const id = isObject(element) ? element.members.find(([key]) => key === 'id')?.[1] : null
  return render(id ?? null).replaceAll('"', '')
}

/**
 * Returns the body of one answer of Source B. For a page number beyond the end, the answer is the last page
 * with the number of the last page.
 */
export function answerB(url: URL, { elements: held, wire }: Held<WireB>, said: Envelope = {}): string {
  const elements = searched(url, held, wire.ids)
  const fields = ['id', 'name', ...(url.searchParams.get('fields') ?? '').split(',')]
  const all =
    wire.fields === 'all'
      ? elements
      : elements.map((element) => (isObject(element) ? only(element, fields) : element))
  if (wire.itemsAs === 'bare') return render(orderedOfB(url, all), wire.style)
  const perPage = Math.min(Number(url.searchParams.get('per-page') ?? 20), wire.cap, MOST_PER_PAGE)
  const pageCount = Math.ceil(all.length / perPage)
  const page = Math.max(1, Math.min(said.page ?? pageOf(url), pageCount))
  const items = said.items ?? all.slice((page - 1) * perPage, page * perPage)
  const meta = obj({
    totalCount: said.totalCount === undefined ? num(all.length) : said.totalCount,
    pageCount: said.pageCount === undefined ? num(pageCount) : said.pageCount,
    currentPage: num(said.currentPage ?? page),
    perPage: num(perPage),
  })
  const list = render(wire.itemsAs === 'list' ? items : keyed(items), wire.style)
  return `{"items":${list},"_links":{"self":{"href":"x"}},"_meta":${render(meta)}${said.beside ?? ''}}`
}

function only({ members }: JsonObject, fields: readonly string[]): JsonObject {
  return { members: members.filter(([key]) => fields.includes(key)) }
}

/**
 * Makes an object with the elements by their id. An element whose id has occurred before gets another key.
 */
function keyed(elements: readonly Json[]): JsonObject {
  const seen = new Set<string>()
  return {
    members: elements.map((element, index) => {
      const text = idTextOf(element)
      const key = seen.has(text) ? `element ${index}` : text
      seen.add(key)
      return [key, element] as const
    }),
  }
}
