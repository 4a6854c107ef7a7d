import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { beforeEach, describe, expect, test } from 'vitest'
import { engines } from '../../support/engines.ts'
import type { Records, ScriptedSource } from './scripted-source.ts'
import { configOfA, runIds, smallEvent } from './small-event.ts'
import { workspaceOfSmallEvent } from './small-workspace.ts'
import type { Workspace } from './workspace.ts'

const FILES = ['plan.csv', 'report-masked.html', 'report.html']

/**
 * The small event one day later. A guard holds the run, because three of four attendees and one session are
 * missing.
 */
const emptied: Records = {
  ...smallEvent,
  Sessions: [
    {
      Id: 101,
      Title: 'Opening <b>',
      TimeSlotId: 1,
      Speakers: [{ Id: 'u1' }],
      Description: 'by Ada Of u1',
    },
    { Id: 102, Title: 'Closing', TimeSlotId: 1, Speakers: [], Enabled: false },
  ],
  Users: [
    ...(smallEvent.Users ?? []).slice(0, 1),
    { FirstName: 'Noa', LastName: 'Canary', EmailAddress: 'canary-no-at' },
  ],
}

const newcomer = { Id: 'u9', FirstName: 'New', LastName: 'Comer', EmailAddress: 'u9@people.example' }

const textOf = (page: string) => page.replace(/<style>.*<\/style>/s, '').replace(/<[^>]*>/g, ' ')

