import { isJsonObject, type Json, type JsonObject, parseJson } from '../../../transforms/rules/values.ts'
import { linksOf } from './link-header.ts'

/** The numbers of records and pages that an answer states in addition to its records. */
export interface Said {
  /**
   * Number of records that the source declares. If the source declares several numbers, this value is the
   * largest number.
   */
  readonly records: number | null
  /** Number of records that a header declares. */
  readonly total: number | null
  /**
   * Number of pages that the source declares. The number is null if the declared records need at least as
   * many pages.
   */
  readonly pages: number | null
  /** Address of the next page. */
  readonly next: string | null
  /**
   * Name of the member or header that says that more records follow, for example `has_more`. The name is null
   * if nothing says that more records follow.
   */
  readonly more: string | null
}

interface Headers {
  get(name: string): string | null
}

// Keys are compared in lower case, without `@`, `_`, `-`, `.` and `:`, and without `odata` at the beginning.
const FAILURES = /^errors?$/
const COUNTS =
  /^(?:(?:(?:record|item|result|object)s?)?count|(?:record|item|result)s?total|(?:hydra)?total(?:count|records?|items|results|resources|elements|entries|rows|hits|size)?)$/
const PAGES = /^(?:pages|pagecount|numpages|totalpages|lastpage)$/
const PAGE_SIZES = /^(?:perpage|pagesize|itemsperpage)$/
const FLAGS =
  /^(?:(?:has)?more(?:results|records|items|pages|available)?|has(?:next|nextpage)|(?:is)?(?:truncated|incomplete|partial)|incompleteresults|exceededtransferlimit|timedout)$/
const END_FLAGS = /^(?:(?:is)?(?:complete|last|lastpage)|endofrecords|done)$/
const LINKS = /^next(?:page|records)?(?:link|url|uri|href)$/
const TOKENS =
  /^(?:next(?:page|pagetoken|token|cursor|marker|offset|continuationtoken)?|continu(?:e|ation|ationtoken)|resumptiontoken|lastevaluatedkey)$/
/** Objects in an answer that may contain statements about its records or pages. They may be nested. */
const METAS =
  /^(?:meta|metadata|paging|pagination|paginator|pager|page|pageinfo|resultinfo|cursors?|responsemetadata)$/
const LINKED = /^links?$/
const STATEMENTS = [FAILURES, PAGES, PAGE_SIZES, FLAGS, END_FLAGS, LINKS, TOKENS, METAS, LINKED]
const MOST_AROUND = 3

const PREFIXES = ['', 'x-', 'x-pagination-', 'pagination-', 'x-wp-', 'x-page-', 'x-result-']
const headerNames = (...names: readonly string[]) =>
  PREFIXES.flatMap((prefix) => names.map((name) => `${prefix}${name}`))
const TOTAL_HEADERS = [
  ...headerNames('total', 'total-count', 'totalcount', 'total-records', 'total-items'),
  ...headerNames('total-results', 'total-elements'),
]
const COUNT_HEADERS = headerNames('count', 'record-count', 'item-count', 'result-count')
const PAGE_COUNT_HEADERS = headerNames('page-count', 'pagecount', 'total-pages', 'totalpages')
const PAGE_SIZE_HEADERS = headerNames('per-page', 'page-size')
const MORE_HEADERS = [
  ...headerNames('has-more', 'has-next', 'next-page', 'next-page-token', 'next-cursor', 'truncated'),
  ...['x-next', 'x-next-link'],
  ...['x-continuation-token', 'x-ms-continuation', 'x-ms-continuationtoken'],
]

function plainKey(key: string): string {
  return key
    .toLowerCase()
    .replaceAll(/[@_.:-]/g, '')
    .replace(/^odata/, '')
}

/**
 * Returns true if a key declares a number of records. The key may contain the key of the list, in the
 * singular or plural: `totalSessions`, `session_count`.
 */
function isCount(key: string, list: string | null): boolean {
  const plain = plainKey(key)
  if (COUNTS.test(plain)) return true
  if (list === null) return key.endsWith('@odata.count')
  return (
    key === `${list}@odata.count` || COUNTS.test(plain.replace(plainKey(list).replace(/s$/, ''), 'record'))
  )
}

/**
 * Returns true if a member of an answer with several lists may describe the list that is read. A total
 * without the name of a list may be the total of another list. It is kept, because without it a part of the
 * list would count as the whole list.
 *
 * @param isList true if the value of the member is a list; of such members, only lists of errors are read,
 *   because a list may be long
 */
export function isStatement(key: string, list: string, isList: boolean): boolean {
  const plain = plainKey(key)
  if (isList) return FAILURES.test(plain)
  return isCount(key, list) || STATEMENTS.some((keys) => keys.test(plain))
}

/** Returns the key beside the list with which an answer states an error; null if there is no such key. */
export function failureIn(members: JsonObject): string | null {
  const [key = null] =
    membersIn(members, METAS).find(([name, value]) => FAILURES.test(plainKey(name)) && isSaid(value)) ?? []
  return key
}

/** Lists the members of an answer. An object such as `meta` is replaced by its own members. */
function membersIn(members: JsonObject, around: RegExp, depth = MOST_AROUND): readonly Member[] {
  return Object.entries(members).flatMap(([key, value]): readonly Member[] => {
    const plain = plainKey(key)
    if (LINKED.test(plain) && Array.isArray(value)) return value.flatMap(nextIn)
    const isAround = depth > 0 && isJsonObject(value) && (around.test(plain) || METAS.test(plain))
    return isAround ? membersIn(value, around, depth - 1) : [[key, value]]
  })
}

