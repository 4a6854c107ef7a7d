import { type Delivery, jsonReply, textReply } from '../../../harness/reply.ts'
import { CANARY } from '../../../harness/source-server.ts'
import { type Asked, alsoAtToken, type Fault, fatal, fault, type Play, passing } from '../fault.ts'

const by = (delivery: Delivery): Play => {
  return (honest) => ({ ...honest, delivery })
}

const BROKEN = {
  says: /the connection (?:failed \(\w+\)|broke off(?: after \d+ bytes? of it)?); waiting longer would exceed/,
}
const SLOW = { http: { timeoutSeconds: 0.25 }, says: /no answer for 0\.25 s/ }

/**
 * Reduces the retries for a fault that lasts and leads to timeouts, because each try takes as long as the
 * timeout.
 */
function soonGivenUp(row: Fault): Fault {
  if (row.http.timeoutSeconds === undefined || row.plays === 'once') return row
  return { ...row, http: { ...row.http, retryBudgetSeconds: row.standsAlone ? 0 : 1 } }
}

/** Faults of the network connection, which are temporary. Source: transforms/RULES.md#r49. */
export const networkFaults: readonly Fault[] = [
  ...passing('the connection is reset before the headers', BROKEN, by('reset')),
  ...passing('the connection is reset in a body of known length', BROKEN, by('reset in the body')),
  ...passing('the connection is reset in a body of chunks', BROKEN, by('reset in chunks')),
  ...passing('no headers come in time', SLOW, by('no headers')),
  ...passing('a gap within the body', SLOW, by('gap')),
  ...passing(
    'the body comes a byte at a time',
    {
      http: { ...SLOW.http, maxResponseSeconds: 5 },
      standsAlone: true,
      // On a busy machine, even the connection may take longer than 0.25 s.
      says: /the answer took longer than http\.maxResponseSeconds \(5\)|no answer for 0\.25 s|the connection timed out/,
    },
    by('drip'),
  ),
  fault('the source goes away and comes back', 'once', 'recovered', { standsAlone: true }, by('gone')),
  fault('the source goes away for good', 'always', 'failed', BROKEN, by('gone')),
].map((row) => soonGivenUp(alsoAtToken(row)))

type Headers = Readonly<Record<string, string>>

/**
 * Makes an answer with a status and a message as the source writes it. The message names a person, as real
 * messages may do.
 */
function answers(status: number, headers: (asked: Asked) => Headers = () => ({})): Play {
  const text = `no user mary@${CANARY}.example`
  const message = status === 422 ? [{ field: text, message: text }] : { message: text }
  return (_, asked) => {
    const reply = jsonReply(asked.type === 'a' ? { Message: text } : message, status)
    return { ...reply, headers: { ...reply.headers, ...headers(asked) } }
  }
}

/** Statuses that may be temporary: 408, 429, 5xx. Source: transforms/RULES.md#r49. */
const passingStatuses = [408, 429, 500, 502, 503, 504].flatMap((status) =>
  passing(
    `answered ${status}`,
    {
      kind: status < 500 ? `answered ${status}` : 'answered 500, 502, 503 or 504',
      says: new RegExp(`answered ${status}; waiting longer would exceed`),
    },
    answers(status),
  ),
)

/**
 * Headers by which a source says when the reader shall retry. The reader must ignore meaningless values and
 * wait as long as its own backoff says.
 */
const waits: readonly (readonly [kind: string, value: string, headers: (asked: Asked) => Headers])[] = [
  ['429 with Retry-After', ' in seconds', () => ({ 'Retry-After': '20' })],
  [
    '429 with Retry-After',
    ' as a date',
    ({ nowMs }) => ({ 'Retry-After': new Date(nowMs + 20_000).toUTCString() }),
  ],
  ['429 with Retry-After', ' as a past date', () => ({ 'Retry-After': 'Mon, 01 Jan 2001 00:00:00 GMT' })],
  ['429 with Retry-After', ' 0', () => ({ 'Retry-After': '0' })],
  ['429 with Retry-After', ' below 0', () => ({ 'Retry-After': '-30' })],
  ['429 with Retry-After', ' that is junk', () => ({ 'Retry-After': 'soon' })],
  ['429 with X-Rate-Limit-Reset', '', () => ({ 'X-Rate-Limit-Reset': '20' })],
  [
    '429 with X-Rate-Limit-Reset',
    ' and -Remaining',
    () => ({ 'X-Rate-Limit-Limit': '2000', 'X-Rate-Limit-Remaining': '0', 'X-Rate-Limit-Reset': '20' }),
  ],
]

