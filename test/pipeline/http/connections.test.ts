import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { ConfigError } from '../../../pipeline/config/config.ts'
import { CONNECT_TIMEOUT } from '../../../pipeline/http/connect-timeout.ts'
import { makeConnections } from '../../../pipeline/http/connections.ts'
import { makeRetries } from '../../../pipeline/http/retry.ts'
import { serve } from '../../harness/loopback.ts'
import { type Authority, hasOpenssl, type Identity, openAuthorities } from '../extract/certificates.ts'
import { failedRead, get } from '../extract/requests.ts'
import { failureOf, testEnvironment } from '../extract/support.ts'

const run = promisify(execFile)
const SEND_ONCE = fileURLToPath(new URL('../extract/send-once.ts', import.meta.url))

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

interface Listening {
  readonly port: number
  /** The number of all connections so far, and the number of open connections. */
  readonly connections: { total: number; open: number }
}

async function listen(server: Server): Promise<Listening> {
  const connections = { total: 0, open: 0 }
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    connections.total += 1
    connections.open += 1
    socket.on('close', () => {
      connections.open -= 1
    })
    socket.on('error', () => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push(async () => {
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  })
  return { port: (server.address() as AddressInfo).port, connections }
}

const hello: RequestListener = (_, response) => void response.end('hello')
const listenAs = (identity: Identity) =>
  listen(createHttpsServer({ ...identity, keepAliveTimeout: 60_000 }, hello))

describe.skipIf(!hasOpenssl())('certificates (skipped without openssl)', () => {
  let authorities: ReturnType<typeof openAuthorities>
  let ours: Authority
  let theirs: Authority
  let good: Identity
  beforeAll(() => {
    authorities = openAuthorities()
    ours = authorities.make('ours')
    theirs = authorities.make('theirs')
    good = ours.issue('IP:127.0.0.1')
  })
  afterAll(() => authorities.close())

  const trusting = (...those: readonly Authority[]) =>
    makeConnections(5000, those.map(({ certificate }) => certificate).join('\n'))

  test('certificates of a private authority are refused unless http.caFile contains this authority', async () => {
    const { port } = await listenAs(good)
    const error = await failedRead(get(`https://127.0.0.1:${port}`))
    expect(error.message).toMatch(
      /^the certificate is not trusted \([A-Z_]+\): check source\.url; if the certificate is from a private authority, set http\.caFile/,
    )
    expect(error).toMatchObject({ kind: 'certificate', retryable: false })
    const url = `https://127.0.0.1:${port}`
    // The file contains several certificate authorities, with other text between them.
    const file = `# theirs\r\n${theirs.certificate}\n# ours\n${ours.certificate}\nend`
    expect((await get(url, { connections: makeConnections(5000, file) })).text).toBe('hello')
    expect((await failedRead(get(url, { connections: trusting(theirs) }))).retryable).toBe(false)
  })

  test('certificates of an authority that Node trusts are accepted in addition to those of http.caFile', async () => {
    const { port } = await listenAs(theirs.issue('IP:127.0.0.1'))
    const usual = getCACertificates('default')
    setDefaultCACertificates([...usual, theirs.certificate])
    try {
      const answer = await get(`https://127.0.0.1:${port}`, { connections: trusting(ours) })
      expect(answer.text).toBe('hello')
    } finally {
      setDefaultCACertificates(usual)
    }
  })

  test.each<[string, string, number]>([
    ['that have expired', 'IP:127.0.0.1', -1],
    ['for another name', 'DNS:source.example', 2],
  ])(
    '%s are refused although their authority is trusted, and the request is not retried',
    async (_, name, days) => {
      const { port, connections } = await listenAs(ours.issue(name, days))
      const environment = testEnvironment()
      const retries = makeRetries(environment, 300_000, () => undefined)
      const error = await failedRead(
        retries.run('x', () => get(`https://127.0.0.1:${port}`, { connections: trusting(ours) })),
      )
      expect(error.message).toMatch(/^the certificate is not trusted \([A-Z_]+\): .*http\.caFile/)
      expect(error.message).toMatch(days < 0 ? /\(CERT_HAS_EXPIRED\)/ : /\(ERR_TLS_CERT_ALTNAME_INVALID\)/)
      expect(environment.sleeps).toEqual([])
      expect(connections.total).toBe(1)
    },
  )

  test('an http.caFile without a certificate, or with a damaged certificate, is a configuration error', () => {
    const broken = ours.certificate.replace(/\n[^\n]{20}/, '\nAAAAAAAAAAAAAAAAAAAA')
    const cases: readonly [string, RegExp][] = [
      ['', /^http\.caFile: the file holds no certificate; put PEM certificates there$/],
      [good.key, /^http\.caFile: the file holds no certificate; put PEM certificates there$/],
      [
        `${ours.certificate}${broken}`,
        /^http\.caFile: certificate 2 of the file cannot be read; replace it$/,
      ],
    ]
    for (const [file, message] of cases) {
      expect(() => makeConnections(5000, file)).toThrow(message)
      expect(() => makeConnections(5000, file)).toThrow(ConfigError)
    }
  })

  test('a connection is reused for the next request, and an answer may take longer than the connection time-out', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const connectMs = 20_000
    const { port, connections } = await listen(
      createHttpsServer({ ...good, keepAliveTimeout: 60_000 }, (_, response) => {
        response.write('hel')
        vi.advanceTimersByTime(connectMs + 1000)
        response.end('lo')
      }),
    )
    const options = { connections: makeConnections(connectMs, ours.certificate), timeoutMs: 60_000 }
    for (let request = 0; request < 2; request += 1) {
      expect((await get(`https://127.0.0.1:${port}`, options)).text).toBe('hello')
    }
    expect(connections).toEqual({ total: 1, open: 1 })
  })

  test('a request with https to an http server fails, and so does a request with http to an https server', async () => {
    const plain = await serve(hello)
    open.push(plain.close)
    const error = await failedRead(get(plain.url.replace('http:', 'https:')))
    expect(error.message).toMatch(
      /^the connection failed \([A-Z_]+\): check source\.url, whether it is https/,
    )
    expect(error).toMatchObject({ kind: 'tls', retryable: false })
    const { port } = await listenAs(good)
    expect((await failedRead(get(`http://127.0.0.1:${port}`))).message).toMatch(/^the connection/)
  })
})

