import { describe, expect, test } from 'vitest'
import { engines } from '../../support/engines.ts'
import { openWithPlatform } from './restorable-platform.ts'
import { type ScriptedSource, startScriptedSource } from './scripted-source.ts'
import { configOfA, smallEvent } from './small-event.ts'
import { workspaceOfSmallEvent } from './small-workspace.ts'
import type { Workspace } from './workspace.ts'

/** Returns every row of every table of the product, and the content of every file in the output folder. */
async function contentsOf({ run, files, read }: Workspace) {
  const query = async (text: string) => {
    const { code, stdout, stderr } = await run('sql', '--json', text)
    if (code !== 0) throw new Error(stderr)
    return JSON.parse(stdout).rows as readonly Readonly<Record<string, string>>[]
  }
  const tables = await query(`
    select schemaname || '.' || tablename as name
    from pg_tables
    where schemaname in ('sync', 'staging', 'incoming', 'migration')
      -- The state of the source's rate limit, which all processes share.
      and tablename <> 'rate_budgets'
    order by 1`)
  const rows = tables.map(
    ({ name }) => `select '${name}' as place, to_jsonb(one)::text as text from ${name} one`,
  )
  const output = files('out').map((file) => [file, read('out', file)])
  return { tables, rows: await query(`${rows.join(' union all ')} order by 1, 2`), output }
}

function changeTitle(source: ScriptedSource, title: string): void {
  const [first] = source.records.Sessions ?? []
  source.records = { ...source.records, Sessions: [{ ...Object(first), Title: title }] }
}

describe.each(engines)('on %s', (engine) => {
  test('plan --refresh shows what run --refresh would send to an emptied platform, and changes nothing', async () => {
    const { source, workspace, restore, titles } = await openWithPlatform(engine)
    expect((await workspace.run('run')).code).toBe(0)
    await restore(null)
    // The last session is missing, so the source is read a second time.
    changeTitle(source, 'Welcome')
    const before = await contentsOf(workspace)

    const preview = await workspace.run('plan', '--refresh', '--sample', '1')
    expect([preview.code, preview.stderr]).toEqual([2, ''])
    expect(preview.stdout).toContain(
      'summit: preview of `event-sync run summit --refresh`\n\nagenda\n  + create 101\n',
    )
    expect(preview.stdout).toContain(
      '  … 3 more (3 to create): event-sync plan summit --refresh --content attendees --sample 4\n',
    )
    expect(preview.stdout).toContain('\nPlan: 6 to create, 0 to update, 0 to remove\n')
    expect(preview.stdout).toMatch(
      /\n {2}this is a preview: nothing was stored, and it cannot be applied; to do it: event-sync run summit --refresh\n {2}time {7}extract .*, refresh .*\n$/,
    )
    const { runs } = await workspace.report('plan', '--refresh')
    expect(runs).toMatchObject([
      { run: null, status: 'planned', page: null, previewOf: 'event-sync run summit --refresh' },
    ])
    expect(await contentsOf(workspace)).toEqual(before)
    expect(await titles()).toEqual([])

    const refused = await workspace.run('apply', 'summit', runs[0]?.planHash ?? '')
    expect([refused.code, refused.stderr]).toEqual([
      64,
      expect.stringContaining('event-sync run summit --refresh'),
    ])
    expect((await workspace.run('run')).code).toBe(64)
    const done = await workspace.report('run', '--refresh')
    expect(done.runs).toMatchObject([{ status: 'finished', changes: runs[0]?.changes }])
    expect(await titles()).toEqual(['Welcome'])
  })

  test('plan --rebind shows what run --rebind would do, and does not change which source the integration is bound to', async () => {
    const { source, workspace } = await workspaceOfSmallEvent(engine)
    expect((await workspace.run('run')).code).toBe(0)
    const other = await startScriptedSource(smallEvent)
    changeTitle(other, 'Other')
    workspace.configure(configOfA(other.url))
    const before = await contentsOf(workspace)

    const preview = await workspace.report('plan', '--rebind')
    expect(preview.code).toBe(2)
    expect(preview.runs).toMatchObject([
      {
        previewOf: 'event-sync run summit --rebind',
        notes: [`summit would be bound anew: source.url from "${source.url}" to "${other.url}"`],
        changes: { agenda: { update: 1, remove: 1 } },
        plan: { shown: 2, changes: [{ action: 'update', uniqueId: '101' }, { action: 'remove' }] },
      },
    ])
    expect(await contentsOf(workspace)).toEqual(before)

    const refused = await workspace.run('run')
    expect([refused.code, refused.stderr]).toEqual([64, expect.stringContaining('was bound to source.url')])
    workspace.configure(configOfA(source.url))
    expect((await workspace.report('run')).runs).toMatchObject([
      { status: 'finished', changes: { agenda: { unchanged: 2 } } },
    ])
    workspace.configure(configOfA(other.url))
    const done = await workspace.report('run', '--rebind')
    expect(done.runs).toMatchObject([{ status: 'finished', changes: preview.runs[0]?.changes }])
  })
})

test('apply with the hash of a preview says that the plan is not stored, and names the command for the same changes', async () => {
  const { workspace } = await workspaceOfSmallEvent()
  expect((await workspace.run('run')).code).toBe(0)
  const { runs } = await workspace.report('plan', '--rebind')
  const refused = await workspace.run('apply', 'summit', runs[0]?.planHash ?? '')
  expect(refused.code).toBe(4)
  expect(refused.stderr).toContain(`${runs[0]?.planHash} is not a stored plan of summit; `)
  expect(refused.stderr).toContain(
    'if it is the hash of a preview (`plan --refresh`, `plan --rebind`), which is not stored: `run` with the same options does what it shows\n',
  )
})

test('if a guard would hold the plan, its preview says so and ends with exit code 4', async () => {
  const { source, workspace } = await workspaceOfSmallEvent()
  expect((await workspace.run('run')).code).toBe(0)
  source.records = { ...source.records, Users: [] }
  const { code, stdout } = await workspace.run('plan', '--rebind')
  expect(code).toBe(4)
  expect(stdout).toContain('  held by emptied: ')
  expect(stdout).toContain('  note       summit stays bound to the same source and platform\n')
  expect(stdout).toMatch(
    /cannot be applied; this command makes the plan and holds it: event-sync run summit --rebind\n {2}time .*\n$/,
  )
})

test('a preview that fails or is refused gives the reason, ends with the exit code of plan, and changes nothing', async () => {
  const { workspace } = await workspaceOfSmallEvent()
  expect((await workspace.run('run')).code).toBe(0)
  const before = await contentsOf(workspace)
  const refused = await workspace.report('plan', '--refresh')
  expect([refused.code, refused.stderr]).toEqual([
    64,
    expect.stringContaining(
      '--refresh: nothing to refresh: the database knows all packs of summit, and its platform is of type jsonl, from which nothing can be read back; run without --refresh',
    ),
  ])
  expect(refused.runs).toMatchObject([{ status: 'refused', run: null }])
  workspace.configure(configOfA('http://127.0.0.1:9'))
  const failed = await workspace.run('plan', '--rebind')
  expect([failed.code, failed.stdout]).toEqual([1, ''])
  expect(failed.stderr).toMatch(/summit: extract failed: .*\n {2}platform untouched; safe to run again\n/)
  expect(await contentsOf(workspace)).toEqual(before)
})
