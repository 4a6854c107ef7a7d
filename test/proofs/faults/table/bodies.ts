import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { isObject, type Json, type JsonObject, num, obj, render } from '../../../harness/json.ts'
import { jsonReply, textReply } from '../../../harness/reply.ts'
import { CANARY } from '../../../harness/source-server.ts'
import { alsoAtToken, type Fault, fatal, fault, type Play, passing } from '../fault.ts'

const text = (given: string): Play => {
  return () => textReply(given)
}

function encoded(name: string, encode: (body: Buffer) => Buffer): Play {
  return (honest) => ({
    ...honest,
    headers: { ...honest.headers, 'Content-Encoding': name },
    body: encode(honest.body),
  })
}

const HTML = `<!doctype html><title>Busy</title><p>Ask mary@${CANARY}.example`

/** A compressed body of a few kilobytes whose decompressed size is far more than `maxResponseBytes`. */
const bomb = gzipSync(`[${`{"Id":1,"Biography":"${'x'.repeat(20_000)}"},`.repeat(150)}null]`)

/** Inserts invalid bytes into the body; if the body is JSON, into one of its texts. */
function withInvalidBytes(body: Buffer): Buffer {
  const end = body.lastIndexOf('"')
  return Buffer.concat([body.subarray(0, end), Buffer.from([0xff, 0xfe]), body.subarray(end)])
}

/**
 * Bodies that may be correct after a retry: they were cut off, or a server between source and reader sent
 * them.
 */
