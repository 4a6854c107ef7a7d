import { cpSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { useFolder } from './folder.ts'
import { FAST, packagedPrograms, serverUser, startServer, withClient } from './postgres.ts'

const folder = useFolder()

test.skipIf(serverUser === null)('root starts a server from a folder that only root may enter', async () => {
  const closed = join(folder(), 'closed')
  mkdirSync(closed, { mode: 0o700 })
  cpSync(dirname(packagedPrograms()), closed, { recursive: true, verbatimSymlinks: true })
  const server = await startServer(join(closed, 'bin'), FAST)
  const { rows } = await withClient(server.url, (client) => client.query('select 1 as one'))
  await server.stop()
  expect(rows).toEqual([{ one: 1 }])
})
