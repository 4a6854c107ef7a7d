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

/** A URL or handle as the platform receives it; `value` is null if it is absent or unusable. */
export interface Url {
  readonly value: string | null
  readonly warning: Warning | null
}

/** The http(s) URLs of `Links`, without repeats, in the order of the source. Each warning occurs once. */
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
 * @param value null; a list (see `toList` for its forms) of strings or of objects with Url, Link or Href, of
 * which the first with a value counts; one object like that, also as JSON in a string; or a string with one
 * or more URLs between delimiters
 * @returns the links. A piece that is not a URL gives the warning `left_out`; null and blank pieces are
 * ignored
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

// Because of the look-behind, a match begins only at the first of several delimiters. Otherwise a long
// sequence of delimiters would take quadratic time.
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
 * Reads the page of a person on a site.
 *
 * @param value an http(s) URL of any host, without white space, which is kept unchanged; the site's host or a
 * subdomain with a path, which gets `https://`; or a handle, which becomes the page's URL
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
 * @param value a handle with any number of `@` in front, or an http(s) URL whose last path segment is a
 * handle
 * @returns the handle without leading `@`; `left_out` if the text contains nothing else
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
