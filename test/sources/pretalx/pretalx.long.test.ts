import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import {
  type ContractSubject,
  contractTests,
  type Records,
  type Served,
} from '../../../pipeline/library/contract.ts'
import { packageRoot } from '../../../pipeline/runtime/package-root.ts'
import pretalx from '../../../pipeline/sources/examples/pretalx.ts'
import { runInProcess } from '../../pipeline/commands/in-process.ts'
import { engines } from '../../support/engines.ts'
import { useFolder } from '../../support/folder.ts'
import { createDatabase } from '../../support/postgres.ts'
import { useDatabase } from '../../support/use-database.ts'
import { full } from './full.ts'
import { servePretalx } from './serve.ts'

const subject: ContractSubject = {
  source: pretalx,
  config: { eventId: 'spring', timeZone: 'Europe/Vienna' },
  full,
  serve: servePretalx,
}

describe.each(engines)('on %s', (engine) => {
  const { tests, close } = contractTests(subject, useDatabase(engine))
  for (const { name, run } of tests) test(name, run)
  afterAll(close)
})

const ONE_OF_EACH = Object.fromEntries(Object.entries(full).map(([name, one]) => [name, [one]]))

describe('the example pretalx of the package', () => {
  const folder = useFolder()
  let served: Served
  let url: string
  beforeAll(async () => {
    served = await servePretalx(ONE_OF_EACH)
    url = await createDatabase(inject('postgresUrl'))
  })
  afterAll(() => served.close())

  function event(
    args: readonly string[],
    more: object = {},
    env: Readonly<Record<string, string>> = {},
    input = '',
  ) {
    const type = join(packageRoot, 'pipeline/sources/examples/pretalx.ts')
    const source = { type, url: served.url, eventId: 'spring', timeZone: 'Europe/Vienna', ...more }
    const integrations = [
      { id: 'spring', source, content: ['agenda', 'speakers'], platform: { type: 'jsonl' } },
    ]
    const config = { database: 'env:DATABASE_URL', sealingKey: 'env:KEY', integrations }
    writeFileSync(join(folder(), 'event-sync.yaml'), JSON.stringify(config))
    const variables = { DATABASE_URL: url, KEY: Buffer.alloc(32, 7).toString('base64'), ...env }
    return runInProcess(args, { folder: folder(), env: variables, input })
  }
  const rulesOf = async (more: object = {}) => {
    const { stdout } = await event(['--json', 'check', 'spring'], more)
    return JSON.parse(stdout).checks
  }
  async function changesOf(records: Records, more: object = {}) {
    served.hold(records)
    const { stdout } = await event(['--json', 'run'], more)
    const [report] = JSON.parse(stdout).runs
    return { status: report.status, ...report.changes.agenda, excluded: report.excluded }
  }

  test('check works without the optional token, and says which variable is missing if the token is configured', async () => {
    const without = await event(['check', 'spring'])
    expect([without.code, without.stdout]).toEqual([0, expect.stringContaining('records are returned')])
    const missing = await event(['check', 'spring'], { token: 'env:PRETALX_TOKEN' })
    expect([missing.code, missing.stdout]).toEqual([1, expect.stringContaining('PRETALX_TOKEN')])
  })

  test('check has one rule for each column, even if several columns read the same key', async () => {
    const ids = (await rulesOf()).map(({ rule }: { rule: string }) => rule)
    expect(ids).toEqual(expect.arrayContaining(['speakers.name:first_name', 'speakers.name:last_name']))
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('check notices if source.timeZone does not fit the offsets of times, also of times inside of lists', async () => {
    const other = await rulesOf({ timeZone: 'America/New_York' })
    expect(other).toContainEqual(expect.objectContaining({ rule: 'offsets', status: 'failed' }))
    expect(await rulesOf()).not.toContainEqual(expect.objectContaining({ rule: 'offsets' }))
  })

  test('a speaker is forgotten by e-mail address, also in the lists of sessions, and does not come back', async () => {
    await changesOf(ONE_OF_EACH)
    const args = ['forget', 'spring', 'speakers', '--email', '--delivered']
    const forgotten = await event(args, {}, {}, 'Augusta@Engines.example\n')
    expect([forgotten.code, forgotten.stdout]).toEqual([
      0,
      expect.stringContaining('the person is forgotten'),
    ])
    const later = await event(['--json', 'run'])
    expect(JSON.parse(later.stdout).runs[0].changes.speakers).toMatchObject({ create: 0, remove: 1 })
    for (const table of ['speakers', 'submissions']) {
      const left = await event(['--json', '--show-personal', 'sql', `select * from staging.pretalx_${table}`])
      expect(left.stdout).not.toMatch(/Lovelace|F3DC8A|engines\.example/)
    }
  })

  test('all pages are read, and withdrawn sessions are removed for their reason', async () => {
    const many = Array.from({ length: 120 }, (_, index) => ({ ...full.submissions, code: `S${index}` }))
    expect(await changesOf({ ...ONE_OF_EACH, submissions: many })).toMatchObject({
      status: 'finished',
      create: 120,
    })
    const withdrawn = many.map((one, index) => (index < 30 ? { ...one, state: 'withdrawn' } : one))
    expect(await changesOf({ ...ONE_OF_EACH, submissions: withdrawn })).toMatchObject({
      status: 'finished',
      remove: 30,
      excluded: { 'source_reason:withdrawn': 30 },
    })
    const synced = { states: ['confirmed', 'withdrawn'] }
    expect(await changesOf({ ...ONE_OF_EACH, submissions: withdrawn }, synced)).toMatchObject({ create: 30 })
    const hidden = many.map(({ state, ...rest }) => rest)
    expect(await changesOf({ ...ONE_OF_EACH, submissions: hidden })).toMatchObject({ status: 'held' })
  })
})
