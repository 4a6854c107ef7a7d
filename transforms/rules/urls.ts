import {
  isJsonObject,
  type Json,
  type JsonObject,
  parseListOrObject,
  readText,
  toList,
  valueByKey,
  type Warning,
} from './values.ts'

/** A URL or handle in the form that the platform gets; `value` is null if the record has no usable value. */
export interface Url {
  readonly value: string | null
  readonly warning: Warning | null
}

/**
 * The http(s) URLs in the field `Links` of a session, each once, in the order of the source. Each warning
 * occurs once.
 */
export interface Links {
  readonly value: readonly string[]
  readonly warnings: readonly Warning[]
}

const HTTP_URL = /^https?:\/\/\S+$/i
const NO_LINKS: Links = Object.freeze({ value: Object.freeze([]), warnings: Object.freeze([]) })

/** Reads an `http://` or `https://` URL without white space; any other text is `left_out`. */
export function readUrl(value: Json | undefined): Url {
  return toUrl(value, (text) => (HTTP_URL.test(text) ? text : null))
}

/**
 * Reads the links of a session.
 *
 * @param value null, or one of three forms. First form: a list (see `toList`) of strings, or of objects with
 * keys Url, Link or Href; the first of these keys with a value is read. Second form: a single object of this
 * kind, which may be JSON in a string. Third form: a string with URLs between delimiters
 * @returns the links. A text that is not a URL gives the warning `left_out`; null and blank texts are ignored
 */
export function readLinks(value: Json | undefined): Links {
  const text = typeof value === 'string' ? readText(value) : null
  const pieces = text === null ? toPieces(value) : toPiecesOfText(text.value)
  const links = new Set<string>()
  const warnings = new Set<Warning>(text === null || text.warning === null ? [] : [text.warning])
  if (pieces.length === 0 && warnings.size === 0) return NO_LINKS

  for (const piece of pieces) {
    const isObject = isJsonObject(piece)
    const { value: link, warning } = readUrl(isObject ? linkOf(piece) : piece)
    if (link !== null) links.add(link)
    if (warning === 'unsupported_character') warnings.add(warning)
    else if (warning !== null || (isObject && link === null)) warnings.add('left_out')
  }
  return { value: [...links], warnings: [...warnings] }
}

function linkOf(element: JsonObject): Json | undefined {
  return valueByKey(element, 'url') ?? valueByKey(element, 'link') ?? valueByKey(element, 'href')
}

function toPieces(value: Json | undefined): readonly Json[] {
  if (value === null || value === undefined) return []
  return toList(value) ?? [value]
}

// With the look-behind, a match can begin only at the first of several delimiters. Without the look-behind,
// the time for a long sequence of delimiters would grow quadratically.
const BETWEEN_LINKS = /(?<![\s,;|])[\s,;|]+(?=https?:\/\/)/i

function toPiecesOfText(text: string | null): readonly Json[] {
  if (text === null) return []
  const parsed = parseListOrObject(text)
  return parsed === null ? text.split(BETWEEN_LINKS) : toPieces(parsed)
}

const HANDLE = /^[A-Za-z0-9._-]+$/
const SITES = {
  facebook: { page: /^(?:[a-z0-9-]+\.)*facebook\.com\/\S+$/i, ofHandle: 'https://www.facebook.com/' },
  linkedin: { page: /^(?:[a-z0-9-]+\.)*linkedin\.com\/\S+$/i, ofHandle: 'https://www.linkedin.com/in/' },
} as const

/**
 * Reads the address of a person's page on a site.
 *
 * @param value one of three forms. A full http(s) URL without white space stays unchanged, whatever its host.
 * An address that begins with the site's host (or a subdomain) and has a path gets `https://` in front. A
 * handle becomes the URL of the handle's page
 */
export function readSocialUrl(value: Json | undefined, site: keyof typeof SITES): Url {
  const { page, ofHandle } = SITES[site]
  return toUrl(value, (text) => {
    if (HTTP_URL.test(text)) return text
    if (page.test(text)) return `https://${text}`
    return HANDLE.test(text) ? ofHandle + text : null
  })
}

/**
 * Reads a Twitter handle.
 *
 * @param value a handle, which may have any number of `@` in front, or an http(s) URL whose last path segment
 * is a handle
 * @returns the handle without leading `@`. If the text has only `@` signs or the URL has no path, there is no
 * handle, and the warning is `left_out`
 */
export function readTwitter(value: Json | undefined): Url {
  return toUrl(value, (text) => {
    const handle = withoutAt(text)
    const path = /^https?:\/\/[^/?#]*([^?#]*)/i.exec(handle)?.[1]
    if (path === undefined) return handle || null
    return withoutAt(path.split('/').findLast((segment) => segment !== '') ?? '') || null
  })
}

function withoutAt(text: string): string {
  return text.replace(/^(?:@\s*)+/, '').trim()
}

function toUrl(value: Json | undefined, urlOf: (text: string) => string | null): Url {
  const text = readText(value)
  if (text.value === null) return text
  const url = urlOf(text.value)
  return url === null ? { value: null, warning: 'left_out' } : { value: url, warning: text.warning }
}
