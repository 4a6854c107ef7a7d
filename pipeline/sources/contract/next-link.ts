import { isBelow } from '../../http/http.ts'

/**
 * Returns the address of a next page at the source itself: a source behind a proxy names another scheme, host or port, or writes its
 * path in another case. Nothing is sent to the host that the link names.
 *
 * @param from address of the resource, which the path of the link must be, or be below
 * @returns null if it leads elsewhere
 */
export function atSource(link: string, from: URL): URL | null {
  const named = URL.parse(link, from.href)
  if (named === null || !/^https?:$/.test(named.protocol)) return null
  const { length } = from.pathname
  if (named.pathname.slice(0, length).toLowerCase() !== from.pathname.toLowerCase()) return null
  const url = new URL(named)
  url.protocol = from.protocol
  url.host = from.host
  // Without a port the assignment above keeps that of the link.
  url.port = from.port
  url.pathname = from.pathname + named.pathname.slice(length)
  return isBelow(url, from) ? url : null
}

/** A link as messages show it: its query may have ids of people or tokens. */
export function shownLink(link: string, from: URL): string {
  const url = URL.parse(link, from.href)
  if (url === null) return 'no address'
  return `${url.protocol}//${url.host}${url.pathname}`.slice(0, MOST_SHOWN)
}

const MOST_SHOWN = 300
