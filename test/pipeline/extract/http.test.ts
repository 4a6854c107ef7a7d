import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type Answer, send } from '../../../pipeline/extract/http.ts'
import { failedRead, get, limits } from './requests.ts'
import { serve, type TestServer } from './support.ts'

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

  test('an answer that drips without end is given up in the end, for its total', async () => {
    let dripping = true
    const { url } = await start(async (_, response) => {
      response.on('close', () => {
        dripping = false
      })
      while (dripping) {
        response.write('x')
        await sleep(10)
      }
    })
    // Time flies ten times as fast, so that a busy machine cannot pause for as long as the time-out.
    const now = performance.now.bind(performance)
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() * 10)
    try {
      const error = await failedRead(get(url, { timeoutMs: 1000 }))
      expect(error.message).toBe('the answer took longer than 20 s in all')
      expect(error.retryable).toBe(true)
    } finally {
      clock.mockRestore()
    }
    await expect.poll(() => dripping).toBe(false)
  })

  test('a pause within the total is told as a pause, however much was waited for before', async () => {
    const { url } = await start(async (_, response) => {
      for (let part = 0; part < 10; part += 1) {
        response.write('x')
        await sleep(40)
      }
    })
    const error = await failedRead(get(url, { timeoutMs: 150 }))
    expect(error.message).toBe('no answer for 0.15 s')
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

  test('without an announced length a cut cannot be seen here: JSON that is cut is found by its reader', async () => {
    const { url } = await startRaw((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n[1,2'))
    expect((await get(url)).text).toBe('[1,2')
  })
})

describe('an answer that is given up frees its connection', () => {
  test.each<[string, (answer: Answer) => unknown]>([
    ['unread', (answer) => answer.discard()],
    [
      'in the middle',
      async ({ body }) => {
        for await (const _ of body) break
      },
    ],
  ])('%s', async (_, giveUp) => {
    let closed = false
    const { url } = await start((request, response) => {
      request.socket.on('close', () => {
        closed = true
      })
      response.write('[1,')
    })
    await giveUp(await send({ url: new URL(url) }, limits))
    await expect.poll(() => closed).toBe(true)
  })
})
