import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { packageRoot } from '../../pipeline/runtime/package-root.ts'
import type { JsonObject } from '../../transforms/rules/values.ts'
import { serveRegister } from '../sources/register/serve.ts'
import { useFolder } from '../support/folder.ts'
import { createDatabase } from '../support/postgres.ts'
import { runInProcess } from './commands/in-process.ts'

const SOURCE = join(packageRoot, 'test/sources/register/register.ts')

const guest = (id: string | null, first: string, minute: number, more: JsonObject = {}): JsonObject => ({
  id,
  first,
  last: 'Lovelace',
  email: `${first.toLowerCase()}@engines.example`,
  // The source writes this time with an offset.
  changed: `2021-01-01T09:${String(minute).padStart(2, '0')}:00+02:00`,
  ...more,
})
const GUESTS = [guest('1', 'Ada', 1), guest('2', 'Bea', 2), guest(null, 'Cleo', 3)]

describe('a source from outside can do what the sources of this package can do', () => {
  const folder = useFolder()
  let served: Awaited<ReturnType<typeof serveRegister>>
  let url: string
  beforeAll(async () => {
    served = await serveRegister({ guests: GUESTS })
    url = await createDatabase(inject('postgresUrl'))
  })
  afterAll(() => served.close())

  function event(args: readonly string[], more: object = {}, input = '') {
    const source = { type: SOURCE, url: served.url, eventId: 'spring', timeZone: 'Europe/Vienna', ...more }
    const integrations = [{ id: 'spring', source, content: ['attendees'], platform: { type: 'jsonl' } }]
    const config = { database: 'env:DATABASE_URL', sealingKey: 'env:KEY', integrations }
    writeFileSync(join(folder(), 'event-sync.yaml'), JSON.stringify(config))
    const env = { DATABASE_URL: url, KEY: Buffer.alloc(32, 7).toString('base64') }
    return runInProcess(args, { folder: folder(), env, input })
  }
  async function run(more: object = {}, ...args: readonly string[]) {
    const { code, stdout } = await event(['--json', 'run', ...args], more)
    const [report] = JSON.parse(stdout).runs
    return { code, status: report.status, ...report.changes.attendees, run: report.run }
  }
  /** Returns the text of all files of the newest pack. */
  const packOf = (run: string) => {
    const pack = join(folder(), 'out', 'spring', run)
    return readdirSync(pack).map((file) => readFileSync(join(pack, file), 'utf8'))
  }

  test('an e-mail address can serve as the id of a person who has none, and is then hidden as a personal id', async () => {
    expect(await run()).toMatchObject({ code: 0, status: 'finished', create: 3 })
    const ids = await event(['--json', '--show-personal', 'sql', 'select unique_id from sync.platform_items'])
    expect(JSON.parse(ids.stdout).rows).toEqual(
      ['1', '2', 'cleo@engines.example'].map((unique_id) => ({ unique_id })),
    )
    const shown = await event(['show', 'spring'])
    expect(shown.stdout).not.toContain('cleo@')
  })

  test('a source whose records say when they changed can be read by changes, with times that have an offset', async () => {
    const byChanges = { reading: { mode: 'changes' } }
    expect(await run(byChanges)).toMatchObject({ code: 0, unchanged: 3 })
    served.hold({ guests: [...GUESTS.slice(0, 2), guest(null, 'Cleo', 9, { company: 'Mill' })] })
    served.forgetSearches()
    expect(await run(byChanges)).toMatchObject({ code: 0, update: 1, unchanged: 2 })
    // The newest change, 09:03 at +02:00, less an hour of overlap.
    expect(served.searches).toEqual(['?since=2021-01-01 06:03:00'])
    served.hold({ guests: GUESTS })
    const full = await run(byChanges, '--full')
    expect(full).toMatchObject({ code: 0, update: 1 })
  })

  test('the configuration can replace the key of a column, and forget then finds a person by the address under that key', async () => {
    const fields = { fields: { email: 'work_email' } }
    const moved = GUESTS.map(({ email = null, ...rest }): JsonObject => ({ ...rest, work_email: email }))
    served.hold({ guests: moved })
    const held = await run(fields)
    expect(held).toMatchObject({ unchanged: 3 })
    const forgotten = await event(
      ['--json', 'forget', 'spring', 'attendees', '--email', '--delivered'],
      fields,
      'Bea@Engines.example\n',
    )
    expect(JSON.parse(forgotten.stdout)).toMatchObject({ status: 'forgotten' })
    // A new id and another key do not bring the person back, because the address is known.
    served.hold({ guests: [...moved.filter(({ id }) => id !== '2'), { ...moved[1], id: '22' }] })
    const later = await run(fields)
    expect(later).toMatchObject({ create: 0 })
    expect(packOf(later.run).join()).not.toContain('bea@')
    const left = await event(['--json', '--show-personal', 'sql', 'select * from staging.register_guests'])
    expect(left.stdout).not.toMatch(/bea@/i)
  })

  test('an item can be removed for a reason that only this source has, and the report, explain and missing explain it', async () => {
    served.hold({
      guests: [guest('1', 'Ada', 10, { refunded: true }), ...GUESTS.slice(2), guest('4', 'Dora', 11)],
    })
    const ended = await run()
    expect(ended).toMatchObject({ code: 0, create: 1, remove: 1 })
    const removed = `select reason from sync.changes where run_id = '${ended.run}' and action = 'remove'`
    const { rows } = JSON.parse((await event(['--json', 'sql', removed])).stdout)
    expect(rows).toContainEqual({ reason: 'source_reason:paid_back' })
    const report = readFileSync(join(folder(), 'out', 'spring', ended.run, 'report.html'), 'utf8')
    expect(report).toContain('the source now has it as &#34;paid back&#34;')
    // Once beside the removed item, once beside the count of the reason, once beside the missing record.
    expect(report.split('The ticket was paid back.')).toHaveLength(4)
    expect(report).toContain('<h3>Nothing, if the money is back; otherwise undo it in Register.</h3>')
    const explained = await event(['explain', 'spring', 'attendees', '1'])
    expect(explained.stdout).toMatch(
      /The ticket was paid back\.[\s\S]*because the source now has it as "paid back"/,
    )
    const missing = await event(['missing', 'spring'])
    expect(missing.stdout).toContain('The ticket was paid back.')
  })
})
