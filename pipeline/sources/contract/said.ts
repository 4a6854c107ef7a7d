import { isJsonObject, type Json, type JsonObject, parseJson } from '../../../transforms/rules/values.ts'
import { linksOf } from './link-header.ts'

/** An answer's own statements on how much there is, beside the records that it holds. */
export interface Said {
  /** Records that the source declares; the largest number if it declares several. */
  readonly records: number | null
  /** Records that a header declares. */
  readonly total: number | null
  /** Pages that it declares; null too if they hold no more than the records that it declares. */
  readonly pages: number | null
  /** Address of the page after this one. */
  readonly next: string | null
  /** The name of what says that more follows, such as `has_more`; null if nothing says so. */
  readonly more: string | null
}

interface Headers {
  get(name: string): string | null
}

// Keys are compared in lower case, without `@`, `_`, `-`, `.` and `odata` in front.
const FAILURES = /^errors?$/
const COUNTS =
  /^(?:(?:record|item|result)?count|total(?:count|records|items|results|elements|entries|rows|hits)?)$/
const PAGES = /^(?:pages|pagecount|totalpages|lastpage)$/
const PAGE_SIZES = /^(?:perpage|pagesize|itemsperpage)$/
const FLAGS =
  /^(?:(?:has)?more(?:results|records|items|pages|available)?|has(?:next|nextpage)|(?:is)?(?:truncated|incomplete|partial)|incompleteresults)$/
const END_FLAGS = /^(?:(?:is)?(?:complete|last|lastpage)|endofrecords|done)$/
const LINKS = /^next(?:page)?(?:link|url|uri|href)$/
const TOKENS =
  /^(?:next(?:page|pagetoken|token|cursor|marker|offset|continuationtoken)?|continuation(?:token)?|resumptiontoken|lastevaluatedkey)$/
/** Objects that hold such members. */
const AROUND = /^(?:meta|metadata|paging|pagination|page|pageinfo|links|cursors?|responsemetadata)$/
const STATEMENTS = [FAILURES, FLAGS, END_FLAGS, LINKS, TOKENS, AROUND]

const PREFIXES = ['', 'x-', 'x-pagination-', 'pagination-', 'x-wp-', 'x-page-', 'x-result-']
const headerNames = (...names: readonly string[]) =>
  PREFIXES.flatMap((prefix) => names.map((name) => `${prefix}${name}`))
const TOTAL_HEADERS = headerNames('total', 'total-count', 'totalcount', 'total-records', 'total-items')
const COUNT_HEADERS = headerNames('count', 'record-count', 'item-count', 'result-count')
const PAGE_COUNT_HEADERS = headerNames('page-count', 'pagecount', 'total-pages', 'totalpages')
const PAGE_SIZE_HEADERS = headerNames('per-page', 'page-size')
const MORE_HEADERS = [
  ...headerNames('has-more', 'has-next', 'next-page', 'next-page-token', 'next-cursor'),
  ...['x-continuation-token', 'x-ms-continuation', 'x-ms-continuationtoken'],
]

function plainKey(key: string): string {
  return key
    .toLowerCase()
    .replaceAll(/[@_.-]/g, '')
    .replace(/^odata/, '')
}

/**
 * Returns whether a member of an answer with several lists says something about the one that is read.
 *
 * @param isList true if its value is a list: a list may be long, and only that of errors is read
 */
export function isStatement(key: string, list: string, isList: boolean): boolean {
  const plain = plainKey(key)
  if (isList) return FAILURES.test(plain)
  return plain === 'count' || key === `${list}@odata.count` || STATEMENTS.some((keys) => keys.test(plain))
}

/** The key under which an answer says, beside its list, that it failed; null if it does not. */
export function failureIn(members: JsonObject): string | null {
  return Object.keys(members).find((key) => FAILURES.test(plainKey(key)) && isSaid(members[key])) ?? null
}