describe.each(engines)('on %s, where a guard holds a run,', (engine) => {
  let workspace: Workspace
  let source: ScriptedSource
  let held: string
  let planHash: string
  const configure = (more: object = {}) =>
    workspace.configure(
      configOfA(source.url, {
        name: 'Summit & Sons',
        removals: { minCount: 1 },
        source: { type: 'a', url: source.url, eventId: '4242', timeZone: 'Europe/Berlin' },
        ...more,
      }),
    )
  beforeEach(async () => {
    ;({ workspace, source } = await workspaceOfSmallEvent(engine))
    configure()
    expect((await workspace.run('run')).code).toBe(0)
    source.records = emptied
    const { code, runs } = await workspace.report('run')
    expect(code).toBe(4)
    held = runs[0]?.run ?? ''
    planHash = runs[0]?.planHash ?? ''
    expect(runs[0]).toMatchObject({ page: join(workspace.folder, 'out', 'summit', held, 'report.html') })
  })
  const page = (run = held) => workspace.read('out', 'summit', run, 'report.html')
  const filesOf = (run: string) => workspace.files('out', 'summit', run)

  test('the page of a held plan asks in plain words for a decision, with names, reasons, the guard, the hash and both commands', async () => {
    expect(filesOf(held)).toEqual(FILES)
    const text = textOf(page()).replace(/\s+/g, ' ')
    expect(text).toContain('Summit &amp; Sons')
    expect(text).toContain('3 attendees would disappear from the app. Is that right?')
    expect(text).toContain('Because the source no longer had their records.')
    expect(text).toContain('1 session would disappear from the app. Is that right? Because it was no longer')
    expect(text).toContain('Attendees 4 2 1 0 3 75 %')
    expect(text).toContain('Ada Of u3 u3 the source no longer had its record')
    expect(text).toContain('Opening &lt;b&gt;')
    expect(text).toContain('All times are in Europe/Berlin.')
    expect(text).toContain(`event-sync apply summit ${planHash}`)
    expect(text).toContain('event-sync run summit')
    expect(text).toMatch(/The guard \w+ stopped this plan/)
    expect(text.indexOf('Would disappear')).toBeLessThan(text.indexOf('Would be added'))
    expect(page()).not.toContain('<b>')
  })

  test('the copy of the page that can be forwarded has no name, address or text of a person, but has titles of sessions', () => {
    const masked = workspace.read('out', 'summit', held, 'report-masked.html')
    expect(masked).not.toMatch(/Ada|Of u|people\.example|Noa|canary/i)
    expect(page()).toMatch(/Noa Canary/)
    expect(masked).toContain('Closing')
    expect(masked).toContain('3 attendees')
    expect(masked).toContain('Please answer')
    expect(masked).toContain('Because your registration system no longer lists them.')
  })

  test('the page to forward shows an id that is a login, but hides an id that is an e-mail address', async () => {
    const speaker = (login: string, address: string) => ({
      Id: login,
      FirstName: 'A',
      LastName: 'B',
      EmailAddress: address,
    })
    const logins = [speaker('login-of-ada', 'ada@people.example'), speaker('canary-login', 'Canary-Login')]
    const speakers = [{ Id: 'u1' }, ...logins.map(({ Id }) => ({ Id }))]
    source.records = {
      ...smallEvent,
      Sessions: [
        { Id: 101, Title: 'Opening', TimeSlotId: 1, Speakers: speakers },
        ...(smallEvent.Sessions ?? []).slice(1),
      ],
      Users: [...(smallEvent.Users ?? []), ...logins],
    }
    expect((await workspace.run('run')).code).toBe(0)
    source.records = emptied
    const { runs } = await workspace.report('run')
    const run = runs[0]?.run ?? ''
    const masked = textOf(workspace.read('out', 'summit', run, 'report-masked.html')).replace(/\s+/g, ' ')
    expect(masked).toContain('2 speakers would disappear')
    expect(masked).toContain('name hidden login-of-ada')
    expect(masked).toContain('speakers u1; login-of-ada; masked u1')
    expect(masked).not.toMatch(/canary/i)
    expect(textOf(page(run))).toContain('u1; login-of-ada; canary-login')
    // The commands `show` and `explain` also show a login and hide an e-mail address.
    const shown = await workspace.run('show', run)
    expect(shown.stdout).toContain('remove login-of-ada')
    const explained = await workspace.run('explain', 'summit', 'speakers', 'canary-login')
    expect([explained.code, explained.stdout]).toEqual([0, expect.not.stringMatching(/canary/i)])
    const several = await workspace.run('explain', 'summit', 'speakers', '--name', 'a b')
    expect(several.stderr).toMatch(/speakers \(hidden\)\n\s+speakers login-of-ada\n/)
  })

  test('the pages show the titles of sessions beside their ids, and say which changes follow from sessions that would disappear', async () => {
    source.records = {
      ...smallEvent,
      Sessions: (smallEvent.Sessions ?? []).map((session) => ({
        ...Object(session),
        Speakers: [{ Id: 'u1' }],
      })),
    }
    expect((await workspace.run('run')).code).toBe(0)
    source.records = emptied
    const { runs } = await workspace.report('run')
    const run = runs[0]?.run ?? ''
    for (const name of ['report.html', 'report-masked.html']) {
      const text = textOf(workspace.read('out', 'summit', run, name)).replace(/\s+/g, ' ')
      expect(text).toMatch(
        /session(?:Id)?s 101 &#34;Opening &lt;b&gt;&#34;; 102 &#34;Closing&#34; 101 &#34;Opening &lt;b&gt;&#34; /,
      )
      expect(text).toContain('Follows from a session that would disappear: 102 &#34;Closing&#34;')
    }
    expect(workspace.read('out', 'summit', run, 'plan.csv')).toContain('"sessionIds","101; 102","101"')
  })

  test('plan.csv has a row for each removal and for each changed field', () => {
    const rows: readonly Record<string, string>[] = parse(workspace.read('out', 'summit', held, 'plan.csv'), {
      columns: true,
    })
    expect(rows.slice(0, 4).map(({ action, unique_id, name }) => [action, unique_id, name])).toEqual([
      ['remove', '102', 'Closing'],
      ['remove', 'u2', 'Ada Of u2'],
      ['remove', 'u3', 'Ada Of u3'],
      ['remove', 'u4', 'Ada Of u4'],
    ])
    expect(rows[1]).toMatchObject({ reason: 'removed_at_source', field: '', after: '' })
    expect(rows).toContainEqual(
      expect.objectContaining({
        action: 'update',
        unique_id: '101',
        field: 'name',
        before: 'Opening',
        after: 'Opening <b>',
      }),
    )
  })

  test('after an approval the pack replaces the page of the plan, and verify finds no fault in it', async () => {
    const { stdout } = await workspace.run('status')
    expect(stdout).toContain('held')
    expect((await workspace.run('apply', 'summit', planHash)).code).toBe(0)
    expect(filesOf(held)).not.toContain('plan.csv')
    expect(filesOf(held)).not.toContain('report-masked.html')
    expect(page()).toContain('Audit report')
    const verified = await workspace.run('verify', 'out')
    expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining('2 packs, all intact')])
  })

  test('the page of a later plan replaces the page of the held plan; after a plan without changes there is no page', async () => {
    const { runs } = await workspace.report('plan')
    expect(filesOf(held)).toEqual([])
    expect(filesOf(runs[0]?.run ?? '')).toEqual(FILES)
    source.records = smallEvent
    const later = await workspace.report('plan')
    expect(later.runs[0]).toMatchObject({ status: 'planned', page: null })
    expect(workspace.files('out', 'summit').filter((file) => file.endsWith('plan.csv'))).toEqual([])
  })

  test('export writes the page of a held plan again', async () => {
    rmSync(join(workspace.folder, 'out', 'summit', held), { recursive: true })
    const { code, stdout } = await workspace.run('export', held)
    expect([code, stdout]).toEqual([0, `${join(workspace.folder, 'out', 'summit', held)}\n`])
    expect(filesOf(held)).toEqual(FILES)
  })

  test('forget removes the page of a held plan, because the plan becomes outdated; status then asks for a new plan', async () => {
    workspace.env.SEALING_KEY = Buffer.alloc(32, 7).toString('base64')
    const config = JSON.parse(workspace.read('event-sync.yaml'))
    workspace.configure({ ...config, sealingKey: 'env:SEALING_KEY' })
    expect(page()).toContain('Of u3')
    const { code, stdout } = await workspace.run('forget', 'summit', 'attendees', 'u3')
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('NOT REACHED pack')])
    expect(filesOf(held)).toEqual([])
    expect((await workspace.run('apply', 'summit', planHash)).code).toBe(4)
    const { integrations } = JSON.parse((await workspace.run('status', '--json')).stdout)
    expect(integrations[0]).toMatchObject({ state: 'held', next: 'event-sync plan summit', report: null })
    expect((await workspace.run('export', held)).stderr).toContain('continue with `event-sync plan summit`')
  })

  test('after a plan without changes, status proposes a run, and the folder of the held plan is gone, so forget does not ask about it', async () => {
    workspace.env.SEALING_KEY = Buffer.alloc(32, 7).toString('base64')
    const config = JSON.parse(workspace.read('event-sync.yaml'))
    workspace.configure({ ...config, sealingKey: 'env:SEALING_KEY' })
    source.records = smallEvent
    await workspace.run('plan')
    const { integrations } = JSON.parse((await workspace.run('status', '--json')).stdout)
    expect(integrations[0]).toMatchObject({ state: 'held', next: 'event-sync run summit' })
    expect(existsSync(join(workspace.folder, 'out', 'summit', held))).toBe(false)
    const { code, stdout } = await workspace.run('forget', 'summit', 'attendees', 'u3')
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('NOT REACHED pack')])
  })

  test('if a newer plan is not held, status proposes to apply this plan and not the older held plan', async () => {
    source.records = { ...smallEvent, Users: [...(smallEvent.Users ?? []), newcomer] }
    const { runs } = await workspace.report('plan')
    const { integrations } = JSON.parse((await workspace.run('status', '--json')).stdout)
    expect(integrations[0]).toMatchObject({
      next: `event-sync apply summit ${runs[0]?.planHash}`,
      report: runs[0]?.page,
    })
  })

  test('with audit.personalData: masked, the page of a plan and plan.csv hide values of people', async () => {
    configure()
    const config = workspace.read('event-sync.yaml')
    workspace.configure({ ...JSON.parse(config), audit: { personalData: 'masked' } })
    const { runs } = await workspace.report('plan')
    const run = runs[0]?.run ?? ''
    const files = FILES.map((file) => workspace.read('out', 'summit', run, file)).join()
    expect(files).toContain('Closing')
    expect(files).not.toMatch(/Of u[234]|people\.example|Noa/)
  })

  test('a page that a killed process left is removed, also if many runs came after it', async () => {
    await workspace.rows(`
      insert into sync.runs
      select (jsonb_populate_record(original, jsonb_build_object(
        'run_id', '01fffff0-0000-7000-8000-' || lpad(number::text, 12, '0'), 'has_plan_page', false, 'base', -1
      ))).*
      from sync.runs as original cross join generate_series(1, 30) as number
      where original.run_id = '${held}'`)
    expect(filesOf(held)).toEqual(FILES)
    const { runs } = await workspace.report('plan', '--run-id', runIds[0])
    expect(filesOf(held)).toEqual([])
    expect(filesOf(runs[0]?.run ?? '')).toEqual(FILES)
    const pages = await workspace.rows('select run_id from sync.runs where has_plan_page')
    expect(pages).toEqual([{ run_id: runIds[0] }])
  })

  test('export and apply at the same time leave either a whole pack or a whole page', async () => {
    const [applied, exported] = await Promise.all([
      workspace.run('apply', 'summit', planHash),
      workspace.run('export', held),
    ])
    expect([0, 5]).toContain(applied.code)
    expect([0, 5]).toContain(exported.code)
    expect(Math.min(applied.code ?? 1, exported.code ?? 1)).toBe(0)
    if (applied.code === 5) expect(filesOf(held)).toEqual(FILES)
    else expect(filesOf(held)).not.toContain('plan.csv')
    const verified = await workspace.run('verify', 'out')
    expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining('all intact')])
  })

  test('if the page of a plan cannot be written, the plan can still be approved, and the log gives the reason', async () => {
    const [run] = runIds
    writeFileSync(join(workspace.folder, 'out', 'summit', run), '')
    const { code, stdout, stderr } = await workspace.run(
      'plan',
      '--run-id',
      run,
      '--json',
      '--log-level',
      'info',
    )
    expect(code).toBe(4)
    expect(JSON.parse(stdout).runs[0]).toMatchObject({ status: 'held', page: null })
    expect(stderr).toContain('the page of the plan')
    expect((await workspace.run('show', run)).stdout).toContain('remove 102')
  })
})

