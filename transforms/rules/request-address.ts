/** Parameters that the product sets itself: they hold nothing of a record. */
const OWN_PARAMETERS: ReadonlySet<string> = new Set([
  '$expand',
  '$orderby',
  '$skip',
  '$top',
  'event_id',
  'fields',
  'page',
  'per-page',
  'sort',
])

/** A request's address as it is kept, without values of foreign parameters: a next page may be named by a person's id or address. */
export function recordedAddress(address: string): string {
  const url = new URL(address)
  if (url.search === '' && url.hash === '') return address
  const parts = url.search.slice(1).split('&').map(recordedParameter)
  return `${url.origin}${url.pathname}?${parts.join('&')}`
}

function recordedParameter(text: string): string {
  const [name = ''] = [...new URLSearchParams(text).keys()]
  if (OWN_PARAMETERS.has(name)) return text
  return /^\$?\w+$/.test(name) && text.includes('=') ? `${name}=omitted` : 'omitted'
}