/** Returns the link of an object if it leads to the next page: `{"rel": "next", "href": "…"}`. */
function nextIn(link: Json): readonly Member[] {
  if (!isJsonObject(link) || !/^next$/i.test(String(link.rel ?? link.relation))) return []
  return [['next', { href: link.href ?? link.url ?? null }]]
}

/**
 * Reads what an answer states in the members around its list and in its headers.
 *
 * @param list key of the list, if the source names it
 */
export function saidIn(members: JsonObject, headers: Headers, list: string | null = null): Said {
  const all = [members, ...inHeaders(headers)].flatMap((part) => membersIn(part, LINKED))
  const under = (keys: RegExp) =>
    all.flatMap(([key, value]) => (keys.test(plainKey(key)) ? numberIn(value) : []))
  // If a proxy writes a header twice, its value is `300, 300`.
  const fromHeaders = (names: readonly string[]) =>
    names.flatMap((name) => (headers.get(name) ?? '').split(',').flatMap(numberIn))
  const total = largest([...fromHeaders(TOTAL_HEADERS), ...rangeIn(headers.get('content-range'))])
  const counted = all.flatMap(([key, value]) => (isCount(key, list) ? numberIn(value) : []))
  const counts = [...counted, ...fromHeaders(COUNT_HEADERS)]
  const records = largest(total === null ? counts : [...counts, total])
  const pages = largest([...under(PAGES), ...fromHeaders(PAGE_COUNT_HEADERS), ...lastPageIn(headers)])
  const [size] = [...under(PAGE_SIZES), ...fromHeaders(PAGE_SIZE_HEADERS)]
  const isMore = pages !== null && (records === null || size === undefined || (pages - 1) * size >= records)
  return { records, total, pages: isMore ? pages : null, ...moreIn(all, headers) }
}

type Member = readonly [key: string, value: Json]

function moreIn(all: readonly Member[], headers: Headers): Pick<Said, 'next' | 'more'> {
  const [link = null] = linksOf(headers.get('link') ?? '', 'next')
  const [key = null, value = null] = all.find(([name, given]) => saysMore(plainKey(name), given)) ?? []
  if (key !== null) return { next: nextAddressIn(plainKey(key), value) ?? link, more: key }
  if (link !== null) return { next: link, more: 'Link: rel=next' }
  return { next: null, more: MORE_HEADERS.find((name) => isYes(headers.get(name))) ?? null }
}

function saysMore(key: string, value: Json): boolean {
  if (FLAGS.test(key)) return typeof value !== 'object' && isYes(String(value))
  if (END_FLAGS.test(key)) return value === false || /^(?:false|no|n)$/i.test(String(value))
  if (LINKS.test(key)) return addressIn(value) !== null
  if (!TOKENS.test(key)) return false
  return isJsonObject(value) && 'href' in value ? addressIn(value) !== null : isSaid(value)
}

/**
 * Returns the address of a next page in a member of an answer. A token for the next page is not an address. A
 * page token may name a person, so it must not be shown.
 */
function nextAddressIn(key: string, value: Json): string | null {
  const address = addressIn(value)
  return LINKS.test(key) || isJsonObject(value) || /[/?]/.test(address ?? '') ? address : null
}

/**
 * Returns the address in a link. The link is a text, or an object with `href`. Returns null if it has no
 * address.
 */
function addressIn(value: Json): string | null {
  const text = isJsonObject(value) ? (value.href ?? null) : value
  return typeof text === 'string' && text.trim() !== '' ? text.trim() : null
}

/** Returns false for a value that is missing or empty. */
function isSaid(value: Json | undefined): boolean {
  if (typeof value === 'string') return value.trim() !== ''
  if (Array.isArray(value)) return value.length > 0
  if (isJsonObject(value)) return Object.keys(value).length > 0
  return value !== undefined && value !== null && value !== false && value !== 0
}

/** Returns true if a value is present and does not mean "no". */
function isYes(value: string | null): boolean {
  return value !== null && !/^(?:|0|false|no?|off|null|none)$/i.test(value.trim())
}

/**
 * Returns a whole number, which may be a text or the member `value` of an object. Returns an empty list for
 * any other value.
 */
function numberIn(value: Json): readonly number[] {
  if (isJsonObject(value)) return isJsonObject(value.value) ? [] : numberIn(value.value ?? null)
  const text = JSON.isRawJSON(value) ? value.rawJSON : value
  const number = typeof text === 'string' && text.trim() === '' ? Number.NaN : Number(text ?? Number.NaN)
  const isOne = typeof text === 'number' || typeof text === 'string'
  return isOne && Number.isSafeInteger(number) && number >= 0 ? [number] : []
}

/** Returns the total number in a header such as `Content-Range: items 0-24/319`. */
function rangeIn(range: string | null): readonly number[] {
  return range === null || range.startsWith('bytes') ? [] : numberIn(range.slice(range.lastIndexOf('/') + 1))
}

function largest(numbers: readonly number[]): number | null {
  return numbers.length === 0 ? null : Math.max(...numbers)
}

/** Reads the headers about pages that contain a JSON object. */
function inHeaders(headers: Headers): readonly JsonObject[] {
  return ['x-pagination', 'pagination', 'paging-headers'].flatMap((name) => {
    const text = headers.get(name) ?? ''
    if (!text.trimStart().startsWith('{')) return []
    try {
      return [parseJson(text) as JsonObject]
    } catch {
      // The header is used for another purpose, because its value is not JSON.
      return []
    }
  })
}

/** Returns the number of the last page in a header such as `Link: <…?page=3>; rel=last`. */
function lastPageIn(headers: Headers): readonly number[] {
  return linksOf(headers.get('link') ?? '', 'last').flatMap((link) =>
    numberIn(URL.parse(link, 'http://source.invalid')?.searchParams.get('page') ?? null),
  )
}
