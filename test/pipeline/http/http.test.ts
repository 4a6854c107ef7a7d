import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Answer, send } from '../../../pipeline/http/http.ts'
import { failedRead, get, limits } from '../extract/requests.ts'
import { useServers } from '../extract/use-servers.ts'

const { start, startWatched, closing } = useServers()

/** Starts a TCP server that answers with raw bytes that the test gives. */
async function startRaw(answer: (socket: Socket) => void): Promise<{ readonly url: string }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => answer(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  closing({
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  })
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}` }
}

test('a request is sent unchanged, and its answer is returned', async () => {
  const { url } = await start((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part) => parts.push(part))
    request.on('end', () => {
      const { authorization, 'accept-encoding': encoding } = request.headers
      response.writeHead(201, { 'X-Kind': 'echo' })
      response.end(
        JSON.stringify([
          request.method,
          request.url,
          authorization,
          encoding,
          Buffer.concat(parts).toString(),
        ]),
      )
    })
  })
  const headers = { Authorization: 'Bearer x' }
  const answer = await send(
    { method: 'POST', url: new URL(`${url}/a?b=c%20d`), addressKey: 'source.url', headers, body: 'e=f' },
    limits,
  )
  expect(answer.headers.get('x-kind')).toBe('echo')
  answer.discard()
  expect(await get(`${url}/a?b=c%20d`, { method: 'POST', headers, body: 'e=f' })).toEqual({
    status: 201,
    text: '["POST","/a?b=c%20d","Bearer x","gzip","e=f"]',
  })
})

describe('size limits', () => {
  test('an answer of exactly the largest allowed size is read', async () => {
    const { url } = await start((_, response) => response.end('x'.repeat(100_000)))
    expect((await get(url, { maxResponseBytes: 100_000 })).text).toHaveLength(100_000)
  })

  test.each([
    ['plain', {}, (text: string) => Buffer.from(text)],
    ['packed', { 'Content-Encoding': 'gzip' }, (text: string) => gzipSync(text)],
  ])(
    'an answer above the size limit is refused, and its connection is closed: %s',
    async (_, headers, pack) => {
      const { url, isClosed } = await startWatched((_request, response) => {
        response.writeHead(200, headers)
        response.write(pack('x'.repeat(20_000_000)))
      })
      const error = await failedRead(get(url, { maxResponseBytes: 100_000 }))
      expect(error).toMatchObject({
        message:
          'the answer is larger than http.maxResponseBytes (100000): check source.url, or raise the limit',
        retryable: false,
      })
      await expect.poll(isClosed).toBe(true)
    },
  )

  test.each([
    ['platform.maxResponseBytes', 'platform.maxResponseBytes (1000): check source.url, or raise the limit'],
    [null, '1000 bytes: check source.url'],
  ])(
    'the error for an answer that is too large names the configuration key of the limit: %s',
    async (sizeKey, message) => {
      const { url } = await start((_, response) => response.end('x'.repeat(2_000)))
      expect(await failedRead(get(url, { maxResponseBytes: 1_000, sizeKey }))).toMatchObject({
        message: `the answer is larger than ${message}`,
      })
    },
  )
})

describe('a source that sends nothing', () => {
  const SILENT =
    'no answer for 0.08 s: check source.url, and that this machine can reach it (firewall, proxy)'

  test('a request fails after the time-out if no headers arrive [spec 8 p1]', async () => {
    const { url, isClosed } = await startWatched(() => undefined)
    const error = await failedRead(get(url, { timeoutMs: 80 }))
    expect(error).toMatchObject({ message: SILENT, retryable: true })
    await expect.poll(isClosed).toBe(true)
  })

  test('a request fails after the time-out if no body follows the headers', async () => {
    const { url } = await start((_, response) => response.flushHeaders())
    const error = await failedRead(get(url, { timeoutMs: 80 }))
    expect(error).toMatchObject({ message: SILENT, retryable: true })
  })

  describe('between the pieces of an answer', () => {
    // The tests use a simulated clock. On a real clock, a busy machine could pause for longer than the
    // time-out.
    beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
    afterEach(() => void vi.useRealTimers())

    /** Opens an answer. `readAfter` waits, sends a piece and reads it; null sends no piece. */
    async function openSlow(maxResponseMs: number) {
      const responses: ServerResponse[] = []
      const { url } = await start((_, response) => {
        responses.push(response)
        response.flushHeaders()
      })
      const { body } = await send(
        { url: new URL(url), addressKey: 'source.url' },
        { ...limits, timeoutMs: 200, maxResponseMs },
      )
      const pieces = body[Symbol.asyncIterator]()
      const [response] = responses
      const readAfter = async (pauseMs: number, piece: string | null) => {
        const next = pieces.next()
        vi.advanceTimersByTime(pauseMs)
        if (piece !== null) response?.write(piece)
        const { value } = await next
        return Buffer.from(value ?? '').toString()
      }
      return { readAfter, isClosed: () => response?.closed === true }
    }

    test('a slow answer is read if its pauses are short; if a pause is too long, the error says how long it was', async () => {
      const { readAfter } = await openSlow(4000)
      for (let piece = 0; piece < 10; piece += 1) expect(await readAfter(199, 'x')).toBe('x')
      const error = await failedRead(readAfter(200, null))
      expect(error.what).toBe('no answer for 0.2 s')
    })

    test('an answer whose small pieces never end fails when http.maxResponseSeconds have passed', async () => {
      const { readAfter, isClosed } = await openSlow(3000)
      // After 19 pauses of 150 ms, 150 ms of the allowed 3 s remain.
      for (let piece = 0; piece < 19; piece += 1) expect(await readAfter(150, 'x')).toBe('x')
      const error = await failedRead(readAfter(150, null))
      expect(error).toMatchObject({
        message:
          'the answer took longer than http.maxResponseSeconds (3): raise the limit if answers take that long',
        retryable: true,
      })
      await expect.poll(isClosed).toBe(true)
    })

    test('time that the reader needs between two pieces of an answer does not count as a pause', async () => {
      const { readAfter } = await openSlow(4000)
      for (let piece = 0; piece < 3; piece += 1) {
        expect(await readAfter(100, 'x')).toBe('x')
        vi.advanceTimersByTime(60_000)
      }
    })
  })
})

describe('a connection that fails', () => {
  test('a refused connection is reported with what to check [R49]', async () => {
    const { url, close } = await start(() => undefined)
    await close()
    const error = await failedRead(get(url))
    const message = 'the connection failed (ECONNREFUSED): check host and port in source.url'
    expect(error).toMatchObject({ message, retryable: true })
  })

  const BEFORE = /^the connection (failed|broke off)/
  const WITHIN = /^the answer was cut: the connection broke off after [34] bytes of it: check source\.url/
  const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'

  test.each<[string, string, RegExp]>([
    ['before the headers', '', BEFORE],
    ['within the headers', 'HTTP/1.1 200 OK\r\nContent-Le', BEFORE],
    ['within a body of announced length', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[1,2', WITHIN],
    ['within a chunk', `${chunked}5\r\n[1,`, WITHIN],
    ['between two chunks', `${chunked}4\r\n[1]\n\r\n`, WITHIN],
    ['after a text that is not HTTP', 'hello', BEFORE],
  ])('is reported if it ends %s', async (_, bytes, message) => {
    for (const end of ['end', 'resetAndDestroy'] as const) {
      const { url } = await startRaw((socket) => {
        socket.write(bytes, () => setTimeout(() => socket[end](), 20))
      })
      const error = await failedRead(get(url))
      expect(error.message).toMatch(message)
      expect(error.retryable).toBe(true)
    }
  })
})

test.each([
  ['one header of 20 KB', { 'X-Trace': 'x'.repeat(20_000) }],
  [
    'many small headers',
    Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`X-${at}`, 'x'.repeat(20)])),
  ],
])(
  'an answer with headers that are too large fails with its own message and is not retried: %s',
  async (_, headers) => {
    const { url } = await start((_request, response) => {
      response.writeHead(200, headers)
      response.end('[]')
    })
    expect(await failedRead(get(url))).toMatchObject({
      message:
        'the headers of the answer are larger than 16 KiB (HPE_HEADER_OVERFLOW): ask the people who run the source, or a proxy before it, to send fewer or shorter headers',
      retryable: false,
    })
  },
)

describe('an answer that is given up closes its connection', () => {
  test.each<[string, (answer: Answer) => unknown]>([
    ['unread', (answer) => answer.discard()],
    [
      'in the middle',
      async ({ body }) => {
        for await (const _ of body) break
      },
    ],
  ])('%s', async (_, giveUp) => {
    const { url, isClosed } = await startWatched((_request, response) => response.write('[1,'))
    await giveUp(await send({ url: new URL(url), addressKey: 'source.url' }, limits))
    await expect.poll(isClosed).toBe(true)
  })
})
