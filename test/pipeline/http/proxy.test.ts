import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeConnections } from '../../../pipeline/http/connections.ts'
import { send } from '../../../pipeline/http/http.ts'
import { chooseProxies } from '../../../pipeline/http/proxy.ts'
import { HttpFault } from '../../../pipeline/http/read-error.ts'
import { statusFault } from '../../../pipeline/http/retry.ts'
import { ConfigError } from '../../../pipeline/settings/errors.ts'
import { type HttpProxyOptions, startHttpProxy } from '../../harness/http-proxy.ts'
import { type Authority, hasOpenssl, openAuthorities } from '../extract/certificates.ts'
import { failedRead, get, limits } from '../extract/requests.ts'
import { useServers } from '../extract/use-servers.ts'

const { start, closing } = useServers()

type Env = Readonly<Record<string, string>>

function choose(env: Env, proxy?: string) {
  return chooseProxies(proxy, { env, readFile: () => env.FILE ?? '', configFolder: '/' })
}

const chosen = (env: Env, url: string, proxy?: string) => {
  const found = choose(env, proxy)(new URL(url))
  return found === null ? null : `${found.shown} ${found.namedBy}`
}

describe('the proxy of an address', () => {
  const P = 'http://proxy.example:3128'
  const Q = 'http://other.example:8080'

  test.each<[what: string, env: Env, url: string, proxy: string | null]>([
    ['none is set', {}, 'https://a.example', null],
    ['https', { HTTPS_PROXY: P, HTTP_PROXY: Q }, 'https://a.example', 'proxy.example:3128 HTTPS_PROXY'],
    ['http', { HTTPS_PROXY: P, HTTP_PROXY: Q }, 'http://a.example', 'other.example:8080 HTTP_PROXY'],
    ['only a proxy for the other scheme', { HTTP_PROXY: Q }, 'https://a.example', null],
    ['lower case', { https_proxy: P }, 'https://a.example', 'proxy.example:3128 https_proxy'],
    [
      'both spellings',
      { https_proxy: P, HTTPS_PROXY: Q },
      'https://a.example',
      'proxy.example:3128 https_proxy',
    ],
    [
      'an empty value',
      { https_proxy: ' ', HTTPS_PROXY: Q },
      'https://a.example',
      'other.example:8080 HTTPS_PROXY',
    ],
    [
      'without a scheme',
      { HTTPS_PROXY: 'proxy.example:3128' },
      'https://a.example',
      'proxy.example:3128 HTTPS_PROXY',
    ],
    [
      'without a port',
      { HTTPS_PROXY: 'http://proxy.example' },
      'https://a.example',
      'proxy.example:80 HTTPS_PROXY',
    ],
    [
      'over TLS',
      { HTTPS_PROXY: 'https://proxy.example/' },
      'https://a.example',
      'proxy.example:443 HTTPS_PROXY',
    ],
    [
      'IPv6',
      { HTTPS_PROXY: 'http://[2001:db8::1]:3128' },
      'https://a.example',
      '[2001:db8::1]:3128 HTTPS_PROXY',
    ],
    ['a local address, and a proxy on another machine', { HTTP_PROXY: P }, 'http://127.0.0.1:8080', null],
    [
      'a local address by name, and a proxy on another machine',
      { HTTP_PROXY: P },
      'http://localhost:8080',
      null,
    ],
    [
      'a local address, and a proxy on this machine',
      { HTTP_PROXY: 'http://[::1]:1' },
      'http://127.0.0.1:8080',
      '[::1]:1 HTTP_PROXY',
    ],
  ])('%s', (_, env, url, proxy) => {
    expect(chosen(env, url)).toBe(proxy)
  })

  test('http.proxy applies to http and https addresses, takes precedence over HTTPS_PROXY, and may be a reference', () => {
    const env = { HTTPS_PROXY: Q, MINE: 'http://ada:canary@proxy.example:3128', FILE: 'proxy.example:3129\n' }
    expect(chosen(env, 'https://a.example', P)).toBe('proxy.example:3128 http.proxy')
    expect(chosen(env, 'http://a.example', P)).toBe('proxy.example:3128 http.proxy')
    expect(chosen(env, 'http://a.example', 'env:MINE')).toBe('proxy.example:3128 http.proxy')
    expect(chosen(env, 'http://a.example', 'file:proxy')).toBe('proxy.example:3129 http.proxy')
    expect(chosen({ NO_PROXY: 'a.example' }, 'http://a.example', P)).toBeNull()
    expect(inspect(choose(env, 'env:MINE')(new URL('http://a.example')), { depth: 9 })).not.toContain(
      'canary',
    )
  })

  test.each<[list: string, exempt: readonly string[], others: readonly string[]]>([
    ['*', ['https://a.example', 'https://10.0.0.1'], []],
    ['a.example', ['https://a.example', 'https://A.Example.', 'https://x.a.example'], ['https://ba.example']],
    ['.a.example', ['https://a.example', 'https://x.y.a.example'], ['https://ba.example', 'https://example']],
    ['*.a.example', ['https://x.a.example'], ['https://b.example']],
    ['a.example.', ['https://a.example', 'https://x.a.example.'], ['https://ba.example']],
    ['.A.example.:8443', ['https://a.example:8443'], ['https://a.example']],
    ['b.example, A.EXAMPLE', ['https://a.example', 'https://b.example'], ['https://c.example']],
    ['b.example a.example', ['https://a.example', 'https://b.example'], ['https://c.example']],
    ['a.example:8443', ['https://a.example:8443'], ['https://a.example']],
    ['a.example:443', ['https://a.example'], ['https://a.example:8443']],
    ['10.1.2.3', ['https://10.1.2.3'], ['https://10.1.2.30', 'https://a.example']],
    ['10.0.0.0/8,192.168.4.0/22', ['https://10.9.9.9', 'https://192.168.7.1'], ['https://192.168.8.1']],
    ['2001:db8::/32', ['https://[2001:db8::7]'], ['https://[2001:db9::7]', 'https://10.0.0.1']],
    ['[2001:db8::1]:8443', ['https://[2001:db8::1]:8443'], ['https://[2001:db8::1]']],
    ['2001:db8::1', ['https://[2001:db8:0::1]'], ['https://[2001:db8::2]']],
    ['10.0.0.0/99, /, :, ,', [], ['https://10.0.0.1', 'https://a.example']],
  ])('NO_PROXY=%s exempts only the addresses that it names', (list, exempt, others) => {
    for (const spelling of ['NO_PROXY', 'no_proxy']) {
      const env = { HTTPS_PROXY: P, [spelling]: list }
      expect(exempt.map((url) => chosen(env, url))).toEqual(exempt.map(() => null))
      expect(others.map((url) => chosen(env, url))).toEqual(
        others.map(() => 'proxy.example:3128 HTTPS_PROXY'),
      )
    }
  })

  test('the address of a proxy may contain escaped characters in its user name and password', () => {
    const address = 'http://CORP%5Cada:2024%23%2F%3F%40@proxy.example:3128/'
    const found = choose({ HTTPS_PROXY: address })(new URL('https://a.example'))
    expect(found?.shown).toBe('proxy.example:3128')
    const login = Buffer.from('CORP\\ada:2024#/?@').toString('base64')
    expect(found?.authorization()).toBe(`Basic ${login}`)
  })

  test.each([
    ['SOCKS', 'socks5://ada:canary@proxy.example:1080'],
    ['another scheme', 'ftp://canary.example'],
    ['no address', 'http://canary example'],
    ['no host', 'http://'],
    ['with a # in the password', 'http://canary:2024#canary@proxy.example:3128'],
    ['with a / in the password', 'http://canary:443/canary@proxy.example:3128'],
    ['with a / as the whole password', 'http://canary:/@proxy.example:3128'],
    ['with a ? in the password', 'http://canary:?canary@proxy.example:3128'],
    ['with a ? in the user name', 'canary?canary:canary@proxy.example:3128'],
    ['with a domain before the user name', 'http://canary\\canary:canary@proxy.example:3128'],
    ['with a backslash as the whole password', 'http://canary:\\@proxy.example:3128'],
    ['with one slash after the scheme', 'http:/ada:canary@proxy.example:3128'],
    ['with a path', 'http://proxy.example:3128/canary'],
  ])('the address of a proxy is refused without being shown if it is %s', (_, value) => {
    for (const [name, work] of [
      ['HTTPS_PROXY', () => choose({ HTTPS_PROXY: value })],
      ['http.proxy', () => choose({ MINE: value }, 'env:MINE')],
    ] as const) {
      expect(work).toThrow(ConfigError)
      expect(work).toThrow(`${name}: the proxy is not an http or https address (not shown); set it to`)
      expect(work).not.toThrow('canary')
    }
  })
})

