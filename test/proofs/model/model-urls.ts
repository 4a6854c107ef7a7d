import { isObject, type Json, type JsonObject } from '../../harness/json.ts'
import { keyInAnyCase, listIn, parseWritten } from './model-read.ts'
import { type Fault, readText } from './model-text.ts'

export type UrlFault = Fault | 'left_out'

export interface ReadUrl {
  readonly url: string | null
  readonly faults: readonly UrlFault[]
}

/** Interpretation of the rule: the scheme may be in upper or lower case, as in all URLs. */
function isUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && !/\s/.test(text)
}

/** Applies a rule to the text of a value. If the rule returns null, the field gets no value. */
function readBy(rule: (text: string) => string | null, value: Json | undefined): ReadUrl {
  const { text, faults } = readText(value)
  if (text === null) return { url: null, faults }
  const url = rule(text)
  return { url, faults: url === null ? [...faults, 'left_out'] : faults }
}

export function readUrl(value: Json | undefined): ReadUrl {
  return readBy((text) => (isUrl(text) ? text : null), value)
}

/** Reads a Facebook or LinkedIn profile. Source: transforms/RULES.md#r60. */
export function readProfile(value: Json | undefined, site: string, before: string): ReadUrl {
  return readBy((text) => {
    if (isUrl(text)) return text
    if (/^[A-Za-z0-9._-]+$/.test(text)) return `https://www.${site}${before}${text}`
    const [host = '', ...path] = text.split('/')
    const isSite = host.toLowerCase() === site || host.toLowerCase().endsWith(`.${site}`)
    return isSite && path.join('') !== '' && isUrl(`https://${text}`) ? `https://${text}` : null
  }, value)
}

/**
 * Reads a Twitter handle. Source: transforms/RULES.md#r61.
 *
 * Interpretation of the rule: all `@` at the beginning are removed, from a handle and from the last segment
 * of a URL. A fragment is not part of the path.
 */
export function readTwitter(value: Json | undefined): ReadUrl {
  return readBy((text) => {
    const rest = withoutLeadingAt(text)
    const handle = /^https?:\/\//i.test(rest) ? withoutLeadingAt(lastSegment(rest)) : rest
    return handle === '' ? null : handle
  }, value)
}

function lastSegment(url: string): string {
  const [path = ''] = url.split(/[?#]/)
  const [, , , ...segments] = path.split('/')
  return segments.filter((segment) => segment !== '').at(-1) ?? ''
}

export interface ReadLinks {
  readonly urls: readonly string[]
  readonly faults: readonly UrlFault[]
}

/** Reads the links of a session in all accepted forms. Source: transforms/RULES.md#r59. */
export function readLinks(value: Json | undefined): ReadLinks {
  if (value === null || value === undefined) return { urls: [], faults: [] }
  if (typeof value === 'string') {
    const { text, faults } = readText(value)
    if (text === null) return { urls: [], faults }
    const parsed = parseWritten(text)
    const read = parsed === undefined ? ofElements(text.split(/[\s,;|]+(?=https?:\/\/)/i)) : readLinks(parsed)
    return { urls: read.urls, faults: [...faults, ...read.faults] }
  }
  return ofElements(listIn(value) ?? [value])
}

/**
 * Interpretation of the rule: every element without a usable URL is left out with a warning. Null and blank
 * elements are ignored without a warning.
 */
function ofElements(elements: readonly Json[]): ReadLinks {
  const read = elements.map((element): ReadUrl => {
    const { url, faults } = readUrl(isObject(element) ? addressOf(element) : element)
    const isThere = element !== null && (typeof element !== 'string' || readText(element).text !== null)
    return { url, faults: url === null && isThere ? ['left_out'] : faults }
  })
  return {
    urls: [...new Set(read.flatMap(({ url }) => url ?? []))],
    faults: read.flatMap(({ faults }) => faults),
  }
}

function addressOf(link: JsonObject): Json | undefined {
  const values = ['Url', 'Link', 'Href'].map((key) => keyInAnyCase(link, key))
  return values.find((value) => readText(value).text !== null) ?? values.find((value) => value !== undefined)
}

function withoutLeadingAt(text: string): string {
  let rest = text
  while (rest.startsWith('@')) rest = rest.slice(1).trimStart()
  return rest
}
