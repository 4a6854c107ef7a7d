import type { IncomingHttpHeaders } from 'node:http'
import { describe, expect, test } from 'vitest'
import { get } from './requests.ts'
import { useServers } from './use-servers.ts'

const servers = useServers()

interface Asked {
  readonly method: string | undefined
  readonly url: string
  readonly headers: IncomingHttpHeaders
}

/**
 * Starts a server that records its requests, and redirects the paths that are keys of `redirects`. If a
 * request has another path, the answer is the path as text.
 */
async function start(
  redirects: Readonly<Record<string, string>> = {},
  status = 302,
): Promise<{ readonly url: string; readonly asked: readonly Asked[] }> {
  const asked: Asked[] = []
  const server = await servers.start(({ method, url = '', headers }, response) => {
    asked.push({ method, url, headers })
    const location = redirects[url]
    if (location === undefined) response.end(url)
    else response.writeHead(status, { Location: location }).end('moved')
  })
  return { url: server.url, asked }
}

const Authorization = 'Bearer canary'
const read = (base: string, path: string) =>
  get(`${base}${path}`, { within: new URL(`${base}/base/`), headers: { Authorization } })

describe('a redirect below the address of the source', () => {
  test.each([
    ['a relative path', 'there?x=1'],
    ['a path that leaves the address and comes back', '/other/../base/there?x=1'],
    ['a fragment, which is not sent', '/base/there?x=1#top'],
  ])(
    'a redirect below the address of the source is followed with the same headers: %s',
    async (_, location) => {
      const { url, asked } = await start({ '/base/here': location })
      expect(await read(url, '/base/here')).toEqual({ status: 200, text: '/base/there?x=1' })
      expect(asked.map(({ headers }) => headers.authorization)).toEqual([Authorization, Authorization])
    },
  )

  test.each([301, 302, 303, 307, 308])(
    'a redirect below the address of the source is followed for status %d',
    async (status) => {
      const { url } = await start({ '/base/here': '/base/there' }, status)
      expect((await read(url, '/base/here')).text).toBe('/base/there')
    },
  )

  test('a redirect is followed to an absolute address, and if the address of the source has no slash at its end', async () => {
    const server = await start({ '/base/here': 'there' })
    const within = new URL(`${server.url}/base`)
    expect((await get(`${server.url}/base/here`, { within })).text).toBe('/base/there')
    const again = await servers.start((request, response) => {
      if (request.url === '/there') response.end('arrived')
      else response.writeHead(302, { Location: `${again.url}/there` }).end()
    })
    expect((await get(`${again.url}/here`, { within: new URL(`${again.url}/`) })).text).toBe('arrived')
  })

  test('up to three redirects in a row are followed', async () => {
    const { url, asked } = await start({ '/base/0': '1', '/base/1': '2', '/base/2': '3' })
    expect((await read(url, '/base/0')).text).toBe('/base/3')
    expect(asked).toHaveLength(4)
  })

  test.each([
    ['a chain', { '/base/0': '1', '/base/1': '2', '/base/2': '3', '/base/3': '4' }],
    ['a circle', { '/base/0': '1', '/base/1': '0' }],
    ['a redirect to itself', { '/base/0': '0' }],
    ['a redirect to an empty address', { '/base/0': '' }],
  ])('a fourth redirect in a row is not followed: %s', async (_, redirects) => {
    const { url, asked } = await start(redirects)
    expect((await read(url, '/base/0')).status).toBe(302)
    expect(asked).toHaveLength(4)
  })
})

describe('a redirect that leads elsewhere is not followed', () => {
  // test/pipeline/http/below.test.ts tests which addresses are below another address.
  test.each([
    '/base/../other',
    'http://user@HOST/base/there',
    'https://HOST/base/there',
    'http://[/base/there',
  ])('%s', async (template) => {
    const redirects: Record<string, string> = {}
    const { url, asked } = await start(redirects)
    redirects['/base/here'] = template.replace('HOST', new URL(url).host)
    expect(await read(url, '/base/here')).toEqual({ status: 302, text: 'moved' })
    expect(asked).toHaveLength(1)
  })

  test('no request reaches another server, even after a redirect that was followed', async () => {
    const other = await start()
    const { url, asked } = await start({ '/base/0': '/base/1', '/base/1': `${other.url}/base/there` })
    expect((await read(url, '/base/0')).status).toBe(302)
    expect(asked).toHaveLength(2)
    expect(other.asked).toEqual([])
  })

  test('a redirect is not followed if it has no Location, or if the caller allows no redirects', async () => {
    const { url, asked } = await start({ '/base/here': '/base/there' })
    expect((await get(`${url}/base/here`)).status).toBe(302)
    const server = await servers.start((_, response) => response.writeHead(304).end())
    expect((await read(server.url, '/base/here')).status).toBe(304)
    expect([asked.length, server.requests.length]).toEqual([1, 1])
  })

  test('a redirect of a POST is not followed, because the POST contains the secret', async () => {
    const { url, asked } = await start({ '/base/token': '/base/there' }, 307)
    const within = new URL(`${url}/base/`)
    const body = 'grant_type=client_credentials'
    expect((await get(`${url}/base/token`, { method: 'POST', body, within })).status).toBe(307)
    expect(asked).toHaveLength(1)
  })
})
