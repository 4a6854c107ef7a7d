import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { CANARY } from '../event.ts'
import { type Fault, fatal, fault, passing } from '../fault.ts'
import { jsonReply, type Reply, textReply } from '../reply.ts'

const text = (given: string): Fault['play'] => {
  return () => textReply(given)
}

const cut = (honest: Reply): Reply => ({ ...honest, body: honest.body.subarray(0, honest.body.length - 9) })

function encoded(name: string, encode: (body: Buffer) => Buffer): Fault['play'] {
  return (honest) => ({
    ...honest,
    headers: { ...honest.headers, 'Content-Encoding': name },
    body: encode(honest.body),
  })
}

const HTML = `<!doctype html><title>Busy</title><p>Ask mary@${CANARY}.example`

/** Far more records than `maxResponseBytes` takes, in a few kilobytes. */
const bomb = gzipSync(`[${`{"Id":1,"Biography":"${'x'.repeat(20_000)}"},`.repeat(150)}null]`)

/**
 * A body that is no JSON looks like one that was cut short, which is a fault of the network, so it may pass; at the
 * token endpoint it is no token, which asking again does not mend.
 */
const broken: readonly (readonly [string, Fault['play']])[] = [
  ['200 with HTML', text(HTML)],
  ['200 with an empty body', text('')],
  ['JSON that is cut short', cut],
  [
    'JSON that goes on after its end',
    (honest) => ({ ...honest, body: Buffer.concat([honest.body, honest.body]) }),
  ],
  [
    'invalid UTF-8',
    ({ body, ...honest }) => {
      // Within a text, where it is JSON all the same.
      const end = body.lastIndexOf('"')
      const bytes = Buffer.from([0xff, 0xfe])
      return { ...honest, body: Buffer.concat([body.subarray(0, end), bytes, body.subarray(end)]) }
    },
  ],
]

/** An object where a list is due is a failed read, never no records. Source: spec-gaps, "An error is an object". */
const notALists: readonly (readonly [string, unknown])[] = [
  ['{"Message":…}', { Message: `no user mary@${CANARY}.example` }],
  ['{"error":…}', { error: { mary: `mary@${CANARY}.example` } }],
  ['{"<an address>":…}', { [`mary@${CANARY}.example`]: 1 }],
  ['{"items":null}', { items: null, _meta: { totalCount: 0 } }],
  ['{"value":null}', { value: null }],
  ['{}', {}],
]

export const bodyFaults: readonly Fault[] = [
  ...broken.flatMap(([kind, play]) =>
    passing({ kind, play, says: /the answer is not (?:JSON|UTF-8); gave up after 8 tries/ }).map((row) => ({
      ...row,
      atToken: 'failed' as const,
    })),
  ),
  ...notALists.map(([name, value]) =>
    fatal({
      kind: /null/.test(name) ? name : '{"Message":…}, {"error":…}, {}',
      name,
      atToken: 'failed',
      play: () => jsonReply(value),
      says: /an object where an array is due: |an empty object|holds no token/,
    }),
  ),
  ...['null', '"busy"', '7', 'true'].map((value) =>
    fatal({
      kind: 'a single value',
      name: `the single value ${value}`,
      atToken: 'failed',
      play: text(value),
      says: /a single value where an array is due|holds no token/,
    }),
  ),
  fatal({
    kind: 'two lists in one answer',
    name: 'two lists in one answer',
    play: text('{"items":[],"value":[]}'),
    says: /two lists of elements in one answer/,
  }),
  fault({
    kind: 'gzip',
    name: 'gzip, always',
    plays: 'always',
    expected: 'recovered',
    atToken: 'recovered',
    play: encoded('gzip', (body) => gzipSync(body)),
  }),
  ...passing({
    kind: 'gzip that is broken',
    name: 'gzip that is cut short',
    play: encoded('gzip', (body) => gzipSync(body).subarray(0, -6)),
    says: /the compressed answer is broken or cut short; gave up after 8 tries/,
  }).map((row) => ({ ...row, atToken: row.expected })),
  ...passing({
    kind: 'gzip that is broken',
    name: 'gzip that is none',
    play: encoded('gzip', (body) => body),
    says: /the compressed answer is broken or cut short; gave up after 8 tries/,
  }).map((row) => ({ ...row, atToken: row.expected })),
  fatal({
    kind: 'a gzip bomb',
    atToken: 'failed',
    play: encoded('gzip', () => bomb),
    says: /the answer is larger than http\.maxResponseBytes/,
  }),
  ...(
    [
      ['br', brotliCompressSync],
      ['deflate', deflateSync],
      ['gzip, gzip', (body: Buffer) => gzipSync(gzipSync(body))],
    ] as const
  ).map(([name, encode]) =>
    fatal({
      kind: 'another encoding than gzip',
      name: `Content-Encoding: ${name}`,
      atToken: 'failed',
      play: encoded(name, (body) => encode(body)),
      says: /the answer is compressed in another way than gzip/,
    }),
  ),
]
