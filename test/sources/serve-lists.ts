import { createServer } from 'node:http'
import type { Records, Served } from '../../pipeline/library/contract.ts'

/** Starts a source on loopback that returns the lists of all its resources in one answer. */
export async function serveLists(path: string, records: Records): Promise<Served> {
  let served = records
  const server = createServer(({ url }, response) => {
    response.statusCode = url === path ? 200 : 404
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify(served))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    hold: (next) => {
      served = next
    },
    close: async () => void server.close(),
  }
}
