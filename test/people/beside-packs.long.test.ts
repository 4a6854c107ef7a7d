import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { forget } from '../../pipeline/people/forget.ts'
import { openPlace, runLast, SEALING_KEY } from '../harness/place.ts'
import { usePlatforms } from '../harness/sample-platform/use-platform.ts'
import { startScriptedSource } from '../pipeline/commands/scripted-source.ts'
import { integrationOfA, smallEvent } from '../pipeline/commands/small-event.ts'
import { makeWorkspace, type Workspace } from '../pipeline/commands/workspace.ts'
import { openEngine } from '../support/engines.ts'
import { useFolder } from '../support/folder.ts'
import { copyDatabase } from '../support/postgres.ts'

const OTHER_KEY = Buffer.alloc(32, 9).toString('base64')

function configure(workspace: Workspace, url: string, more: object = {}, eventId = '4242'): void {
  workspace.configure({
    sealingKey: 'env:EVENT_SYNC_KEY',
    http: { retryBudgetSeconds: 0 },
    integrations: [integrationOfA('summit', url, { source: { type: 'a', url, eventId } })],
    ...more,
  })
}

const pathOf = (workspace: Workspace) => join(workspace.folder, 'out', 'summit', 'suppressions.json')
const fileOf = (workspace: Workspace) => JSON.parse(readFileSync(pathOf(workspace), 'utf8'))

async function attendeesOf(workspace: Workspace): Promise<readonly string[]> {
  const query = `select unique_id from published.attendees where integration_id = 'summit' order by 1`
  const { stdout, stderr, code } = await workspace.run('sql', query, '--format', 'csv')
  if (code !== 0) throw new Error(stderr)
  return stdout.trim().replaceAll('"', '').split(/\r?\n/).slice(1)
}

/** Copies a database, as a backup does. Without `from`, returns a new database without any run. */
function copyOf(from = inject('postgresTemplate')): Promise<string> {
  return copyDatabase(inject('postgresUrl'), from)
}

/**
 * Makes an integration with two runs. Between the runs, u2 was forgotten and u3 was suppressed (kept out of
 * the platform).
 */
async function begin() {
  const source = await startScriptedSource(smallEvent)
  const workspace = await makeWorkspace('postgres')
  workspace.env.EVENT_SYNC_KEY = SEALING_KEY
  configure(workspace, source.url)
  expect((await workspace.report('run')).code).toBe(0)
  const backup = await copyOf(workspace.env.DATABASE_URL)
  expect((await workspace.run('forget', 'summit', 'attendees', 'u2')).code).toBe(0)
  expect((await workspace.run('suppress', 'summit', 'attendees', 'u3')).code).toBe(0)
  const { runs } = await workspace.report('run')
  expect(runs).toMatchObject([{ status: 'finished', changes: { attendees: { remove: 2 } } }])
  /** Replaces the database by its copy from before `forget` and `suppress`, or by a new database. */
  const restore = async (isThere = true) => {
    workspace.env.DATABASE_URL = isThere ? backup : await copyOf()
  }
  return { workspace, url: source.url, run: runs[0]?.run ?? '', restore }
}

test('suppressions.json contains no personal value, and each manifest has its SHA-256', async () => {
  const { workspace, run } = await begin()
  const text = readFileSync(pathOf(workspace), 'utf8')
  expect(text).not.toMatch(/"u[0-9]"|people\.example|Ada/)
  expect(JSON.parse(text)).toMatchObject({ integration: 'summit', revision: 2, ids: [{}], addresses: [{}] })
  const manifest = JSON.parse(workspace.read('out', 'summit', run, 'manifest.json'))
  expect(manifest.suppressions).toEqual({
    file: 'suppressions.json',
    sha256: createHash('sha256').update(text).digest('hex'),
    revision: 2,
    ids: 1,
    addresses: 1,
    items: 1,
  })
  // A run without a new suppression does not change the file, and a pack that is exported again has the same
  // bytes.
  await workspace.report('run')
  expect(readFileSync(pathOf(workspace), 'utf8')).toBe(text)
  await workspace.run('unsuppress', 'summit', 'attendees', 'u3')
  expect(fileOf(workspace)).toMatchObject({ revision: 3, items: [] })
  expect((await workspace.run('export', run)).code).toBe(0)
  expect((await workspace.run('verify', 'out/summit')).code).toBe(0)
  expect((await workspace.report('run')).runs).toMatchObject([{ changes: { attendees: { create: 1 } } }])
})

