import { request } from 'node:http'
import { hostname } from 'node:os'
import { afterEach, expect, test } from 'vitest'
import { serveHealth } from '../../../pipeline/worker/health.ts'

const state = () => ({ phase: 'working' as const, database: true, answeredMs: 0, underWay: [] })
const pages = {
  status: async () => '<p>all</p>',
  report: async () => '<p>one</p>',
  metrics: async () => 'up 1\n',
}
let close: () => Promise<void> = async () => undefined
afterEach(() => close())

async function ask(path: string, host: string, bound = '127.0.0.1') {
  const served = await serveHealth(0, bound, state, () => 0, pages)
  close = served.close
  return new Promise<{ status: number | undefined; sniff: unknown; policy?: unknown }>((resolve, reject) => {
    const asked = request(new URL(path, served.url), { headers: { host } }, (answer) => {
      answer.resume()
      const { 'content-security-policy': policy, 'x-content-type-options': sniff } = answer.headers
      resolve({ status: answer.statusCode, sniff, policy })
    })
    asked.on('error', reject).end()
  })
}

test.each(['localhost:8080', '127.0.0.1', '10.1.2.3:80', '[::1]:80', hostname(), 'LOCALHOST'])(
  'the status page is served under the host name %s',
  async (host) => {
    const policy = expect.stringMatching(/^default-src 'none';/)
    expect(await ask('/', host)).toEqual({ status: 200, sniff: 'nosniff', policy })
  },
)

test.each(['evil.example', 'localhost.evil.example', 'evil.example:8080', '127.0.0.1.evil.example'])(
  'under the foreign host name %s only /healthz is served, because a foreign name could be made to point to this machine',
  async (host) => {
    expect((await ask('/', host)).status).toBe(421)
    await close()
    expect((await ask('/summit/run/report.html', host)).status).toBe(421)
    await close()
    expect((await ask('/metrics', host)).status).toBe(421)
    await close()
    expect(await ask('/healthz', host)).toEqual({ status: 200, sniff: 'nosniff' })
  },
)

test('/metrics is served as text in the version that Prometheus expects', async () => {
  const served = await serveHealth(0, '127.0.0.1', state, () => 0, pages)
  close = served.close
  const answer = await fetch(`${served.url}/metrics`)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(await answer.text()).toBe('up 1\n')
})

test('/metrics answers 503 if the database does not answer', async () => {
  const metrics = async () => Promise.reject(new Error('no database'))
  const served = await serveHealth(0, '127.0.0.1', state, () => 0, { ...pages, metrics })
  close = served.close
  expect((await fetch(`${served.url}/metrics`)).status).toBe(503)
})

test('a port that another process uses is refused with the address and what to do', async () => {
  const served = await serveHealth(0, '127.0.0.1', state, () => 0, pages)
  close = served.close
  const { host, port } = new URL(served.url)
  await expect(serveHealth(Number(port), '127.0.0.1', state, () => 0, pages)).rejects.toMatchObject({
    code: 'usage',
    what: `cannot listen on ${host} (EADDRINUSE: address already in use)`,
    todo: expect.stringContaining('--port'),
  })
})
