import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { forget } from '../../pipeline/people/forget.ts'
import { openPlace, runLast, SEALING_KEY } from '../harness/place.ts'
import { usePlatforms } from '../harness/sample-platform/use-platform.ts'
import { startScriptedSource } from '../pipeline/commands/scripted-source.ts'
import { integrationOfA, smallEvent } from '../pipeline/commands/small-event.ts'
import { makeWorkspace, type Workspace } from '../pipeline/commands/workspace.ts'
import { bothEngines, openEngine } from '../support/engines.ts'
import { useFolder } from '../support/folder.ts'

const FILE = 'kept-out.json'
const OTHER_KEY = Buffer.alloc(32, 9).toString('base64')

/** Configures integrations that read the same source event; the platform of each is a folder of files. */
function configure(workspace: Workspace, url: string, ids: readonly string[], eventId = '4242'): void {
  const source = { type: 'a', url, eventId }
  workspace.configure({
    sealingKey: 'env:EVENT_SYNC_KEY',
    http: { retryBudgetSeconds: 0 },
    integrations: ids.map((id) => integrationOfA(id, url, { source })),
  })
}

async function attendeesOf(workspace: Workspace, integration: string): Promise<readonly string[]> {
  const query = `select unique_id from published.attendees where integration_id = '${integration}' order by 1`
  const { stdout, stderr, code } = await workspace.run('sql', query, '--format', 'csv')
  if (code !== 0) throw new Error(stderr)
  return stdout.trim().replaceAll('"', '').split(/\r?\n/).slice(1)
}

const ALL = ['u1', 'u2', 'u3', 'u4']
const WITHOUT = ['u1', 'u3', 'u4']

