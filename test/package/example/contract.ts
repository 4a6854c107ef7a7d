import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import { contractTests, type Records } from 'event-content-sync/testing'
import source from './sources/sessionize.ts'

async function serve(records: Records) {
  let served = records
  const server = createServer((_, response) => void response.end(JSON.stringify(served)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    hold: (next: Records) => {
      served = next
    },
    close: async () => {
      server.close()
    },
  }
}

const config = { eventId: 'spring', timeZone: 'Europe/Vienna' }
const full = JSON.parse(readFileSync('records.json', 'utf8'))
const { tests, close } = contractTests({ source, config, full, serve })
for (const { name, run } of tests) test(name, run)
after(close)
