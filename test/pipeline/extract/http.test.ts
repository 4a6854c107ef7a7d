import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { type HttpLimits, type HttpRequest, send } from '../../../pipeline/extract/http.ts'
import { ReadError } from '../../../pipeline/extract/read-error.ts'
import { failureOf, serve, type TestServer } from './support.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

async function start(answer: Parameters<typeof serve>[0]): Promise<TestServer> {
  const server = await serve(answer)
  open.push(server)
  return server
}

/** A server that writes bytes of our own. */
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
  open.push({
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  })
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}` }
}

const limits: HttpLimits = { timeoutMs: 5000, maxResponseBytes: 1_000_000 }

async function get(url: string, options: Partial<HttpLimits & HttpRequest> = {}) {
  const answer = await send({ ...options, url: new URL(url) }, { ...limits, ...options })
  const chunks: Uint8Array[] = []
  for await (const chunk of answer.body) chunks.push(chunk)
  return { status: answer.status, text: Buffer.concat(chunks).toString() }
}

async function failedRead(work: Promise<unknown>): Promise<ReadError> {
  const error = await failureOf(work)
  expect(error).toBeInstanceOf(ReadError)
  return error as ReadError
}

test('a request goes out as it is given, and the answer comes back', async () => {
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
    { method: 'POST', url: new URL(`${url}/a?b=c%20d`), headers, body: 'e=f' },
    limits,
  )
  expect(answer.headers.get('x-kind')).toBe('echo')
  answer.discard()
  expect(await get(`${url}/a?b=c%20d`, { method: 'POST', headers, body: 'e=f' })).toEqual({
    status: 201,
    text: '["POST","/a?b=c%20d","Bearer x","gzip","e=f"]',
  })
})

test('gzip is unpacked', async () => {
  const { url } = await start((_, response) => {
    response.writeHead(200, { 'Content-Encoding': 'gzip' })
    response.end(gzipSync('["é"]'.repeat(10_000)))
  })
  expect((await get(url)).text).toBe('["é"]'.repeat(10_000))
})

test('a redirect is not followed', async () => {
  const { url, requests } = await start((_, response) => {
    response.writeHead(302, { Location: '/elsewhere' })
    response.end('moved')
  })
  expect((await get(`${url}/here`, { headers: { Authorization: 'Bearer x' } })).status).toBe(302)
  expect(requests).toEqual(['/here'])
})

describe('limits of size', () => {
  test('an answer of just the largest size is read', async () => {
    const { url } = await start((_, response) => response.end('x'.repeat(100_000)))
    expect((await get(url, { maxResponseBytes: 100_000 })).text).toHaveLength(100_000)
  })

  test.each([
    ['plain', {}, (text: string) => Buffer.from(text)],
    ['packed', { 'Content-Encoding': 'gzip' }, (text: string) => gzipSync(text)],
  ])('a larger one is refused, and the connection ends: %s', async (_, headers, pack) => {
    let closed = false
    const { url } = await start((request, response) => {
      request.socket.on('close', () => {
        closed = true
      })
      response.writeHead(200, headers)
      response.write(pack('x'.repeat(20_000_000)))
    })
    const error = await failedRead(get(url, { maxResponseBytes: 100_000 }))
    expect(error.message).toBe('the answer is larger than http.maxResponseBytes (100000)')
    expect(error.retryable).toBe(false)
    await expect.poll(() => closed).toBe(true)
  })
})

describe('a source that keeps silent', () => {
  test('before its headers', async () => {
    let closed = false
    const { url } = await start((request) => {
      request.socket.on('close', () => {
        closed = true
      })
    })
    const error = await failedRead(get(url, { timeoutMs: 80 }))
    expect(error.message).toBe('no answer for 0.08 s')
    expect(error.retryable).toBe(true)
    await expect.poll(() => closed).toBe(true)
  })

  test.each([
    ['after its headers', ''],
    ['in the middle of the body', '[1,'],
  ])('%s', async (_, part) => {
    const { url } = await start((__, response) => {
      response.writeHead(200)
      response.flushHeaders()
      if (part !== '') response.write(part)
    })
    const error = await failedRead(get(url, { timeoutMs: 80 }))
    expect(error.message).toBe('no answer for 0.08 s')
    expect(error.retryable).toBe(true)
  })

  test('a slow answer that never pauses for long is read to its end', async () => {
    const { url } = await start(async (_, response) => {
      for (let part = 0; part < 10; part += 1) {
        response.write('x')
        await sleep(40)
      }
      response.end()
    })
    expect((await get(url, { timeoutMs: 200 })).text).toBe('xxxxxxxxxx')
  })

  test('time that the reader takes between two pieces does not count', async () => {
    const { url } = await start((_, response) => response.end('x'.repeat(500_000)))
    const answer = await send({ url: new URL(url) }, { ...limits, timeoutMs: 100 })
    let bytes = 0
    let pauses = 0
    for await (const chunk of answer.body) {
      if (pauses < 3) await sleep(150)
      pauses += 1
      bytes += chunk.length
    }
    expect(bytes).toBe(500_000)
    expect(pauses).toBeGreaterThan(2)
  })
})

describe('a connection that fails', () => {
  test('refused', async () => {
    const { url, close } = await serve(() => undefined)
    await close()
    const error = await failedRead(get(url))
    expect(error.message).toBe('the connection failed (ECONNREFUSED)')
    expect(error.retryable).toBe(true)
  })

  test.each<[string, string]>([
    ['before the headers', ''],
    ['within the headers', 'HTTP/1.1 200 OK\r\nContent-Le'],
    ['within a body of announced length', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[1,2'],
    ['within a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n[1,'],
    ['between two chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n[1]\n\r\n'],
    ['no HTTP at all', 'hello'],
  ])('cut off %s', async (_, bytes) => {
    for (const end of ['end', 'resetAndDestroy'] as const) {
      const { url } = await startRaw((socket) => {
        socket.write(bytes, () => setTimeout(() => socket[end](), 20))
      })
      const error = await failedRead(get(url))
      expect(error.message).toMatch(/^the connection (failed|broke off)/)
      expect(error.retryable).toBe(true)
    }
  })

  test.each([
    ['within', [0x00, 0x01, 0x02, 0x03, 0x04, 0x05]],
    ['in its check sum', [...gzipSync('[1]').subarray(10, 15), 0, 0, 0, 0, 3, 0, 0, 0]],
  ])('a packed body that is broken %s', async (_, bytes) => {
    const { url } = await start((__, response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip' })
      response.end(Buffer.concat([gzipSync('[1]').subarray(0, 10), Buffer.from(bytes)]))
    })
    expect((await failedRead(get(url))).retryable).toBe(true)
  })

  test('without an announced length a cut cannot be seen here: JSON that is cut is found by its reader', async () => {
    const { url } = await startRaw((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n[1,2'))
    expect((await get(url)).text).toBe('[1,2')
  })
})

test('an answer that is given up frees its connection', async () => {
  let closed = false
  const { url } = await start((request, response) => {
    request.socket.on('close', () => {
      closed = true
    })
    response.write('[1,')
  })
  const answer = await send({ url: new URL(url) }, limits)
  answer.discard()
  await expect.poll(() => closed).toBe(true)
})
