import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { applyFile, migrate, migrationLedger } from '../../../pipeline/database/migrate.ts'
import { packageRoot } from '../../../pipeline/runtime/package-root.ts'
import { openPlace, runLast } from '../../harness/place.ts'
import { bothEngines, openEmptyEngine } from '../../support/engines.ts'
import { useFolder } from '../../support/folder.ts'
import { startScriptedSource } from './scripted-source.ts'
import { integrationOfA, smallEvent } from './small-event.ts'
import { makeWorkspace, type Workspace } from './workspace.ts'

/** Configures integrations of one source event, each with files as its platform. */
function configure(workspace: Workspace, url: string, ids: readonly string[], eventId = '4242'): void {
  const source = { type: 'a', url, eventId }
  workspace.configure({
    sealingKey: 'env:EVENT_SYNC_KEY',
    http: { retryBudgetSeconds: 0 },
    integrations: ids.map((id) => integrationOfA(id, url, { source })),
  })
}

async function attendeesAfterRun(workspace: Workspace, integration: string): Promise<readonly string[]> {
  const { runs } = await workspace.report('run', integration)
  expect(runs[0]).toMatchObject({ status: 'finished' })
  const query = `select unique_id from published.attendees where integration_id = '${integration}' order by 1`
  const { stdout } = await workspace.run('sql', query, '--format', 'csv')
  return stdout.trim().replaceAll('"', '').split(/\r?\n/).slice(1)
}

async function listed(workspace: Workspace, integration: string): Promise<readonly unknown[]> {
  return JSON.parse((await workspace.run('suppress', integration, '--json')).stdout).suppressed
}

const ALL = ['u1', 'u2', 'u3', 'u4']
const WITHOUT_U2 = ['u1', 'u3', 'u4']

// SQL that lists each row once, compares rows and changes a primary key is read by both engines.
describe.each(bothEngines)('on %s', (engine) => {
  const folder = useFolder()

  async function begin(...ids: readonly string[]) {
    const source = await startScriptedSource(smallEvent)
    const workspace = await makeWorkspace(engine)
    workspace.env.EVENT_SYNC_KEY = Buffer.alloc(32, 7).toString('base64')
    configure(workspace, source.url, ids)
    return { workspace, source, url: source.url }
  }

  test('what is left out is left out of the source event: for each integration that reads it, under a new id too, and for no other event', async () => {
    const { workspace, url } = await begin('summit', 'expo')
    expect(await attendeesAfterRun(workspace, 'summit')).toEqual(ALL)
    const suppressed = await workspace.run('suppress', 'summit', 'attendees', 'u2')
    expect(suppressed.stdout).toBe('attendees u2 of summit and expo will be left out of the next plan\n')
    expect(await listed(workspace, 'expo')).toMatchObject([{ content: 'attendees', uniqueId: 'u2' }])
    expect((await workspace.run('suppress', 'expo', 'attendees', 'u2')).stdout).toContain('already')
    expect(await attendeesAfterRun(workspace, 'expo')).toEqual(WITHOUT_U2)

    configure(workspace, url, ['renamed'])
    expect(await attendeesAfterRun(workspace, 'renamed')).toEqual(WITHOUT_U2)
    configure(workspace, url, ['other'], '4243')
    expect(await listed(workspace, 'other')).toEqual([])

    configure(workspace, url, ['renamed'])
    expect((await workspace.run('unsuppress', 'renamed', 'attendees', 'u2')).code).toBe(0)
    expect(await attendeesAfterRun(workspace, 'renamed')).toEqual(ALL)
    configure(workspace, url, ['summit'])
    expect(await listed(workspace, 'summit')).toEqual([])
  })

  test('a database of before keeps what it leaves out, also for an integration that has not run yet', async () => {
    const database = await openEmptyEngine(engine)
    onTestFinished(() => database.close())
    await database.script(migrationLedger)
    const migrations = join(packageRoot, 'sql', 'migrations')
    for (const name of readdirSync(migrations).filter((one) => one < '0022')) {
      const text = readFileSync(join(migrations, name), 'utf8')
      const sha256 = createHash('sha256').update(text).digest('hex')
      await database.script(applyFile({ kind: 'migrations', name, text, sha256 }))
    }
    const { url } = await startScriptedSource(smallEvent)
    await database.script(`
      insert into sync.integrations (integration_id, source, source_url, source_event_id, platform, platform_url, platform_event_id, base)
      values ('summit', 'a', '${url}', '4242', 'jsonl', '', '', 0), ('expo', 'a', '${url}', '4242', 'jsonl', '', '', 0);
      insert into sync.suppressed (integration_id, content, unique_id, suppressed_at, suppressed_by)
      values ('summit', 'attendees', 'u2', now(), 'somebody'), ('expo', 'attendees', 'u2', now(), 'somebody'),
        ('new', 'attendees', 'u2', now(), 'somebody'), ('new', 'attendees', 'u3', now(), 'somebody');`)
    await migrate(database)
    const run = (id: string, eventId: string) =>
      runLast(
        openPlace({
          database,
          output: folder(),
          integration: { id, source: { type: 'a', url, eventId } },
        }),
      )
    expect(await run('renamed', '4242')).toMatchObject({ changes: { attendees: { create: 3 } } })
    expect(await run('new', '4243')).toMatchObject({ changes: { attendees: { create: 2 } } })
    expect(await run('other', '4244')).toMatchObject({ changes: { attendees: { create: 4 } } })
    const { length } = await database.kysely.selectFrom('sync.suppressed').selectAll().execute()
    expect(length).toBe(4)
  })
})
