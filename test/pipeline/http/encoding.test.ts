import { setTimeout as sleep } from 'node:timers/promises'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { Loopback } from '../../harness/loopback.ts'
import { failedRead, get } from '../extract/requests.ts'
import { useServers } from '../extract/use-servers.ts'

const { start, startWatched } = useServers()

const MEDDLING = ': check whether a proxy changes the answers'

/** Starts a server that sends these pieces with this `Content-Encoding` header; null means no such header. */
function startEncoded(encoding: string | null, ...pieces: readonly Uint8Array[]): Promise<Loopback> {
  return start(async (_, response) => {
    response.writeHead(200, encoding === null ? {} : { 'Content-Encoding': encoding })
    for (const piece of pieces) {
      response.write(piece)
      await sleep(5)
    }
    response.end()
  })
}

const text = '["é€😀"]'.repeat(20_000)
const packed = gzipSync(text)

describe('encodings that are read', () => {
  test.each<[string, string | null, readonly Uint8Array[]]>([
    ['gzip', 'gzip', [packed]],
    ['gzip by its old name, in capitals and blanks', ' X-GZip ', [packed]],
    [
      'gzip with its first and its last byte in separate pieces',
      'gzip',
      [packed.subarray(0, 1), packed.subarray(1, -1), packed.subarray(-1)],
    ],
    ['gzip in two members', 'gzip', [gzipSync(text.slice(0, 99)), gzipSync(text.slice(99))]],
    ['plain text', null, [Buffer.from(text)]],
    ...['', 'none', 'None', 'UTF-8', 'utf8', ' IDENTITY ', 'identity, utf-8'].map(
      (name): [string, string, readonly Uint8Array[]] => [
        `plain text under ${JSON.stringify(name)}`,
        name,
        [Buffer.from(text)],
      ],
    ),
    ['gzip beside a name without a meaning', 'identity, gzip', [packed]],
  ])('%s', async (_, encoding, pieces) => {
    const { url } = await startEncoded(encoding, ...pieces)
    expect((await get(url)).text).toBe(text)
  })
})

describe('gzip that cannot be unpacked is a failed read, which may be retried if the gzip was cut', () => {
  const small = gzipSync('[1]')
  const CUT = 'the answer was cut: its gzip ends early'
  const BROKEN = 'the gzip of the answer is broken'

  test.each<[string, string, readonly Uint8Array[]]>([
    ['nothing at all', CUT, []],
    ['cut within its data', CUT, [packed.subarray(0, packed.length / 2)]],
    ['cut within its check sum', CUT, [packed.subarray(0, -3)]],
    ['followed by the head of a member that never comes', CUT, [small, small.subarray(0, 10)]],
    ['text that is not packed', BROKEN, [Buffer.from(text)]],
    ['damaged within', BROKEN, [small.subarray(0, 10), Buffer.from([0, 1, 2, 3, 4, 5])]],
    ['followed by text', BROKEN, [small, Buffer.from('[2]')]],
    ['followed by text in the same piece', BROKEN, [Buffer.concat([small, Buffer.from('[2]')])]],
  ])('%s', async (_, what, pieces) => {
    const { url } = await startEncoded('gzip', ...pieces)
    const error = await failedRead(get(url))
    expect(error).toMatchObject({ message: what + MEDDLING, retryable: what === CUT })
  })

  test('if a broken connection cuts an answer in gzip, the read may be retried', async () => {
    const server = await start((_, response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Length': packed.length })
      response.write(packed.subarray(0, 100), () => response.destroy())
    })
    const error = await failedRead(get(server.url))
    expect(error.message).toMatch(/^the answer was cut: the connection broke off after \d+ bytes? of it/)
    expect(error.retryable).toBe(true)
  })
})

describe('the limit for unpacking gzip', () => {
  const zeros = (mebibytes: number) =>
    Array.from({ length: mebibytes }, () => gzipSync(Buffer.alloc(1024 * 1024)))
  const unpack = async (pieces: readonly Uint8Array[]) => {
    const { url } = await startEncoded('gzip', Buffer.concat(pieces))
    return get(url, { maxResponseBytes: 100_000_000 })
  }

  test('an answer is refused if it unpacks to more than 16 MiB and to more than 200 times its size', async () => {
    expect((await unpack(zeros(16))).text).toHaveLength(16 * 1024 * 1024)
    expect(await failedRead(unpack(zeros(40)))).toMatchObject({
      message: `the answer unpacks to more than 200 times its size${MEDDLING}`,
      retryable: false,
    })
  })

  test('an answer that unpacks to less than 200 times its size is read, for example repetitive JSON', async () => {
    const record = (id: number) => `{"Id":${id},"FirstName":null,"LastName":null,"Roles":"Attendee"},`
    const json = Array.from({ length: 300_000 }, (_, id) => record(id)).join('')
    expect((await unpack([gzipSync(json)])).text).toHaveLength(json.length)
  })
})

test.each<[encoding: string, shown: string, bytes: Uint8Array]>([
  ['br', 'br', brotliCompressSync(text)],
  ['Deflate', 'deflate', deflateSync(text)],
  ['zstd', 'zstd', Buffer.from(text)],
  ['gzip, gzip', 'gzip, gzip', gzipSync(packed)],
  ['identity, br', 'br', brotliCompressSync(text)],
  ['iso-8859-1', 'iso-8859-1', Buffer.from(text)],
  ['ada@example.com', 'a name that is not shown', Buffer.from(text)],
])(
  'an answer with the encoding %s, which was not requested, is refused at once and its connection is closed',
  async (encoding, shown, bytes) => {
    const { url, isClosed } = await startWatched((_request, response) => {
      response.writeHead(200, { 'Content-Encoding': encoding })
      response.write(bytes)
    })
    const error = await failedRead(get(url))
    expect(error).toMatchObject({
      message: `the answer has the Content-Encoding ${shown}, and only gzip was asked for${MEDDLING}`,
      retryable: false,
    })
    await expect.poll(isClosed).toBe(true)
  },
)
