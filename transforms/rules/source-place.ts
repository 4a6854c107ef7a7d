/**
 * Returns host, port, path and query of a URL as one text. Scheme, user and default port are left out, and
 * the host is in lower case. All spellings of a URL therefore give the same result.
 */
export function sourcePlace(url: string): string {
  const parsed = URL.parse(url)
  if (parsed === null) return url
  const host = parsed.hostname.replace(/\.$/, '')
  const port = /^(?:80|443)?$/.test(parsed.port) ? '' : `:${parsed.port}`
  return `${host}${port}${parsed.pathname.replace(/\/{2,}/g, '/').replace(/\/$/, '')}${parsed.search}`
}