test('before the first suppression, suppressions.json does not exist, and the manifest says so', async () => {
  const { url } = await startScriptedSource(smallEvent)
  const workspace = await makeWorkspace('postgres')
  workspace.env.EVENT_SYNC_KEY = SEALING_KEY
  configure(workspace, url)
  const { runs } = await workspace.report('run')
  expect(existsSync(pathOf(workspace))).toBe(false)
  expect(JSON.parse(workspace.read('out', 'summit', runs[0]?.run ?? '', 'manifest.json'))).toHaveProperty(
    'suppressions',
    null,
  )
})

describe.each([
  ['a new database', false],
  ['a database restored from an older backup', true],
] as const)('%s', (_, isThere) => {
  test.each(isThere ? ['--refresh'] : ['--refresh', '--fresh'])(
    'commands that plan refuse the restored or new database; with %s, a run reads the suppressions from suppressions.json',
    async (option) => {
      const { workspace, restore } = await begin()
      await restore(isThere)
      for (const command of ['run', 'plan']) {
        const refused = await workspace.run(command)
        expect([command, refused.code]).toEqual([command, 64])
      }
      const taken = await workspace.report('run', option)
      expect([taken.code, taken.runs[0]?.notes?.join('\n')]).toEqual([
        0,
        expect.stringContaining(
          '1 id and 1 e-mail address of forgotten people, and 1 item left out by hand that this database did not know were taken in from',
        ),
      ])
      expect(await attendeesOf(workspace)).toEqual(['u1', 'u4'])
      expect(fileOf(workspace).revision).toBeGreaterThanOrEqual(2)
      // The restored database contained the values of u2 again. The run has erased the values of u2.
      const query = `select source_id from staging.a_users where doc::text like '%u2@people%' or source_id = 'u2'`
      expect(await workspace.rows(query)).toEqual([])
      expect((await workspace.run('run')).code).toBe(0)
      expect((await workspace.run('verify', 'out/summit')).code).toBe(0)
    },
  )
})

test('plan --refresh keeps out the people in suppressions.json, and changes neither the database nor a file', async () => {
  const { workspace, restore } = await begin()
  await restore()
  const state = async () => ({
    staged: await workspace.rows('select * from staging.a_users order by source_id, valid_from_run'),
    forgotten: await workspace.rows('table sync.forgotten'),
    runs: await workspace.rows('table sync.runs'),
    files: workspace.files('out').map((file) => [file, workspace.read('out', file)]),
  })
  const before = await state()
  const { code, runs } = await workspace.report('plan', '--refresh')
  expect([code, runs[0]?.notes?.join('\n')]).toEqual([
    expect.any(Number),
    expect.stringContaining('1 id and 1 e-mail address of forgotten people, and 1 item left out by hand'),
  ])
  expect(await state()).toEqual(before)
  const done = await workspace.report('run', '--refresh')
  expect(done.runs[0]?.changes).toEqual(runs[0]?.changes)
})

test('if suppressions.json is newer than the database, the run is refused, even if no run finished after the backup', async () => {
  const { workspace } = await begin()
  const later = await copyOf(workspace.env.DATABASE_URL)
  expect((await workspace.run('suppress', 'summit', 'attendees', 'u4')).code).toBe(0)
  workspace.env.DATABASE_URL = later
  const ended = await workspace.run('run')
  expect([ended.code, ended.stderr]).toEqual([64, expect.stringContaining('--refresh')])
  const status = await workspace.run('status')
  expect(status.stdout).toContain('event-sync run summit --refresh')
  expect((await workspace.run('run', '--refresh')).code).toBe(0)
  expect(await attendeesOf(workspace)).toEqual(['u1'])
})

