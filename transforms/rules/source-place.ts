/**
 * Returns host, port, path and query of an address, the same for all of its spellings: without scheme, user
 * and default port, with the host in lower case.
 */
export function sourcePlace(url: string): string {
  const parsed = URL.parse(url)
  if (parsed === null) return url
  const host = parsed.hostname.replace(/\.$/, '')
  const port = /^(?:80|443)?$/.test(parsed.port) ? '' : `:${parsed.port}`
  return `${host}${port}${parsed.pathname.replace(/\/{2,}/g, '/').replace(/\/$/, '')}${parsed.search}`
}
