import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject } from 'vitest'
import type { Served } from '../../pipeline/library/contract.ts'
import { packageRoot } from '../../pipeline/runtime/package-root.ts'
import { exampleA } from '../sources/a.ts'
import { recordsOf } from '../sources/example.ts'
import { full } from '../sources/sessionize/full.ts'
import { serveSessionize } from '../sources/sessionize/serve.ts'
import { useFolder } from '../support/folder.ts'
import { createDatabase } from '../support/postgres.ts'
import { runInProcess } from './commands/in-process.ts'

export const EXAMPLE = join(packageRoot, 'test/sources/sessionize/sessionize.ts')
export const ONE_OF_EACH = Object.fromEntries(Object.entries(full).map(([name, one]) => [name, [one]]))

/** Gives the tests of a block a server of Sessionize, and commands with sources that a test writes into files. */
export function useSessionize() {
  const folder = useFolder()
  let served: Served
  let before: Served
  let url: string
  beforeAll(async () => {
    served = await serveSessionize(ONE_OF_EACH)
    before = await exampleA.serve(recordsOf(exampleA))
    url = await createDatabase(inject('postgresUrl'))
  })
  afterAll(() => Promise.all([served.close(), before.close()]))

  const source = (type: string, more: object = {}) => ({
    type,
    url: served.url,
    eventId: 'spring',
    timeZone: 'Europe/Vienna',
    ...more,
  })
  function write(file: string, text: string): string {
    mkdirSync(join(folder(), 'sources'), { recursive: true })
    writeFileSync(join(folder(), 'sources', file), text)
    return `./sources/${file}`
  }
  const reexport = (file: string) => write(file, `export { default } from ${JSON.stringify(EXAMPLE)}\n`)
  function event(args: readonly string[], integrations: readonly object[]) {
    const all = integrations.map((one, index) => ({
      id: ['spring', 'autumn'][index],
      content: ['agenda', 'speakers'],
      platform: { type: 'jsonl' },
      ...one,
    }))
    const config = { database: 'env:DATABASE_URL', sealingKey: 'env:KEY', integrations: all }
    writeFileSync(join(folder(), 'event-sync.yaml'), JSON.stringify(config))
    const env = { DATABASE_URL: url, KEY: Buffer.alloc(32, 7).toString('base64') }
    return runInProcess(args, { folder: folder(), env })
  }
  const select = async (query: string, integrations: readonly object[]) =>
    JSON.parse((await event(['--json', '--show-personal', 'sql', query], integrations)).stdout)
  const broken = (file: string, before: string, after: string) => {
    const text = readFileSync(EXAMPLE, 'utf8')
    expect(text).toContain(before)
    return write(file, text.replace(before, after))
  }
  return {
    folder,
    served: () => served,
    before: () => before,
    source,
    write,
    reexport,
    broken,
    event,
    select,
  }
}