/** Starts a proxy with these options, and returns connections that go through this proxy. */
async function startProxy(options: HttpProxyOptions, login = '', certificates: string | null = null) {
  const proxy = closing(await startHttpProxy(options))
  const address = `http://${login}127.0.0.1:${proxy.port}`
  const proxyOf = choose({ HTTPS_PROXY: address, HTTP_PROXY: address })
  const connections = makeConnections(5000, certificates, proxyOf)
  closing({ close: async () => connections.close() })
  return { proxy, shown: `127.0.0.1:${proxy.port}`, connections }
}

const SEND_ONCE = fileURLToPath(new URL('../extract/send-once.ts', import.meta.url))

test.each(['*', 'https-proxy-agent,http-proxy-agent', 'http*'])(
  'with DEBUG=%s the output contains no credentials of the proxy or of the source',
  async (DEBUG) => {
    const source = await start((_, response) => response.end('read'))
    const proxy = closing(await startHttpProxy({ ports: { 'source.example': portOf(source.url) } }))
    const address = `http://ada:canary@127.0.0.1:${proxy.port}`
    const login = Buffer.from('ada:canary').toString('base64')
    const env = { PATH: process.env.PATH, DEBUG, HTTP_PROXY: address, HTTPS_PROXY: address }
    const printed: string[] = []
    // The proxy does not know the second host, so it refuses a tunnel to this host.
    for (const url of ['http://source.example/', 'https://other.example/']) {
      const child = execFile(process.execPath, [SEND_ONCE, url], { env, timeout: 60_000 })
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => printed.push(text))
      await once(child, 'close')
      expect(proxy.credentials()).toBe(`Basic ${login}`)
    }
    expect(proxy.requests).toEqual(['GET http://source.example/', 'CONNECT other.example:443'])
    const text = printed.join('')
    expect(text).toMatch(/^read/)
    expect(text).toContain('answered 502')
    for (const secret of ['canary', login]) expect(text).not.toContain(secret)
  },
)

