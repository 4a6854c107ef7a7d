/**
 * Returns host, port, path and query of an address. The result has no scheme, user and default port, and has
 * the host in lower case. So it is the same for all spellings of the address.
 */
export function sourcePlace(url: string): string {
  const parsed = URL.parse(url)
  if (parsed === null) return url
  const host = parsed.hostname.replace(/\.$/, '')
  const port = /^(?:80|443)?$/.test(parsed.port) ? '' : `:${parsed.port}`
  return `${host}${port}${parsed.pathname.replace(/\/{2,}/g, '/').replace(/\/$/, '')}${parsed.search}`
}
