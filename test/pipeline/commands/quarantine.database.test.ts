import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { engines } from '../../support/engines.ts'
import { startScriptedSource } from './scripted-source.ts'
import { configOfA, runIds, smallEvent } from './small-event.ts'
import { makeWorkspace } from './workspace.ts'

/** The small event with more records, which cannot be read. */
const faulty = {
  ...smallEvent,
  Sessions: [{ Title: 'No id' }, ...(smallEvent.Sessions ?? []), 'no object', { Id: ['list'], Title: 'x' }],
  Users: [...(smallEvent.Users ?? []), { Id: 'x'.repeat(1001), EmailAddress: 'canary@people.example' }],
}

describe.each(engines)('on %s', (engine) => {
  test('quarantine lists unreadable records with their resource, position, path and reason', async () => {
    const source = await startScriptedSource(faulty)
    const workspace = await makeWorkspace(engine)
    workspace.configure(configOfA(source.url))
    const [run] = (await workspace.report('run', '--run-id', runIds[0])).runs
    const { code, stdout } = await workspace.run('quarantine', 'summit')
    expect(code).toBe(0)
    expect(stdout).toContain(`records that could not be read in the last read, run ${run?.run} of 2`)
    expect(stdout).toContain(`
resource  place  id  path  reason
--------  -----  --  ----  --------------------------------
sessions  1          $.Id  no id
sessions  4          $     not an object
sessions  5          $.Id  the id is not text
users     5          $.Id  the id is longer than 1000 bytes

4 records. place: position`)

    const json = await workspace.run('quarantine', 'summit', '--json')
    expect([json.code, json.stderr]).toEqual([0, ''])
    const { records, ...read } = JSON.parse(json.stdout)
    expect(read).toEqual({
      integration: 'summit',
      run: runIds[0],
      readAt: expect.stringMatching(/^2\d{3}-.*Z$/),
    })
    expect(records).toHaveLength(4)
    const reason = 'not an object'
    expect(records[1]).toEqual({ resource: 'sessions', place: 4, sourceId: null, path: '$', reason })

    source.records = smallEvent
    expect((await workspace.run('run', '--run-id', runIds[1])).code).toBe(0)
    const fixed = await workspace.run('quarantine', 'summit')
    expect(fixed.code).toBe(0)
    expect(fixed.stdout).toContain(
      `summit: every record of the last read could be read (run ${runIds[1]} of 2`,
    )
    expect(JSON.parse((await workspace.run('quarantine', 'summit', '--json')).stdout).records).toEqual([])
  })
})

