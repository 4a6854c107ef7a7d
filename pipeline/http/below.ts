/** A segment `..` that is partly escaped: URL leaves it as it is, a careless server does not. */
const HIDDEN_WAY_UP = /(?:\/|%2f|%5c)(?:\.|%2e){2}(?:$|[/;]|%2f|%5c|%3b)/i

/** Whether an address is at or below another, so that credentials for the one may be sent to it. */
export function isBelow(url: URL, within: URL): boolean {
  const folder = within.pathname.endsWith('/') ? within.pathname : `${within.pathname}/`
  return (
    url.origin === within.origin &&
    `${url.pathname}/`.startsWith(folder) &&
    !HIDDEN_WAY_UP.test(url.pathname) &&
    // Either of them would go out as credentials.
    url.username === '' &&
    url.password === ''
  )
}
