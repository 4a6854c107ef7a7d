import { createServer } from 'node:http'
import type { Records, Served } from '../../../pipeline/library/contract.ts'

interface ServedRegister extends Served {
  /** Queries of all requests that asked for some of the guests. */
  readonly searches: readonly string[]
  forgetSearches(): void
}

/** Starts a server on loopback that answers like the source `register`, with the event `spring`. */
export async function serveRegister(records: Records): Promise<ServedRegister> {
  let held = records
  const searches: string[] = []
  const server = createServer(({ url = '' }, response) => {
    const { pathname, search, searchParams } = new URL(url, 'http://register.example')
    const since = searchParams.get('since')?.replace(' ', 'T')
    const ids = searchParams.get('ids')?.split(',')
    if (search !== '') searches.push(decodeURIComponent(search).replace('+', ' '))
    const found = (held.guests ?? [])
      .filter(({ changed }) => since === undefined || Date.parse(String(changed)) >= Date.parse(`${since}Z`))
      .filter(({ id, email }) => ids?.includes(String(id ?? email)) ?? true)
    response.statusCode = pathname === '/spring/guests' ? 200 : 404
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify({ count: found.length, guests: found }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    searches,
    forgetSearches() {
      searches.length = 0
    },
    hold(next) {
      held = next
    },
    close: async () => void server.close(),
  }
}