/** Reads what an answer says of how much there is, from the members around its list and from its headers. */
export function saidIn(members: JsonObject, headers: Headers): Said {
  const all: readonly Member[] = [...Object.entries(members), ['meta', inHeader(headers)] as const].flatMap(
    ([key, value]) =>
      AROUND.test(plainKey(key)) && isJsonObject(value) ? Object.entries(value) : [[key, value] as const],
  )
  const under = (keys: RegExp) =>
    all.flatMap(([key, value]) => (keys.test(plainKey(key)) ? numberIn(value) : []))
  const fromHeaders = (names: readonly string[]) => names.flatMap((name) => numberIn(headers.get(name)))
  const ofList = all.flatMap(([key, value]) => (key.endsWith('@odata.count') ? numberIn(value) : []))
  const total = largest([...fromHeaders(TOTAL_HEADERS), ...rangeIn(headers.get('content-range'))])
  const counts = [...under(COUNTS), ...ofList, ...fromHeaders(COUNT_HEADERS)]
  const records = largest(total === null ? counts : [...counts, total])
  const pages = largest([...under(PAGES), ...fromHeaders(PAGE_COUNT_HEADERS)])
  const [size] = [...under(PAGE_SIZES), ...fromHeaders(PAGE_SIZE_HEADERS)]
  const isMore = pages !== null && (records === null || size === undefined || (pages - 1) * size >= records)
  return { records, total, pages: isMore ? pages : null, ...moreIn(all, headers) }
}

type Member = readonly [key: string, value: Json]

function moreIn(all: readonly Member[], headers: Headers): Pick<Said, 'next' | 'more'> {
  const [link = null] = linksOf(headers.get('link') ?? '', 'next')
  const [key = null, value = null] = all.find(([name, given]) => saysMore(plainKey(name), given)) ?? []
  if (key !== null) return { next: addressIn(value) ?? link, more: key }
  if (link !== null) return { next: link, more: 'Link: rel=next' }
  return { next: null, more: MORE_HEADERS.find((name) => isYes(headers.get(name))) ?? null }
}

function saysMore(key: string, value: Json): boolean {
  if (FLAGS.test(key)) return value === true || value === 1 || value === 'true'
  if (END_FLAGS.test(key)) return value === false || value === 'false'
  if (LINKS.test(key)) return addressIn(value) !== null
  if (!TOKENS.test(key)) return false
  return isJsonObject(value) && 'href' in value ? addressIn(value) !== null : isSaid(value)
}

/** The address in a link, which is a text or an object with `href`; null if there is none. */
function addressIn(value: Json): string | null {
  const text = isJsonObject(value) ? (value.href ?? null) : value
  return typeof text === 'string' && text.trim() !== '' ? text.trim() : null
}

/** Returns false for an absent or empty value. */
function isSaid(value: Json | undefined): boolean {
  if (typeof value === 'string') return value.trim() !== ''
  if (Array.isArray(value)) return value.length > 0
  if (isJsonObject(value)) return Object.keys(value).length > 0
  return value !== undefined && value !== null && value !== false && value !== 0
}

/** Returns whether a header has a value, and not a word for no. */
function isYes(value: string | null): boolean {
  return value !== null && !/^\s*(?:|0|false|no|null)\s*$/i.test(value)
}

/** A whole number, also as text; none for anything else. */
function numberIn(value: Json): readonly number[] {
  const text = JSON.isRawJSON(value) ? value.rawJSON : value
  const number = typeof text === 'string' && text.trim() === '' ? Number.NaN : Number(text ?? Number.NaN)
  const isOne = typeof text === 'number' || typeof text === 'string'
  return isOne && Number.isSafeInteger(number) && number >= 0 ? [number] : []
}

/** The length that `Content-Range: items 0-24/319` declares. */
function rangeIn(range: string | null): readonly number[] {
  return range === null || range.startsWith('bytes') ? [] : numberIn(range.slice(range.lastIndexOf('/') + 1))
}

function largest(numbers: readonly number[]): number | null {
  return numbers.length === 0 ? null : Math.max(...numbers)
}

/** Reads the header `X-Pagination` if it is an object in JSON. */
function inHeader(headers: Headers): Json {
  const text = headers.get('x-pagination') ?? ''
  if (!text.trimStart().startsWith('{')) return null
  try {
    return parseJson(text) as Json
  } catch {
    // It is another header of this name.
    return null
  }
}
