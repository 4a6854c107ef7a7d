import { isBelow } from '../../http/http.ts'

/**
 * Returns the address of a next page at the source itself. A source behind a proxy may name another scheme,
 * host or port in its links, or write the path in another case. Nothing is sent to the host that the link
 * names.
 *
 * @param resource address of the resource; the path of the link must be the same or below it
 * @param page address of the page that has the link, to resolve relative links
 * @returns null if the link leads elsewhere
 */
export function atSource(link: string, resource: URL, page = resource): URL | null {
  const named = URL.parse(link, page.href)
  if (named === null || !/^https?:$/.test(named.protocol)) return null
  const path = resource.pathname.replace(/\/$/, '')
  if (named.pathname.slice(0, path.length).toLowerCase() !== path.toLowerCase()) return null
  const url = new URL(named)
  url.protocol = resource.protocol
  url.host = resource.host
  // Without a port the assignment above keeps that of the link.
  url.port = resource.port
  url.pathname = path + named.pathname.slice(path.length)
  return isBelow(url, resource) ? url : null
}

/**
 * Formats a link for messages: without its query, which may contain ids of people or tokens, and without a
 * login.
 */
export function shownLink(link: string, from?: URL): string {
  const url = URL.parse(link, from?.href)
  if (url === null) return 'no whole address'
  return `${url.protocol}//${url.host}${url.pathname}`.slice(0, MOST_SHOWN)
}

const MOST_SHOWN = 300
