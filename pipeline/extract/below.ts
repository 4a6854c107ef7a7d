/** A segment `..` that URL leaves as it is, since part of it is escaped, and a careless server does not. */
const HIDDEN_WAY_UP = /(?:\/|%2f|%5c)(?:\.|%2e){2}(?:$|[/;]|%2f|%5c|%3b)/i

/** Whether an address lies at or below another, so that what is sent to the one may be sent to it. */
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