const portOf = (url: string) => Number(new URL(url).port)

describe('an http request', () => {
  test('an http request goes through the proxy, and the source does not receive the credentials of the proxy', async () => {
    const seen: unknown[] = []
    const source = await start((request, response) => {
      const { authorization, host, 'proxy-authorization': leaked } = request.headers
      seen.push([request.method, request.url, authorization, host, leaked])
      request.resume().on('end', () => response.end('["é"]'))
    })
    const ports = { 'source.example': portOf(source.url) }
    const { proxy, connections } = await startProxy({ ports, demands: 'ada:p@ss%' }, 'ada:p%40ss%@')
    const headers = { Authorization: 'Bearer x' }
    for (const method of ['GET', 'POST'] as const) {
      const body = method === 'POST' ? { body: 'a=b' } : {}
      const url = 'http://source.example/api?x=%20y'
      expect((await get(url, { connections, headers, method, ...body })).text).toBe('["é"]')
    }
    expect(seen).toEqual([
      ['GET', '/api?x=%20y', 'Bearer x', 'source.example', undefined],
      ['POST', '/api?x=%20y', 'Bearer x', 'source.example', undefined],
    ])
    expect(proxy.requests).toEqual([
      'GET http://source.example/api?x=%20y',
      'POST http://source.example/api?x=%20y',
    ])
    expect(proxy.connections()).toBe(1)
  })
})

