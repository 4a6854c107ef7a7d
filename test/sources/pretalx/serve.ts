import { createServer } from 'node:http'
import type { Records, Served } from '../../../pipeline/library/contract.ts'

/** Number of records on a page of pretalx. */
const PAGE_SIZE = 50

/** Starts a server on loopback that answers like the API of pretalx, with the event `spring`. */
export async function servePretalx(records: Records): Promise<Served> {
  let served = records
  const server = createServer(({ url: asked = '' }, response) => {
    const { pathname, searchParams } = new URL(asked, 'http://pretalx.example')
    const [, list = ''] = /^\/api\/events\/spring\/([a-z]+)\/$/.exec(pathname) ?? []
    const all = served[list]
    const page = Number(searchParams.get('page') ?? 1)
    const results = all?.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE) ?? []
    const isThere = all !== undefined && (page === 1 || results.length > 0)
    const next =
      all !== undefined && page * PAGE_SIZE < all.length ? `${url}${pathname}?page=${page + 1}` : null
    response.statusCode = isThere ? 200 : 404
    response.setHeader('Content-Type', 'application/json')
    response.end(
      JSON.stringify(
        isThere ? { count: all.length, next, previous: null, results } : { detail: 'Not found.' },
      ),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  return {
    url,
    hold: (next) => {
      served = next
    },
    close: async () => void server.close(),
  }
}
