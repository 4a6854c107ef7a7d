import type { IncomingHttpHeaders } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { get } from './requests.ts'
import { serve } from './support.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

interface Asked {
  readonly method: string | undefined
  readonly url: string
  readonly headers: IncomingHttpHeaders
}

/** A server that keeps what it was asked and redirects as told; what has no entry is answered with its path. */
async function start(
  redirects: Readonly<Record<string, string>> = {},
  status = 302,
): Promise<{ readonly url: string; readonly asked: readonly Asked[] }> {
  const asked: Asked[] = []
  const server = await serve(({ method, url = '', headers }, response) => {
    asked.push({ method, url, headers })
    const location = redirects[url]
    if (location === undefined) response.end(url)
    else response.writeHead(status, { Location: location }).end('moved')
  })
  open.push(server)
  return { url: server.url, asked }
}

const Authorization = 'Bearer canary'
const read = (base: string, path: string) =>
  get(`${base}${path}`, { within: new URL(`${base}/base/`), headers: { Authorization } })

describe('a redirect within the address of the source', () => {
  test.each([
    ['an absolute path', '/base/there?x=1'],
    ['a relative path', 'there?x=1'],
    ['a way up that stays within', '/base/a/../there?x=1'],
    ['a way that leaves and comes back', '/other/../base/there?x=1'],
    ['a fragment, which is not sent', '/base/there?x=1#top'],
  ])('is followed with the same headers: %s', async (_, location) => {
    const { url, asked } = await start({ '/base/here': location })
    expect(await read(url, '/base/here')).toEqual({ status: 200, text: '/base/there?x=1' })
    expect(asked.map(({ headers }) => headers.authorization)).toEqual([Authorization, Authorization])
  })

  test.each([301, 302, 303, 307, 308])('is followed for status %d', async (status) => {
    const { url } = await start({ '/base/here': '/base/there' }, status)
    expect((await read(url, '/base/here')).text).toBe('/base/there')
  })

  test('is followed to an absolute address, and from a folder without its slash', async () => {
    const server = await start({ '/base/here': 'there' })
    const within = new URL(`${server.url}/base`)
    expect((await get(`${server.url}/base/here`, { within })).text).toBe('/base/there')
    const again = await serve((request, response) => {
      if (request.url === '/there') response.end('arrived')
      else response.writeHead(302, { Location: `${again.url}/there` }).end()
    })
    open.push(again)
    expect((await get(`${again.url}/here`, { within: new URL(`${again.url}/`) })).text).toBe('arrived')
  })

  test('is followed three times', async () => {
    const { url, asked } = await start({ '/base/0': '1', '/base/1': '2', '/base/2': '3' })
    expect((await read(url, '/base/0')).text).toBe('/base/3')
    expect(asked).toHaveLength(4)
  })

  test.each([
    ['a chain', { '/base/0': '1', '/base/1': '2', '/base/2': '3', '/base/3': '4' }],
    ['a circle', { '/base/0': '1', '/base/1': '0' }],
    ['one that leads to itself', { '/base/0': '0' }],
    ['one that leads nowhere', { '/base/0': '' }],
  ])('is not followed a fourth time: %s', async (_, redirects) => {
    const { url, asked } = await start(redirects)
    expect((await read(url, '/base/0')).status).toBe(302)
    expect(asked).toHaveLength(4)
  })
})

describe('a redirect that leads elsewhere is not followed', () => {
  test.each([
    ['beside the prefix', '/other'],
    ['to a name that only begins like it', '/base-of-another/x'],
    ['up and out', '/base/../other'],
    ['up and out, escaped', '/base/%2e%2e/other'],
    ['up and out, half escaped', '/base/.%2E/other'],
    ['up and out by backslashes', '/base\\..\\other'],
    ['up and out by an escaped slash', '/base/..%2fother'],
    ['up and out by slashes and dots that are escaped', '/base/x%2f%2e%2e%2f%2e%2e%2Fother'],
    ['up and out by escaped backslashes', '/base/..%5c..%5Cother'],
    ['up and out by a parameter', '/base/..;/other'],
    ['to a user', 'http://user@HOST/base/there'],
    ['to a password', 'http://:password@HOST/base/there'],
    ['to another scheme', 'https://HOST/base/there'],
    ['to another port', 'http://127.0.0.1:1/base/there'],
    ['to another name of the same host', 'http://localhost:PORT/base/there'],
    ['to a file', 'file:///etc/passwd'],
    ['to data', 'data:application/json,[]'],
    ['to what is no address', 'http://[/base/there'],
    ['to a host that begins like it', 'http://HOST.example/base/there'],
    ['to a host by its slashes', '//other.example/base/there'],
  ])('%s', async (_, template) => {
    const redirects: Record<string, string> = {}
    const { url, asked } = await start(redirects)
    const { host, port } = new URL(url)
    redirects['/base/here'] = template.replace('HOST', host).replace('PORT', port)
    expect(await read(url, '/base/here')).toEqual({ status: 302, text: 'moved' })
    expect(asked.map(({ url }) => url)).toEqual(['/base/here'])
  })

  test('nothing reaches another server, whatever came before', async () => {
    const other = await start()
    const { url, asked } = await start({ '/base/0': '/base/1', '/base/1': `${other.url}/base/there` })
    expect((await read(url, '/base/0')).status).toBe(302)
    expect(asked).toHaveLength(2)
    expect(other.asked).toEqual([])
  })

  test('nor is one without a Location, or where the caller allows none', async () => {
    const { url, asked } = await start({ '/base/here': '/base/there' })
    expect((await get(`${url}/base/here`)).status).toBe(302)
    const server = await serve((_, response) => response.writeHead(304).end())
    open.push(server)
    expect((await read(server.url, '/base/here')).status).toBe(304)
    expect([asked.length, server.requests.length]).toEqual([1, 1])
  })

  test('nor is that of a POST, which carries the secret', async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      const { url, asked } = await start({ '/base/token': '/base/there' }, status)
      const within = new URL(`${url}/base/`)
      const body = 'grant_type=client_credentials'
      expect((await get(`${url}/base/token`, { method: 'POST', body, within })).status).toBe(status)
      expect(asked).toHaveLength(1)
    }
  })
})