describe.skipIf(!hasOpenssl())('an https request (skipped without openssl)', () => {
  let authorities: ReturnType<typeof openAuthorities>
  let ours: Authority
  beforeAll(() => {
    authorities = openAuthorities()
    ours = authorities.make('ours')
  })
  afterAll(() => authorities.close())

  async function startSecure(name = 'DNS:source.example') {
    const server = createServer({ ...ours.issue(name) }, (request, response) =>
      response.end(`${request.headers.host} ${request.headers['proxy-authorization']}`),
    )
    server.listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    closing({
      async close() {
        server.close()
        server.closeAllConnections()
      },
    })
    return (server.address() as AddressInfo).port
  }

  test('an https request goes through one tunnel with the certificate of the source, and the proxy sees neither path nor headers', async () => {
    const port = await startSecure()
    const ways = { ports: { 'source.example': port }, demands: 'ada:canary' }
    const { proxy, connections } = await startProxy(ways, 'ada:canary@', ours.certificate)
    for (const path of ['a', 'b']) {
      const url = `https://source.example/${path}`
      expect((await get(url, { connections })).text).toBe('source.example undefined')
    }
    expect([proxy.requests, proxy.connections()]).toEqual([['CONNECT source.example:443'], 1])
  })

  test.each([
    ['an unknown authority', 'DNS:source.example', null],
    ['another name', 'DNS:other.example', 'ours'],
  ])(
    'an https request through a proxy fails if the certificate is of %s, and the error names the proxy',
    async (_, name, trusted) => {
      const port = await startSecure(name)
      const certificate = trusted === null ? null : ours.certificate
      const { shown, connections } = await startProxy({ ports: { 'source.example': port } }, '', certificate)
      const error = await failedRead(get('https://source.example', { connections }))
      expect(error.what).toMatch(/^the certificate is not trusted \([A-Z_]+\) through the proxy /)
      expect(error.what).toContain(shown)
      expect(error.retryable).toBe(false)
    },
  )
})

describe.each(['http', 'https'])('a proxy that does not forward a request to an %s address', (scheme) => {
  const url = `${scheme}://source.example/api`
  const named = `${scheme.toUpperCase()}_PROXY`

  test.each<[what: string, options: HttpProxyOptions, login: string, message: RegExp, retryable: boolean]>([
    [
      'wants a password',
      { demands: 'ada:canary' },
      '',
      /^the proxy SHOWN answered 407: it wants a user name and a password: put them into NAMED, as in http:\/\/USER:PASSWORD@SHOWN, or exempt source\.example by NO_PROXY$/,
      false,
    ],
    [
      'wants another password',
      { demands: 'ada:other' },
      'ada:canary@',
      /^the proxy SHOWN answered 407: it refuses the user name and password: put them into NAMED/,
      false,
    ],
    [
      'ends the connection',
      { fault: 'ends' },
      'ada:canary@',
      /^the connection (to the proxy SHOWN failed \(closed\): check NAMED|failed \(ECONNRESET\) through the proxy SHOWN: check source\.url|broke off through the proxy SHOWN)/,
      true,
    ],
  ])('is reported if it %s', async (_, options, login, message, retryable) => {
    const { shown, connections } = await startProxy(options, login)
    const error = await failedRead(get(url, { connections }))
    const expected = message.source
      .replaceAll('SHOWN', shown.replaceAll('.', '\\.'))
      .replaceAll('NAMED', named)
    expect(error.message).toMatch(new RegExp(expected))
    expect(error.retryable).toBe(retryable)
    expect(error.message + JSON.stringify(error)).not.toContain('canary')
  })

  test('a proxy that does not listen is reported', async () => {
    const proxy = await startHttpProxy()
    await proxy.close()
    const address = `http://ada:canary@127.0.0.1:${proxy.port}`
    const connections = makeConnections(5000, null, choose({ [named]: address }))
    const error = await failedRead(get(url, { connections }))
    expect(error.message).toBe(
      `the connection to the proxy 127.0.0.1:${proxy.port} failed (ECONNREFUSED): check ${named}, or exempt source.example by NO_PROXY`,
    )
    expect(error.retryable).toBe(true)
    expect(inspect(error, { depth: 20 })).not.toContain('canary')
  })

  test('a proxy whose host name has no address is reported', async () => {
    const connections = makeConnections(5000, null, choose({ [named]: 'http://proxy.invalid:3128' }))
    const error = await failedRead(get(url, { connections }))
    expect(error.message).toMatch(
      /^the connection to the proxy proxy\.invalid:3128 failed \((ENOTFOUND|EAI_AGAIN)\)/,
    )
  })
})

