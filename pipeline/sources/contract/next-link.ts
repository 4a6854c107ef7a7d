import { isBelow } from '../../http/http.ts'

/**
 * Returns the address of a next page on the source's own host. If a source is behind a proxy, its links may
 * name another scheme, host or port. The path may have another upper or lower case. The product sends nothing
 * to the host that the link names.
 *
 * @param resource address of the resource; the path of the link must be equal to its path or below it
 * @param page address of the page that has the link, from which a relative link is resolved
 * @returns null if the link leads to another resource
 */
export function atSource(link: string, resource: URL, page = resource): URL | null {
  const named = URL.parse(link, page.href)
  if (named === null || !/^https?:$/.test(named.protocol)) return null
  const path = resource.pathname.replace(/\/$/, '')
  if (named.pathname.slice(0, path.length).toLowerCase() !== path.toLowerCase()) return null
  const url = new URL(named)
  url.protocol = resource.protocol
  url.host = resource.host
  // If the address of the resource has no port, the line above has kept the port of the link.
  url.port = resource.port
  url.pathname = path + named.pathname.slice(path.length)
  return isBelow(url, resource) ? url : null
}

/**
 * Formats a link for messages. The login is left out, and also the query, which may contain ids of people or
 * tokens.
 */
export function shownLink(link: string, from?: URL): string {
  const url = URL.parse(link, from?.href)
  if (url === null) return 'no whole address'
  return `${url.protocol}//${url.host}${url.pathname}`.slice(0, MOST_SHOWN)
}

const MOST_SHOWN = 300
