import { setTimeout as sleep } from 'node:timers/promises'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { failedRead, get } from './requests.ts'
import { serve, type TestServer } from './support.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

/** A server that gives these bytes, in these pieces, as encoded so. */
async function startEncoded(encoding: string | null, ...pieces: readonly Uint8Array[]): Promise<TestServer> {
  const server = await serve(async (_, response) => {
    response.writeHead(200, encoding === null ? {} : { 'Content-Encoding': encoding })
    for (const piece of pieces) {
      response.write(piece)
      await sleep(5)
    }
    response.end()
  })
  open.push(server)
  return server
}

const text = '["é€😀"]'.repeat(20_000)
const packed = gzipSync(text)

describe('what is read', () => {
  test.each<[string, string | null, readonly Uint8Array[]]>([
    ['gzip', 'gzip', [packed]],
    ['gzip by its old name', 'x-gzip', [packed]],
    ['gzip in capitals and blanks', ' GZip ', [packed]],
    [
      'gzip byte by byte at its ends',
      'gzip',
      [packed.subarray(0, 1), packed.subarray(1, -1), packed.subarray(-1)],
    ],
    ['gzip in two members', 'gzip', [gzipSync(text.slice(0, 99)), gzipSync(text.slice(99))]],
    ['plain text', null, [Buffer.from(text)]],
    ['plain text that says so', 'identity', [Buffer.from(text)]],
    ['plain text under an empty name', '', [Buffer.from(text)]],
  ])('%s', async (_, encoding, pieces) => {
    const { url } = await startEncoded(encoding, ...pieces)
    expect((await get(url)).text).toBe(text)
  })

  test('gzip leaves its connection open for the next request', async () => {
    const ports = new Set<number | undefined>()
    const server = await serve((request, response) => {
      ports.add(request.socket.remotePort)
      response.writeHead(200, { 'Content-Encoding': 'gzip' })
      response.end(packed)
    })
    open.push(server)
    for (let request = 0; request < 3; request += 1) {
      await get(server.url)
      await sleep(20)
    }
    expect(ports.size).toBe(1)
  })
})

describe('gzip that is broken is a failed read that is worth asking again', () => {
  const small = gzipSync('[1]')
  const wrongSum = [...small.subarray(0, -8), 0, 0, 0, 0, 3, 0, 0, 0]

  test.each<[string, readonly Uint8Array[]]>([
    ['nothing at all', []],
    ['cut within its head', [small.subarray(0, 5)]],
    ['cut within its data', [packed.subarray(0, packed.length / 2)]],
    ['cut within its check sum', [packed.subarray(0, -3)]],
    ['no gzip', [Buffer.from(text)]],
    ['damaged within', [small.subarray(0, 10), Buffer.from([0, 1, 2, 3, 4, 5])]],
    ['damaged in its check sum', [Buffer.from(wrongSum)]],
    ['followed by text', [small, Buffer.from('[2]')]],
    ['followed by text in the same piece', [Buffer.concat([small, Buffer.from('[2]')])]],
    ['followed by the head of a member that never comes', [small, small.subarray(0, 10)]],
  ])('%s', async (_, pieces) => {
    const { url } = await startEncoded('gzip', ...pieces)
    const error = await failedRead(get(url))
    expect(error.message).toBe('the compressed answer is broken or cut short')
    expect(error.retryable).toBe(true)
  })

  test('damaged, while its server would go on without end: the connection ends', async () => {
    let closed = false
    const server = await serve((request, response) => {
      request.socket.on('close', () => {
        closed = true
      })
      response.writeHead(200, { 'Content-Encoding': 'gzip' })
      response.write(Buffer.concat([small, Buffer.from('[2]')]))
    })
    open.push(server)
    await failedRead(get(server.url))
    await expect.poll(() => closed).toBe(true)
  })

  test('cut off with its connection', async () => {
    const server = await serve((_, response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Length': packed.length })
      response.write(packed.subarray(0, 100), () => response.destroy())
    })
    open.push(server)
    const error = await failedRead(get(server.url))
    expect(error.message).toMatch(/^the connection (failed|broke off)/)
    expect(error.retryable).toBe(true)
  })
})

test.each<[string, Uint8Array]>([
  ['br', brotliCompressSync(text)],
  ['deflate', deflateSync(text)],
  ['deflate', deflateRawSync(text)],
  ['zstd', Buffer.from(text)],
  ['compress', Buffer.from(text)],
  ['gzip, gzip', gzipSync(packed)],
  ['identity, gzip', packed],
])('%s was not asked for: it is refused at once, and its connection ends', async (encoding, bytes) => {
  let closed = false
  const server = await serve((request, response) => {
    request.socket.on('close', () => {
      closed = true
    })
    response.writeHead(200, { 'Content-Encoding': encoding })
    response.write(bytes)
  })
  open.push(server)
  const error = await failedRead(get(server.url))
  expect(error.message).toBe('the answer is compressed in another way than gzip')
  expect(error.retryable).toBe(false)
  await expect.poll(() => closed).toBe(true)
})

describe('a small answer that unpacks to a gigabyte', () => {
  const zeros = gzipSync(Buffer.alloc(16 * 1024 * 1024))
  const bomb = Buffer.concat(Array.from({ length: 64 }, () => zeros))

  test('is refused at its limit, quickly and in little memory', async () => {
    expect(bomb.length).toBeLessThan(2_000_000)
    const { url } = await startEncoded('gzip', bomb)
    const startMs = performance.now()
    const startBytes = process.memoryUsage.rss()
    const error = await failedRead(get(url, { maxResponseBytes: 100_000 }))
    expect(error.message).toBe('the answer is larger than http.maxResponseBytes (100000)')
    expect(error.retryable).toBe(false)
    expect(performance.now() - startMs).toBeLessThan(1000)
    expect(process.memoryUsage.rss() - startBytes).toBeLessThan(50_000_000)
  })
})