const passingWaits = waits.map(([kind, value, headers]) =>
  fault(`${kind}${value}, once`, 'once', 'recovered', { kind }, answers(429, headers)),
)

const refusals: readonly (readonly [number, RegExp])[] = [
  [403, /answered 403: check that the account/],
  [404, /answered 404: check source\.url/],
  [422, /answered 422: check source\.eventId/],
  [204, /answered 204/],
  [206, /answered 206/],
]

/**
 * After a 401 of Source B the reader requests a new token (transforms/RULES.md#r12). Source A has no token to
 * renew.
 */
const UNAUTHORIZED = { kind: 'answered 401', says: /answered 401: check the credentials/ }
const UNAUTHORIZED_BY_B = { ...UNAUTHORIZED, sources: ['b'], atToken: 'failed' } as const

export const statusFaults: readonly Fault[] = [
  ...passingStatuses.map(alsoAtToken),
  ...passingWaits.map(alsoAtToken),
  ...['100000', 'Fri, 01 Jan 2100 00:00:00 GMT'].map((value) =>
    fatal(
      `429 with Retry-After ${value}`,
      {
        kind: '429 with a huge Retry-After',
        atToken: 'failed',
        says: /answered 429; waiting longer would exceed http\.retryBudgetSeconds/,
      },
      answers(429, () => ({ 'Retry-After': value })),
    ),
  ),
  ...refusals.map(([status, says]) => {
    const kind = status < 300 ? 'answered 204 or 206' : 'answered 403, 404 or 422'
    return fatal(`answered ${status}`, { kind, atToken: 'failed', says }, answers(status))
  }),
  fatal('answered 401 by Source A', { ...UNAUTHORIZED, sources: ['a'] }, answers(401)),
  fault('answered 401 by Source B, once: renewed', 'once', 'recovered', UNAUTHORIZED_BY_B, answers(401)),
  fault('answered 401 by Source B, always', 'always', 'failed', UNAUTHORIZED_BY_B, answers(401)),
]

/**
 * The reader follows a redirect at most three times, and only to addresses below `source.url`, because the
 * redirected request contains credentials.
 */
const REFUSED = {
  atToken: 'failed',
  says: /answered 30\d: a redirect is followed three times at most, and only below source\.url; check/,
} as const

function leadsTo(address: (asked: Asked) => string, status = 302): Play {
  return (_, asked) => ({ ...textReply('', status), headers: { Location: address(asked) } })
}

/** Returns the address of the same request with an additional parameter that the source does not know. */
function again({ url }: Asked): string {
  const next = new URL(url)
  next.searchParams.set('via', String(viaOf(url) + 1))
  return next.href
}

const viaOf = (url: URL) => Number(url.searchParams.get('via') ?? 0)

const WITHIN = { kind: 'a redirect within' }

const outside: Readonly<Record<string, (asked: Asked) => string>> = {
  'to another host': ({ outside, url }) => outside + url.pathname,
  'with a user name': ({ url }) => url.href.replace('//', '//mary:x@'),
  'above source.url': ({ url }) => `${url.origin}/elsewhere`,
  'to a file': () => 'file:///etc/passwd',
  'to no address': () => 'http://[',
}

export const redirectFaults: readonly Fault[] = [
  fault('a redirect within, followed', 'once', 'recovered', WITHIN, leadsTo(again, 307)),
  fault('three redirects within, of every page', 'always', 'recovered', WITHIN, (honest, asked) =>
    viaOf(asked.url) < 3 ? leadsTo(again, 308)(honest, asked) : honest,
  ),
  fault(
    'a redirect loop',
    'always',
    'failed',
    REFUSED,
    leadsTo(({ url }) => url.href),
  ),
  ...Object.entries(outside).map(([name, address]) =>
    fatal(`a redirect ${name}`, { ...REFUSED, kind: 'a redirect outside' }, leadsTo(address)),
  ),
]