const broken: Readonly<Record<string, Play>> = {
  '200 with HTML': text(HTML),
  '200 with an empty body': text(''),
  'JSON that is cut short': (honest) => ({ ...honest, body: honest.body.subarray(0, -9) }),
}
/** Bodies that are complete but malformed. A retry would get the same body again. */
const malformed: Readonly<Record<string, Play>> = {
  'JSON that goes on after its end': (honest) => ({
    ...honest,
    body: Buffer.concat([honest.body, honest.body]),
  }),
  'invalid UTF-8': (honest) => ({ ...honest, body: withInvalidBytes(honest.body) }),
  'JSON with NaN': (honest) => ({
    ...honest,
    body: Buffer.from(honest.body.toString().replace(/[[{](?=.)/, '$&"a":NaN,')),
  }),
  'UTF-16': (honest) => ({ ...honest, body: Buffer.from(honest.body.toString(), 'utf16le') }),
}
const NO_JSON = {
  atToken: 'failed',
  says: /the answer (?:was cut: it ends within its JSON|is empty|is not JSON but a web page); waiting longer would exceed|the answer holds no token/,
} as const
const MALFORMED = {
  atToken: 'failed',
  says: /the answer is not (?:JSON|UTF-8|UTF-8 but UTF-16): |the answer holds no token/,
} as const

/**
 * Objects instead of a list. The product must treat such an answer as a failed read, not as an empty list.
 * Source: transforms/RULES.md#r2.
 */
const notALists: Readonly<Record<string, unknown>> = {
  '{"Message":…}': { Message: `no user mary@${CANARY}.example` },
  '{"error":…}': { error: { mary: `mary@${CANARY}.example` } },
  '{"<an address>":…}': { [`mary@${CANARY}.example`]: 1 },
  '{"items":null}': { items: null, _meta: { totalCount: 0 } },
  '{"value":null}': { value: null },
  '{}': {},
}

const CUT_GZIP = { says: /the answer was cut: its gzip ends early; waiting longer would exceed/ }
const BROKEN_GZIP = { says: /the gzip of the answer is broken/ }

const otherEncodings: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  br: (body) => brotliCompressSync(body),
  deflate: (body) => deflateSync(body),
  'gzip, gzip': (body) => gzipSync(gzipSync(body)),
}

export const bodyFaults: readonly Fault[] = [
  ...Object.entries(broken).flatMap(([name, play]) => passing(name, NO_JSON, play)),
  ...Object.entries(malformed).map(([name, play]) => fatal(name, MALFORMED, play)),
  ...Object.entries(notALists).map(([name, value]) =>
    fatal(
      name,
      {
        kind: /null/.test(name) ? name : '{"Message":…}, {"error":…}, {}',
        atToken: 'failed',
        says: /an object where an array is due: |an empty object|holds no token/,
      },
      () => jsonReply(value),
    ),
  ),
  ...['null', '"busy"', '7', 'true'].map((value) =>
    fatal(
      `the single value ${value}`,
      {
        kind: 'a single value',
        atToken: 'failed',
        says: /a single value where an array is due|holds no token/,
      },
      text(value),
    ),
  ),
  fatal(
    'two lists in one answer',
    { says: /two lists of elements in one answer/ },
    text('{"items":[],"value":[]}'),
  ),
  fault(
    'gzip, always',
    'always',
    'recovered',
    { kind: 'gzip', atToken: 'recovered' },
    encoded('gzip', (body) => gzipSync(body)),
  ),
  ...passing(
    'gzip that is cut short',
    CUT_GZIP,
    encoded('gzip', (body) => gzipSync(body).subarray(0, -6)),
  ).map(alsoAtToken),
  alsoAtToken(
    fatal(
      'plain text that says it is gzip',
      BROKEN_GZIP,
      encoded('gzip', (body) => body),
    ),
  ),
  fault(
    'plain text under Content-Encoding: UTF-8, always',
    'always',
    'recovered',
    { kind: 'a name of no encoding', atToken: 'recovered' },
    encoded('UTF-8', (body) => body),
  ),
  fatal(
    'a gzip bomb',
    { atToken: 'failed', says: /the answer is larger than (?:http\.maxResponseBytes|\d+ bytes)/ },
    encoded('gzip', () => bomb),
  ),
  ...Object.entries(otherEncodings).map(([name, encode]) =>
    fatal(
      `Content-Encoding: ${name}`,
      {
        kind: 'another encoding than gzip',
        atToken: 'failed',
        says: /the answer has the Content-Encoding .*, and only gzip was asked for/,
      },
      encoded(name, encode),
    ),
  ),
]

/** Adds members in front of the existing members of a record. */
function withMembers(record: Json, members: JsonObject['members']): Json {
  return isObject(record) ? { members: [...members, ...record.members] } : record
}

/** Makes a fault that changes the record in the middle of the list, independently of the pages. */
function inTheMiddle(change: (record: Json) => Json): NonNullable<Fault['records']> {
  return (list) =>
    list.map((record, index) => (index === Math.floor(list.length / 2) ? change(record) : record))
}

const PROTOTYPE: JsonObject['members'] = [
  ['__proto__', obj({ Id: num(1), isPolluted: true })],
  ['constructor', obj({ prototype: obj({ isPolluted: true }) })],
]
const KEYS = { kind: 'keys named __proto__' }

const TOO_LARGE = {
  kind: 'a record of five million brackets',
  says: /a record is (?:nested deeper than|larger than http\.maxRecordBytes)/,
}
const manyBrackets = Buffer.from(`[${'['.repeat(5_000_000)}`)

const [NUMBER, UNREADABLE] = ['a number that no database holds', 'a record that cannot be read'] as const
const LARGE = 'a record larger than maxRecordBytes'
const HUGE = 'x'.repeat(1_000_000)

const unreadable: readonly (readonly [kind: string, name: string, change: (record: Json) => Json])[] = [
  [NUMBER, NUMBER, (record) => withMembers(record, [['Order', num('1e999999')]])],
  [
    NUMBER,
    'a number of 140,000 digits',
    (record) => withMembers(record, [['Order', num('9'.repeat(140_000))]]),
  ],
  [LARGE, 'a record larger than maxRecordBytes, without an id', () => obj({ Biography: HUGE })],
  [UNREADABLE, 'a record without an id', () => obj({ Company: `nobody@${CANARY}.example` })],
  [UNREADABLE, 'a record that is no object', () => `nobody@${CANARY}.example`],
  [UNREADABLE, 'null for a record', () => null],
]

/**
 * Faults that make a record unreadable. An unreadable record is quarantined. The unreadable record may be any
 * of the missing records, so no item of its resource is removed.
 */
export const recordFaults: readonly Fault[] = [
  ...unreadable.map(([kind, name, change]) =>
    fault(name, 'always', 'uncertified', { kind, records: inTheMiddle(change) }),
  ),
  fault('keys named __proto__ in every record', 'always', 'recovered', {
    ...KEYS,
    respells: true,
    records: (list) => list.map((record) => withMembers(record, PROTOTYPE)),
  }),
  fault(
    'a key named __proto__ beside the list',
    'always',
    'recovered',
    KEYS,
    ({ body, ...honest }, { type }) => {
      const envelope = type === 'a' ? `{"value":${body}}` : String(body)
      const members = render({ members: PROTOTYPE }).slice(0, -1)
      return { ...honest, body: Buffer.from(`${members},${envelope.slice(1)}`) }
    },
  ),
  fatal(
    'a key larger than twice maxRecordBytes',
    { says: /a record is larger than http\.maxRecordBytes/ },
    text(`[{"Id":1,"${'x'.repeat(2_000_000)}":1}]`),
  ),
  fault(
    'nothing but records that cannot be read, thousands of them',
    'always',
    'failed',
    { isOfAllPages: true, says: /2000 of the first 2000 records cannot be read/ },
    text(`[${'{},'.repeat(3000)}{}]`),
  ),
  fatal('a record of five million brackets', TOO_LARGE, (honest) => ({ ...honest, body: manyBrackets })),
  fatal('five million objects within one another', TOO_LARGE, text(`[${'{"a":'.repeat(1_000_000)}`)),
]

const NO_TOKEN = { kind: 'B: an answer that is no token', says: /the answer holds no token|larger than/ }
const soon = { expires_at: '2099-01-01 00:00:00' }

/** Faults that are possible only at the token endpoint. Source: transforms/RULES.md#r12. */
export const tokenFaults: readonly Fault[] = [
  fault('B: a token that has expired already', 'once', 'recovered', {}, (honest) =>
    jsonReply({ ...JSON.parse(honest.body.toString()), expires_at: '2001-01-01 00:00:00' }),
  ),
  fatal('B: a token without an expiry', NO_TOKEN, () =>
    jsonReply({ access_token: `${CANARY}-token`, type: 'bearer' }),
  ),
  fatal('B: a token that is no text', NO_TOKEN, () =>
    jsonReply({ access_token: [`${CANARY}-token`], ...soon }),
  ),
  fatal('B: a token that could not stand in a header', { kind: NO_TOKEN.kind }, () =>
    jsonReply({ access_token: `${CANARY}-token\r\nX-Evil: 1`, ...soon }),
  ),
  fatal('B: a token of a million characters', NO_TOKEN, () =>
    jsonReply({ access_token: CANARY.repeat(200_000), ...soon }),
  ),
].map((row) => ({ ...alsoAtToken(row), sources: ['b'], isOfToken: true }))