// These tests run on both engines, because the database copies suppressions to other integrations and lists
// each suppression once.
describe.each(bothEngines)('on %s', (engine) => {
  const folder = useFolder()
  const platforms = usePlatforms()

  async function begin(): Promise<{ readonly workspace: Workspace; readonly url: string }> {
    const { url } = await startScriptedSource(smallEvent)
    const workspace = await makeWorkspace(engine)
    workspace.env.EVENT_SYNC_KEY = SEALING_KEY
    configure(workspace, url, ['summit'])
    return { workspace, url }
  }

  test('a forgotten person is kept out even if the integration gets another id, but not in another event', async () => {
    const { workspace, url } = await begin()
    await workspace.report('run')
    expect(await attendeesOf(workspace, 'summit')).toEqual(ALL)
    expect((await workspace.run('forget', 'summit', 'attendees', 'u2')).code).toBe(0)

    configure(workspace, url, ['renamed'])
    expect((await workspace.report('run', '--fresh')).code).toBe(0)
    expect(await attendeesOf(workspace, 'renamed')).toEqual(WITHOUT)
    const files = workspace.files('out', 'renamed').map((file) => workspace.read('out', 'renamed', file))
    expect(files.length).toBeGreaterThan(5)
    expect(files.filter((text) => /u2@people|"u2"/.test(text))).toEqual([])

    const again = await workspace.run('forget', 'renamed', 'attendees', 'u2', '--json')
    expect(JSON.parse(again.stdout)).toMatchObject({ status: 'again', alsoReadBy: ['summit'] })
    expect(again.stderr).toContain('summit has read the same source event')

    configure(workspace, url, ['other'], '4243')
    await workspace.report('run')
    expect(await attendeesOf(workspace, 'other')).toEqual(ALL)
  })

  test('forget also affects other integrations of the event: their next run drops the person, and their stored plans become outdated', async () => {
    const { workspace, url } = await begin()
    configure(workspace, url, ['summit', 'expo'])
    await workspace.report('run', 'summit')
    const { runs } = await workspace.report('plan', 'expo')
    const hash = runs[0]?.planHash ?? ''
    expect((await workspace.run('forget', 'summit', 'attendees', 'u2')).code).toBe(0)
    const applied = await workspace.run('apply', 'expo', hash, '--no-input')
    expect(applied.stdout + applied.stderr).toContain('no longer current')
    await workspace.report('run', 'expo')
    expect(await attendeesOf(workspace, 'expo')).toEqual(WITHOUT)
  })

  test('a database that imports the suppressions keeps the people out, and a second import changes nothing', async () => {
    const { workspace: first, url } = await begin()
    await first.report('run')
    for (const id of ['u2', 'u3']) await first.run('forget', 'summit', 'attendees', id)
    await first.run('suppress', 'summit', 'attendees', 'u4')
    await first.run('suppress', 'summit', 'agenda', '102')
    const exported = await first.run('suppressions', 'export', FILE, '--json')
    expect(JSON.parse(exported.stdout)).toEqual({
      action: 'export',
      file: FILE,
      ids: 2,
      addresses: 2,
      items: 2,
    })
    const path = join(first.folder, FILE)
    expect(statSync(path).mode & 0o077).toBe(0)
    const text = readFileSync(path, 'utf8')
    expect(text).not.toMatch(/u[1-4]\b|people\.example|Ada/)
    expect(text).not.toContain(SEALING_KEY)
    expect(text).not.toContain(Buffer.from(SEALING_KEY, 'base64').toString('hex'))
    const refused = await first.run('suppressions', 'export', FILE)
    expect([refused.code, refused.stderr]).toEqual([64, expect.stringContaining('is not overwritten')])
    expect(readFileSync(path, 'utf8')).toBe(text)
    const back = await first.run('suppressions', 'import', FILE, '--json')
    expect(JSON.parse(back.stdout)).toMatchObject({ ids: 0, addresses: 0, items: 0 })

    const second = await makeWorkspace(engine)
    second.env.EVENT_SYNC_KEY = SEALING_KEY
    configure(second, url, ['again'])
    writeFileSync(join(second.folder, FILE), text)
    const imported = await second.run('suppressions', 'import', FILE, '--json')
    expect(JSON.parse(imported.stdout)).toEqual({
      action: 'import',
      file: FILE,
      ids: 2,
      addresses: 2,
      items: 2,
      unread: [],
    })
    expect((await second.report('run')).code).toBe(0)
    expect(await attendeesOf(second, 'again')).toEqual(['u1'])
    const { suppressed } = JSON.parse((await second.run('suppress', 'again', '--json')).stdout)
    expect(suppressed).toMatchObject([
      { content: 'agenda', uniqueId: '102' },
      { content: 'attendees', uniqueId: 'u4' },
    ])
    expect(JSON.parse((await second.run('suppressions', 'import', FILE, '--json')).stdout)).toMatchObject({
      ids: 0,
      addresses: 0,
      items: 0,
    })
    await second.run('suppressions', 'export', 'again.json')
    const { ids, addresses } = JSON.parse(text)
    expect(JSON.parse(second.read('again.json'))).toMatchObject({ ids, addresses })
    expect((await second.run('unsuppress', 'again', 'attendees', 'u4')).code).toBe(0)
    expect((await second.report('run')).code).toBe(0)
    expect(await attendeesOf(second, 'again')).toEqual(['u1', 'u4'])

    second.env.EVENT_SYNC_KEY = OTHER_KEY
    const run = await second.run('run')
    expect([run.code, run.stdout + run.stderr]).toEqual([
      64,
      expect.stringContaining('list that key in formerSealingKeys'),
    ])
    // From here on, the first key is configured as a former key.
    const file = JSON.parse(second.read('event-sync.yaml'))
    second.configure({ ...file, formerSealingKeys: ['env:KEY_OF_BEFORE'] })
    second.env.KEY_OF_BEFORE = SEALING_KEY
    expect((await second.run('forget', 'again', 'attendees', 'u4')).code).toBe(0)
    expect((await second.report('run')).code).toBe(0)
    expect(await attendeesOf(second, 'again')).toEqual(['u1'])
    const query = 'select distinct key_check from sync.forgotten'
    expect((await second.run('sql', query, '--format', 'csv')).stdout.trim().split('\n')).toHaveLength(3)
  })

  test('if the integration gets a new id, forgotten people who are still on the platform are removed', async () => {
    const { url } = await startScriptedSource(smallEvent)
    const database = await openEngine(engine)
    onTestFinished(() => database.close())
    const platform = await platforms.start()
    const open = (id: string) =>
      openPlace({
        database,
        output: folder(),
        env: { TOKEN: platform.token },
        config: { sealingKey: 'env:KEY' },
        integration: {
          id,
          source: { type: 'a', url, eventId: '4242' },
          platform: { type: 'http', url: platform.url, eventId: platform.eventId, token: 'env:TOKEN' },
          passwords: { mode: 'none' },
        },
      })
    await runLast(open('summit'))
    const { context, integration } = open('summit')
    const sought = { sought: { id: 'u2' }, isDelivered: false }
    expect(await forget(context, integration, sought)).toMatchObject({ status: 'forgotten', onPlatform: 1 })

    const report = await runLast(open('renamed'), { rebind: true })
    expect(report).toMatchObject({ status: 'finished', changes: { attendees: { remove: 1, unchanged: 3 } } })
    const removals = await database.kysely
      .selectFrom('sync.changes')
      .where('run_id', '=', report.run ?? '')
      .select(['reason', 'unique_id'])
      .execute()
    expect(removals).toEqual([{ reason: 'forgotten', unique_id: expect.stringMatching(/^forgotten-/) }])
  })
})

