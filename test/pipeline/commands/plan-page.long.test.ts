import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { engines } from '../../support/engines.ts'
import { emptied, FILES, holdPlan, textOf } from './held-plan.ts'
import { runIds, smallEvent } from './small-event.ts'

const newcomer = { Id: 'u9', FirstName: 'New', LastName: 'Comer', EmailAddress: 'u9@people.example' }

describe.each(engines)('on %s, where a guard holds a run,', (engine) => {
  test('the pages show the titles of sessions beside their ids, and say which changes follow from sessions that would disappear', async () => {
    const { workspace, source } = await holdPlan(engine)
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

  test('a later plan replaces the page of the held plan, and a plan without changes deletes it', async () => {
    const { workspace, source, held, filesOf } = await holdPlan(engine)
    const { runs } = await workspace.report('plan')
    expect(filesOf(held)).toEqual([])
    expect(filesOf(runs[0]?.run ?? '')).toEqual(FILES)
    source.records = smallEvent
    const later = await workspace.report('plan')
    expect(later.runs[0]).toMatchObject({ status: 'planned', page: null })
    expect(workspace.files('out', 'summit').filter((file) => file.endsWith('plan.csv'))).toEqual([])
  })

  test('after a plan without changes, status proposes a run, and the folder of the held plan is gone, so forget does not ask about it', async () => {
    const { workspace, source, held } = await holdPlan(engine)
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
    const { workspace, source } = await holdPlan(engine)
    source.records = { ...smallEvent, Users: [...(smallEvent.Users ?? []), newcomer] }
    const { runs } = await workspace.report('plan')
    const { integrations } = JSON.parse((await workspace.run('status', '--json')).stdout)
    expect(integrations[0]).toMatchObject({
      next: `event-sync apply summit ${runs[0]?.planHash}`,
      report: runs[0]?.page,
    })
  })

  test('a page that a killed process left is removed, also if many runs came after it', async () => {
    const { workspace, held, filesOf } = await holdPlan(engine)
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
    const { workspace, held, planHash, filesOf } = await holdPlan(engine)
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
    const { workspace } = await holdPlan(engine)
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
