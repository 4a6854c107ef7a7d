import { CANARY } from '../event.ts'
import { type Fault, fatal, fault, passing } from '../fault.ts'
import { type Asked, jsonReply } from '../reply.ts'

type Headers = Readonly<Record<string, string>>

/** What a source says beside a status, in its own form; it may name a person. */
function refusal({ type }: Asked, status: number): ReturnType<typeof jsonReply> {
  const text = `no user mary@${CANARY}.example`
  if (type === 'a') return jsonReply({ Message: text }, status)
  return jsonReply(status === 422 ? [{ field: text, message: text }] : { message: text }, status)
}

function answers(status: number, headers: (asked: Asked) => Headers = () => ({})): Fault['play'] {
  return (_, asked) => {
    const reply = refusal(asked, status)
    return { ...reply, headers: { ...reply.headers, ...headers(asked) } }
  }
}

/** Those that may pass. Source: spec-gaps, "Retries": 408, 429, 5xx. */
const passingStatuses = [408, 429, 500, 502, 503, 504].flatMap((status) =>
  passing({
    kind: status < 500 ? `answered ${status}` : 'answered 500, 502, 503 or 504',
    name: `answered ${status}`,
    play: answers(status),
    says: new RegExp(`answered ${status}; gave up after 8 tries`),
  }),
)

/** Ways to say when to ask again; those that mean nothing are passed over, and the own backoff decides. */
const waits: readonly (readonly [string, (asked: Asked) => Headers])[] = [
  ['429 with Retry-After in seconds', () => ({ 'Retry-After': '20' })],
  [
    '429 with Retry-After as a date',
    ({ nowMs }) => ({ 'Retry-After': new Date(nowMs + 20_000).toUTCString() }),
  ],
  ['429 with Retry-After as a past date', () => ({ 'Retry-After': 'Mon, 01 Jan 2001 00:00:00 GMT' })],
  ['429 with Retry-After 0', () => ({ 'Retry-After': '0' })],
  ['429 with Retry-After below 0', () => ({ 'Retry-After': '-30' })],
  ['429 with Retry-After that is junk', () => ({ 'Retry-After': 'soon' })],
  ['429 with X-Rate-Limit-Reset', () => ({ 'X-Rate-Limit-Reset': '20' })],
  [
    '429 with X-Rate-Limit-Remaining and -Reset',
    () => ({ 'X-Rate-Limit-Limit': '2000', 'X-Rate-Limit-Remaining': '0', 'X-Rate-Limit-Reset': '20' }),
  ],
]

const passingWaits = waits.map(([name, headers]) =>
  fault({
    kind: name.includes('X-Rate') ? '429 with X-Rate-Limit-Reset' : name.replace(/(?<=After).*/, ''),
    name: `${name}, once`,
    plays: 'once',
    expected: 'recovered',
    play: answers(429, headers),
  }),
)

const refusals: readonly (readonly [number, RegExp])[] = [
  [403, /answered 403: check that the account/],
  [404, /answered 404: check source\.url/],
  [422, /answered 422: check source\.eventId/],
  [204, /answered 204/],
  [206, /answered 206/],
]

/** Source: spec-gaps, "renew before expiry and on 401": Source A has nothing that could be renewed. */
const unauthorized = { says: /answered 401: check the credentials/, play: answers(401) }

export const statusFaults: readonly Fault[] = [
  ...passingStatuses.map((row) => ({ ...row, atToken: row.expected })),
  ...passingWaits.map((row) => ({ ...row, atToken: row.expected })),
  ...['100000', 'Fri, 01 Jan 2100 00:00:00 GMT'].map((value) =>
    fatal({
      kind: '429 with a huge Retry-After',
      name: `429 with Retry-After ${value}`,
      atToken: 'failed',
      play: answers(429, () => ({ 'Retry-After': value })),
      says: /answered 429; waiting longer would exceed http\.retryBudgetSeconds/,
    }),
  ),
  ...refusals.map(([status, says]) =>
    fatal({
      kind: status < 300 ? 'answered 204 or 206' : 'answered 403, 404 or 422',
      name: `answered ${status}`,
      atToken: 'failed',
      play: answers(status),
      says,
    }),
  ),
  fatal({ ...unauthorized, kind: 'answered 401', name: 'answered 401 by Source A', sources: ['a'] }),
  fault({
    ...unauthorized,
    kind: 'answered 401',
    name: 'answered 401 by Source B, once: renewed',
    sources: ['b'],
    plays: 'once',
    expected: 'recovered',
    atToken: 'failed',
  }),
  fault({
    ...unauthorized,
    kind: 'answered 401',
    name: 'answered 401 by Source B, always',
    sources: ['b'],
    plays: 'always',
    expected: 'failed',
    atToken: 'failed',
  }),
]