test('an invalid import is refused as a whole; a valid import is possible before any integration reads the event', async () => {
  const { url } = await startScriptedSource(smallEvent)
  const workspace = await makeWorkspace('postgres')
  workspace.env.EVENT_SYNC_KEY = SEALING_KEY
  configure(workspace, url, ['summit'])
  await workspace.report('run')
  await workspace.run('forget', 'summit', 'attendees', 'u2')
  await workspace.run('suppress', 'summit', 'agenda', '102')
  expect((await workspace.run('suppressions', 'export', FILE)).code).toBe(0)
  const text = workspace.read(FILE)
  const without = (list: 'ids' | 'addresses' | 'items') => JSON.stringify({ ...JSON.parse(text), [list]: [] })

  const second = await makeWorkspace('postgres')
  // The second database has an integration with the same id for another event, so the suppressions do not
  // apply to its people.
  configure(second, url, ['summit'], '4243')
  const refused: readonly (readonly [file: string, key: string, message: RegExp])[] = [
    [text, OTHER_KEY, /list that key in formerSealingKeys/],
    [text, '', /EVENT_SYNC_KEY/],
    [without('ids'), SEALING_KEY, /was changed after it was written/],
    [without('addresses'), SEALING_KEY, /was changed after it was written/],
    [without('items'), SEALING_KEY, /was changed after it was written/],
    [text.slice(0, 200), SEALING_KEY, /is not a file of suppressions that event-sync wrote/],
  ]
  for (const [file, key, message] of refused) {
    second.env.EVENT_SYNC_KEY = key
    writeFileSync(join(second.folder, FILE), file)
    const ended = await second.run('suppressions', 'import', FILE)
    expect([ended.code, ended.stderr]).toEqual([64, expect.stringMatching(message)])
    expect(ended.stderr).not.toContain(SEALING_KEY)
    expect(await second.rows('select token from sync.forgotten')).toEqual([])
    expect(await second.rows('select unique_id from sync.suppressed')).toEqual([])
  }

  second.env.EVENT_SYNC_KEY = SEALING_KEY
  writeFileSync(join(second.folder, FILE), text)
  const imported = await second.run('suppressions', 'import', FILE)
  expect(imported.stdout).toContain(
    `no integration in the configuration reads source a, ${new URL(url).host}, event 4242`,
  )
  await second.report('run')
  expect(await attendeesOf(second, 'summit')).toEqual(ALL)
  configure(second, url, ['later'])
  await second.report('run')
  expect(await attendeesOf(second, 'later')).toEqual(WITHOUT)
})

test('the id of a forgotten person is neither exported nor imported as a suppressed item', async () => {
  const { url } = await startScriptedSource(smallEvent)
  const [first, second] = await Promise.all([makeWorkspace('postgres'), makeWorkspace('postgres')])
  for (const workspace of [first, second]) {
    workspace.env.EVENT_SYNC_KEY = SEALING_KEY
    configure(workspace, url, ['summit'])
    await workspace.report('run')
  }
  const counts = async (workspace: Workspace, action: string, file: string) =>
    JSON.parse((await workspace.run('suppressions', action, file, '--json')).stdout)
  const take = (from: Workspace, to: Workspace, file: string) =>
    writeFileSync(join(to.folder, file), from.read(file))

  for (const id of ['u2', 'u3']) await first.run('suppress', 'summit', 'attendees', id)
  expect(await counts(first, 'export', FILE)).toMatchObject({ ids: 0, items: 2 })
  expect((await second.run('forget', 'summit', 'attendees', 'u2')).code).toBe(0)
  take(first, second, FILE)
  expect(await counts(second, 'import', FILE)).toMatchObject({ items: 1 })
  expect(await second.rows('select unique_id from sync.suppressed')).toEqual([{ unique_id: 'u3' }])

  expect(await counts(second, 'export', 'back.json')).toMatchObject({ ids: 1, items: 1 })
  take(second, first, 'back.json')
  expect(await counts(first, 'import', 'back.json')).toMatchObject({ ids: 1, items: 0 })
  expect(await counts(first, 'export', 'again.json')).toMatchObject({ ids: 1, items: 1 })
  expect((await first.run('forget', 'summit', 'attendees', 'u2')).code).toBe(0)
  expect(await first.rows('select unique_id from sync.suppressed')).toEqual([{ unique_id: 'u3' }])
})