test('an older database does not overwrite suppressions.json of another integration of the same event', async () => {
  const { workspace, restore, url } = await begin()
  const expo = integrationOfA('expo', url, { source: { type: 'a', url, eventId: '4242' } })
  const summit = integrationOfA('summit', url, { source: { type: 'a', url, eventId: '4242' } })
  configure(workspace, url, { integrations: [summit, expo] })
  expect((await workspace.run('run', 'expo')).code).toBe(0)
  expect((await workspace.run('forget', 'expo', 'attendees', 'u4')).code).toBe(0)
  const path = join(workspace.folder, 'out', 'expo', 'suppressions.json')
  const before = readFileSync(path, 'utf8')
  await restore()
  // The restored database reads the file suppressions.json of summit, and does not know the integration expo.
  expect((await workspace.run('suppress', 'summit', 'attendees', 'u1')).code).toBe(0)
  expect(readFileSync(path, 'utf8')).toBe(before)
  expect((await workspace.run('run', 'expo')).code).toBe(64)
  expect((await workspace.run('run', 'expo', '--refresh')).code).toBe(0)
  const query = `select unique_id from published.attendees where integration_id = 'expo'`
  expect(await workspace.rows(query)).toEqual([])
})

test('if suppressions.json has the revision that a manifest names, it must have the SHA-256 of that manifest too', async () => {
  const { workspace, restore } = await begin()
  await restore(false)
  const { ids: _, mac: __, ...rest } = fileOf(workspace)
  const emptied = { ...rest, keyCheck: null, ids: [], addresses: [], items: [], mac: null }
  writeFileSync(pathOf(workspace), JSON.stringify(emptied))
  const refused = await workspace.run('run', '--refresh')
  expect([refused.code, refused.stderr]).toEqual([
    64,
    expect.stringContaining('is not the one that the packs know as revision 2'),
  ])
})

test('forget and suppress read suppressions.json into the database before they add an entry', async () => {
  const { workspace, restore } = await begin()
  await restore()
  const suppressed = await workspace.run('suppress', 'summit', 'attendees', 'u4')
  expect([suppressed.code, suppressed.stdout]).toEqual([0, expect.stringContaining('were taken in from')])
  expect(fileOf(workspace)).toMatchObject({ ids: [{}], items: [{}, {}] })
})

test('if suppressions.json is missing but a manifest names it, runs are refused until it is put back or renewed', async () => {
  const { workspace, restore } = await begin()
  await restore(false)
  rmSync(pathOf(workspace))
  for (const args of [
    ['run', '--refresh'],
    ['run', '--fresh'],
    ['forget', 'summit', 'attendees', 'u4'],
  ]) {
    const refused = await workspace.run(...args)
    expect([refused.code, refused.stderr]).toEqual([
      64,
      expect.stringContaining('`event-sync suppressions renew summit`'),
    ])
  }
  expect((await workspace.run('suppressions', 'renew', 'summit')).code).toBe(0)
  expect(fileOf(workspace)).toMatchObject({ revision: 3, ids: [], items: [] })
  expect((await workspace.run('run', '--refresh')).code).toBe(0)
})

test('a run is refused if suppressions.json was changed by hand, or was made with a key that is not configured', async () => {
  const { workspace, restore, url } = await begin()
  await restore()
  const text = readFileSync(pathOf(workspace), 'utf8')
  writeFileSync(pathOf(workspace), text.replace('"revision": 2', '"revision": 9'))
  const changed = await workspace.run('run', '--refresh')
  expect([changed.code, changed.stderr]).toEqual([
    64,
    expect.stringContaining('was changed after it was written'),
  ])
  writeFileSync(pathOf(workspace), text)
  workspace.env.EVENT_SYNC_KEY = OTHER_KEY
  const other = await workspace.run('run', '--refresh')
  expect([other.code, other.stderr]).toEqual([64, expect.stringContaining('formerSealingKeys')])
  workspace.env.KEY_OF_BEFORE = SEALING_KEY
  configure(workspace, url, { formerSealingKeys: ['env:KEY_OF_BEFORE'] })
  expect((await workspace.run('run', '--refresh')).code).toBe(0)
  expect(await attendeesOf(workspace)).toEqual(['u1', 'u4'])
})

