import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { engines } from '../../support/engines.ts'
import { emptied, FILES, holdPlan, textOf } from './held-plan.ts'
import { runIds, smallEvent } from './small-event.ts'
import { workspaceOfSmallEvent } from './small-workspace.ts'

describe.each(engines)('on %s, where a guard holds a run,', (engine) => {
  test('the page of a held plan asks in plain words for a decision, with names, reasons, the guard, the hash and both commands', async () => {
    const { held, planHash, page, filesOf } = await holdPlan(engine)
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

  test('the copy of the page that can be forwarded has no name, address or text of a person, but has titles of sessions', async () => {
    const { workspace, held, page } = await holdPlan(engine)
    const masked = workspace.read('out', 'summit', held, 'report-masked.html')
    expect(masked).not.toMatch(/Ada|Of u|people\.example|Noa|canary/i)
    expect(page()).toMatch(/Noa Canary/)
    expect(masked).toContain('Closing')
    expect(masked).toContain('3 attendees')
    expect(masked).toContain('Please answer')
    expect(masked).toContain('Because your registration system no longer lists them.')
  })

  test('plan.csv has a row for each removal and for each changed field', async () => {
    const { workspace, held } = await holdPlan(engine)
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
    const { workspace, held, planHash, page, filesOf } = await holdPlan(engine)
    const { stdout } = await workspace.run('status')
    expect(stdout).toContain('held')
    expect((await workspace.run('apply', 'summit', planHash)).code).toBe(0)
    expect(filesOf(held)).not.toContain('plan.csv')
    expect(filesOf(held)).not.toContain('report-masked.html')
    expect(page()).toContain('Audit report')
    const verified = await workspace.run('verify', 'out')
    expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining('2 packs, all intact')])
  })

  test('export writes the page of a held plan again', async () => {
    const { workspace, held, filesOf } = await holdPlan(engine)
    rmSync(join(workspace.folder, 'out', 'summit', held), { recursive: true })
    const { code, stdout } = await workspace.run('export', held)
    expect([code, stdout]).toEqual([0, `${join(workspace.folder, 'out', 'summit', held)}\n`])
    expect(filesOf(held)).toEqual(FILES)
  })

  test('forget removes the page of a held plan, because the plan becomes outdated; status then asks for a new plan', async () => {
    const { workspace, held, planHash, page, filesOf } = await holdPlan(engine)
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

  test('with audit.personalData: masked, the page of a plan and plan.csv hide values of people', async () => {
    const { workspace, configure } = await holdPlan(engine)
    configure()
    const config = workspace.read('event-sync.yaml')
    workspace.configure({ ...JSON.parse(config), audit: { personalData: 'masked' } })
    const { runs } = await workspace.report('plan')
    const run = runs[0]?.run ?? ''
    const files = FILES.map((file) => workspace.read('out', 'summit', run, file)).join()
    expect(files).toContain('Closing')
    expect(files).not.toMatch(/Of u[234]|people\.example|Noa/)
  })

  test('the page to forward shows an id that is a login, but hides an id that is an e-mail address', async () => {
    const { workspace, source, page } = await holdPlan(engine)
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