test.each([
  [403, false],
  [404, false],
  [204, false],
  [502, true],
  [503, true],
])(
  'if a proxy refuses a tunnel with %i, this is a fault of the proxy, not an answer of the source',
  async (status, retryable) => {
    const { shown, connections, proxy } = await startProxy({ status })
    const error = await failedRead(get('https://source.example', { connections }))
    expect(error).toBeInstanceOf(HttpFault)
    expect(error).toMatchObject({
      what: `the proxy ${shown} answered ${status} and did not connect to source.example`,
      kind: 'proxy',
      status: null,
      retryable,
    })
    await expect.poll(() => proxy.connections()).toBe(1)
  },
)

test.each([
  'hello\r\n\r\n',
  'hello\r\ncanary\r\n\r\n',
  '\r\n\r\n',
  'HTTP/1.1 canary No\r\n\r\n',
  'HTTP/1.1 0 No\r\n\r\n',
  'HTTP/1.1 200000 OK\r\n\r\n',
  '220 canary ESMTP ready\r\n\r\n',
])('if a server answers CONNECT with %j, the error says that it is not a proxy', async (text) => {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.end(text))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing({ close: async () => void server.close() })
  const { port } = server.address() as AddressInfo
  const connections = makeConnections(5000, null, choose({ HTTPS_PROXY: `http://127.0.0.1:${port}` }))
  const error = await failedRead(get('https://source.example', { connections }))
  expect(error).toMatchObject({
    what: `127.0.0.1:${port} did not answer as a proxy does`,
    hint: 'check host and port in HTTPS_PROXY, and whether an http proxy listens there, or exempt source.example by NO_PROXY',
    kind: 'proxy',
    retryable: false,
  })
})

test.each([502, 503, 504, 500, 404])(
  'the error for status %i names the proxy only if the proxy may have sent this status',
  async (status) => {
    const { shown, connections } = await startProxy({ status })
    const url = new URL('http://source.example')
    const answer = await send({ url, addressKey: 'source.url' }, { ...limits, connections })
    const by = status > 500 ? `, perhaps by the proxy ${shown} (HTTP_PROXY)` : ''
    expect(statusFault(answer, 0).what).toBe(`answered ${status}${by}`)
    answer.discard()
  },
)

test('a request to a proxy that does not answer fails after the connection time-out', async () => {
  const proxy = closing(await startHttpProxy({ fault: 'silent' }))
  const proxyOf = choose({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` })
  const connections = makeConnections(200, null, proxyOf)
  const error = await failedRead(get('https://source.example', { connections, timeoutMs: 60_000 }))
  expect(error).toMatchObject({
    what: `the connection to the proxy 127.0.0.1:${proxy.port} timed out`,
    retryable: true,
  })
})