test('a newer suppressions.json is refused if it was written without the configured key', async () => {
  const { workspace } = await begin()
  const file = fileOf(workspace)
  const { source, sourcePlace, sourceEventId } = file.items[0]
  const item = { source, sourcePlace, sourceEventId, content: 'attendees', uniqueId: 'u1' }
  const items = [{ ...item, suppressedAt: '2031-05-04T09:00:00.000Z' }]
  const planted = { ...file, revision: 9, keyCheck: null, ids: [], addresses: [], items, mac: null }
  writeFileSync(pathOf(workspace), JSON.stringify(planted))
  for (const options of [[], ['--refresh']]) {
    const { code, stderr } = await workspace.run('run', ...options)
    expect([code, stderr]).toEqual([64, expect.stringContaining('was written without sealingKey')])
  }
  expect((await workspace.run('suppressions', 'renew', 'summit')).code).toBe(0)
  expect((await workspace.run('run')).code).toBe(0)
  expect(await attendeesOf(workspace)).toEqual(['u1', 'u4'])
})

test('another spelling of the address means the same source event; for another host, --rebind carries suppressions over', async () => {
  const { workspace, url } = await begin()
  const { port } = new URL(url)
  const rebound = async () => {
    expect((await workspace.run('run')).code).toBe(64)
    const { runs, code } = await workspace.report('run', '--rebind')
    expect([code, runs[0]?.notes]).toEqual([
      0,
      [
        'the new address of the source keeps out as before: 1 id of forgotten people and 1 item left out by hand',
      ],
    ])
    expect(await attendeesOf(workspace)).toEqual(['u1', 'u4'])
  }
  await workspace.rows(`update sync.integrations set source_url = 'https://127.0.0.1:${port}'`)
  await rebound()
  configure(workspace, `http://localhost:${port}`)
  await rebound()
  // A person who is kept out under both addresses of the source is listed once.
  expect(fileOf(workspace)).toMatchObject({ ids: [{}], addresses: [{}], items: [{}] })
  // From here on the integration reads another event of the source, in which the same ids belong to other
  // people.
  configure(workspace, url, {}, '4243')
  const { runs } = await workspace.report('run', '--rebind')
  expect(runs[0]?.notes).toEqual([
    'the new address of the source keeps out as before: 1 id of forgotten people',
    expect.stringContaining('1 item left out by hand of event 4242 is not left out of event 4243'),
  ])
})

test('without a key, suppressions.json has item ids in clear text; an id that is an e-mail address requires a key', async () => {
  const { url } = await startScriptedSource(smallEvent)
  const workspace = await makeWorkspace('postgres')
  configure(workspace, url, { sealingKey: undefined })
  expect((await workspace.run('suppress', 'summit', 'attendees', 'u3', '--force')).code).toBe(0)
  expect(fileOf(workspace)).toMatchObject({ keyCheck: null, mac: null, items: [{ uniqueId: 'u3' }] })
  expect((await workspace.report('run')).code).toBe(0)
  expect(await attendeesOf(workspace)).toEqual(['u1', 'u2', 'u4'])
})

describe('on a platform that can be read', () => {
  const folder = useFolder()
  const platforms = usePlatforms()

  test('with a new database, forgotten people are not read again, and people who are still on the platform are removed from it', async () => {
    const { url } = await startScriptedSource(smallEvent)
    const platform = await platforms.start()
    const output = folder()
    const open = async () => {
      const database = await openEngine('postgres')
      onTestFinished(() => database.close())
      return openPlace({
        database,
        output,
        env: { TOKEN: platform.token },
        config: { sealingKey: 'env:KEY' },
        integration: {
          id: 'summit',
          source: { type: 'a', url, eventId: '4242' },
          platform: { type: 'http', url: platform.url, eventId: platform.eventId, token: 'env:TOKEN' },
          passwords: { mode: 'none' },
        },
      })
    }
    const first = await open()
    await runLast(first)
    const sought = { sought: { id: 'u2' }, isDelivered: false }
    expect(await forget(first.context, first.integration, sought)).toMatchObject({ onPlatform: 1 })
    // From here on a new database is used, before the platform has received the removal.
    const moved = await open()
    await expect(runLast(moved)).rejects.toThrow('--refresh')
    const report = await runLast(moved, { refresh: true })
    expect(report).toMatchObject({ status: 'finished', changes: { attendees: { remove: 1, unchanged: 3 } } })
    const { items } = await platform.control('state')
    expect(items.attendees.map(({ uniqueId }) => uniqueId)).toEqual(['u1', 'u3', 'u4'])
  })
})