test('purge keeps the page of an old plan while the plan can be applied, and then removes it', async () => {
  const { workspace } = await workspaceOfSmallEvent()
  const { runs } = await workspace.report('plan')
  const [{ run, planHash } = { run: null, planHash: null }] = runs
  const files = () => workspace.files('out', 'summit', run ?? '')
  expect(files()).toEqual(FILES)
  // `purge` does not delete the last run, so this test adds a later run that failed.
  await workspace.rows(`
    update sync.runs set started_at = '2020-01-01', planned_at = '2020-01-01';
    insert into sync.runs
    select (jsonb_populate_record(original, jsonb_build_object(
      'run_id', '${runIds[0]}', 'status', 'failed', 'plan_hash', null, 'planned_at', null, 'has_plan_page', false
    ))).*
    from sync.runs as original`)
  const purge = ['purge', '--older-than', '90d', '--keep-runs', '1']
  expect((await workspace.run(...purge, '--dry-run')).code).toBe(0)
  expect((await workspace.run(...purge)).code).toBe(0)
  expect(files()).toEqual(FILES)
  await workspace.rows('update sync.integrations set base = base + 1')
  expect((await workspace.run(...purge)).code).toBe(0)
  expect(files()).toEqual([])
  expect(existsSync(join(workspace.folder, 'out', 'summit', run ?? ''))).toBe(false)
  const applied = await workspace.report('apply', 'summit', planHash ?? '')
  expect([applied.code, applied.runs[0]?.error]).toEqual([
    4,
    `${planHash} is no longer current for summit; there is no current plan; make one with \`event-sync plan summit\`\nplatform untouched`,
  ])
})