describe('a connection that cannot be established', () => {
  test('connecting fails after the connection time-out, even if answers may take longer, and may be retried', async () => {
    const { port, connections } = await listen(createServer((socket) => socket.resume()))
    const options = { connections: makeConnections(200), timeoutMs: 60_000 }
    const error = await failedRead(get(`https://127.0.0.1:${port}`, options))
    expect(error).toMatchObject({
      message:
        'the connection timed out: check source.url, and that this machine can reach it (firewall, proxy)',
      kind: 'timeout',
      retryable: true,
    })
    await expect.poll(() => connections.open).toBe(0)
  })

  test('connecting fails after the connection time-out if looking up the host name takes too long', async () => {
    const agent = await makeConnections(100).agentFor(new URL('http://source.example'))
    const connect = Reflect.get(agent, 'createConnection') as (options: object) => Socket
    const socket = connect.call(agent, { host: 'source.example', port: 80, lookup: () => undefined })
    const [error] = await once(socket, 'error').catch((thrown: unknown) => [thrown])
    expect(error).toMatchObject({ code: CONNECT_TIMEOUT })
  })

  test('a connection that is being established is closed when its request is given up', async () => {
    const { port, connections } = await listen(createServer((socket) => socket.resume()))
    const options = { connections: makeConnections(60_000), timeoutMs: 200 }
    const error = await failureOf(get(`https://127.0.0.1:${port}`, options))
    expect(error.message).toBe(
      'no answer for 0.2 s: check source.url, and that this machine can reach it (firewall, proxy)',
    )
    await expect.poll(() => connections.open).toBe(0)
  })
})

test('an open connection that is kept for the next request does not delay the end of the process', async () => {
  const { port, connections } = await listen(createHttpServer({ keepAliveTimeout: 600_000 }, hello))
  // The process must end within 110 s. The server itself would close the open connection only after 600 s.
  const { stdout } = await run(process.execPath, [SEND_ONCE, `http://127.0.0.1:${port}`], {
    timeout: 110_000,
  })
  expect(stdout).toBe('hello')
  expect(connections).toMatchObject({ total: 1 })
})

test('connections that are closed send no further request, which nothing would end', async () => {
  const connections = makeConnections(1000)
  connections.close()
  await expect(connections.agentFor(new URL('http://127.0.0.1:9/'))).rejects.toThrow('aborted')
})