describe.each(engines)('records larger than http.maxRecordBytes, on %s [R51]', (engine) => {
  const LIMIT = 50_000
  const HUGE = 'x'.repeat(300_000)
  const sessions = (smallEvent.Sessions ?? []) as readonly { readonly Id: number }[]
  const users = (smallEvent.Users ?? []) as readonly { readonly Id: string }[]
  const changed = (more: object, ...gone: readonly number[]) => ({
    ...smallEvent,
    Sessions: sessions
      .map((one) => (one.Id === 101 ? { ...one, ...more } : one))
      .filter((one) => !gone.includes(one.Id)),
  })
  async function workspaceOf() {
    const source = await startScriptedSource(smallEvent)
    const workspace = await makeWorkspace(engine)
    const config = configOfA(source.url, { removals: { maxShare: 1 }, guards: { maxQuarantined: 1 } })
    workspace.configure({ ...config, http: { ...config.http, maxRecordBytes: LIMIT } })
    const run = async (records: typeof smallEvent) => {
      source.records = records
      const [one] = (await workspace.report('run')).runs
      const { agenda } = one?.changes ?? {}
      return { agenda, quarantined: one?.quarantined, status: one?.status, notes: one?.notes ?? [] }
    }
    const quarantined = async () => {
      const { records } = JSON.parse((await workspace.run('quarantine', 'summit', '--json')).stdout)
      return records
    }
    return { workspace, run, quarantined }
  }

  test('a record that is too large is listed by its id and counts as present; records that are missing are removed', async () => {
    const { run, quarantined } = await workspaceOf()
    await run(smallEvent)
    const large = changed({ Description: HUGE })
    const agenda = { create: 0, update: 0, remove: 0, unchanged: 2 }
    expect(await run(large)).toEqual({ agenda, quarantined: 1, status: 'finished', notes: [] })
    const reason = `larger than http.maxRecordBytes (${LIMIT})`
    expect(await quarantined()).toEqual([
      { resource: 'sessions', place: 1, sourceId: '101', path: '$', reason },
    ])
    // In the next run, the record that is too large has another text. The record that is too large still
    // counts as present.
    const gone = changed({ Description: `${HUGE}y`, Title: 'New' }, 102)
    expect((await run(gone)).agenda).toEqual({ create: 0, update: 0, remove: 1, unchanged: 1 })
    expect((await run(changed({ Title: 'New' }))).agenda).toEqual({
      create: 1,
      update: 1,
      remove: 0,
      unchanged: 0,
    })
  })

  test('a record that is too large and has no id may be any missing record, so no missing record is removed', async () => {
    const { run, quarantined } = await workspaceOf()
    await run(smallEvent)
    const { agenda, notes } = await run(changed({ Id: null, Description: HUGE }, 102))
    expect(agenda).toEqual({ create: 0, update: 0, remove: 0, unchanged: 2 })
    expect(notes).toEqual([
      '2 sessions are gone at the source and are kept, because 1 record that could be one of them has no readable id',
    ])
    expect(await quarantined()).toMatchObject([{ resource: 'sessions', place: 1, sourceId: null }])
  })

  test('if a record is too large in the first run, the other records are synced nevertheless', async () => {
    const { run } = await workspaceOf()
    const people = users.map((one) => (one.Id === 'u2' ? { ...one, Biography: HUGE } : one))
    expect(await run({ ...smallEvent, Users: people })).toMatchObject({ quarantined: 1, status: 'finished' })
    expect((await run(smallEvent)).agenda).toEqual({ create: 0, update: 0, remove: 0, unchanged: 2 })
  })
})

test('before the first run, quarantine names the next command and creates no folder and no schema', async () => {
  const embedded = await makeWorkspace('pglite')
  embedded.configure(configOfA('http://127.0.0.1:9'))
  rmSync(join(embedded.folder, '.event-sync'), { recursive: true })
  const nowhere = await embedded.run('quarantine', 'summit')
  expect([nowhere.code, nowhere.stdout]).toEqual([1, ''])
  expect(nowhere.stderr).toMatch(/^there is no database in .*db yet; run `event-sync run` first\n$/)
  expect(existsSync(join(embedded.folder, '.event-sync'))).toBe(false)

  const server = await makeWorkspace('postgres', true)
  server.configure(configOfA('http://127.0.0.1:9'))
  const empty = await server.run('quarantine', 'summit')
  expect([empty.code, empty.stdout]).toEqual([1, ''])
  expect(empty.stderr).toBe('the database is empty; run `event-sync run` first\n')
  expect(await server.rows("select from pg_namespace where nspname in ('sync', 'migration')")).toEqual([])

  expect((await server.run('runs')).code).toBe(0)
  const unread = await server.run('quarantine', 'summit')
  expect([unread.code, unread.stdout]).toEqual([
    0,
    'summit: nothing has been read yet; run `event-sync run summit` first\n',
  ])
  await server.rows("delete from migration.applied where name = 'migrations/0009-views.sql'")
  const old = await server.run('quarantine', 'summit')
  expect(old.code).toBe(1)
  expect(old.stderr).toContain('of an earlier version (it lacks 0009-views.sql); `event-sync runs` upgrades')
  const unknown = await server.run('quarantine', 'nosuch')
  expect(unknown.code).toBe(1)
})
