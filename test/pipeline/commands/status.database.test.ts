import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runCommand } from '../../../pipeline/commands/program.ts'
import { packageRoot } from '../../../pipeline/runtime/package-root.ts'
import { engines } from '../../support/engines.ts'
import { openTestIo } from './in-process.ts'
import { startScriptedSource } from './scripted-source.ts'
import { integrationOfA, smallEvent } from './small-event.ts'
import { makeWorkspace } from './workspace.ts'

const { Users = [] } = smallEvent
const SOUND = 'sound'

describe.each(engines)('status on %s', (engine) => {
  /** Sets up integrations. Each integration has its own source with the small event. */
  async function setUp(...ids: readonly string[]) {
    const workspace = await makeWorkspace(engine)
    const sources = await Promise.all(ids.map(() => startScriptedSource(smallEvent)))
    const integrations = ids.map((id, index) => ({
      ...integrationOfA(id, sources[index]?.url ?? ''),
      removals: { minCount: 2 },
    }))
    const configure = (more: Readonly<Record<string, unknown>> = {}, some = ids) =>
      workspace.configure({
        http: { retryBudgetSeconds: 0 },
        integrations: integrations.filter(({ id }) => some.includes(id)).map((one) => ({ ...one, ...more })),
      })
    configure()
    const status = async () => {
      const { code, stdout } = await workspace.run('status', '--json')
      return { code, integrations: JSON.parse(stdout).integrations as readonly Record<string, unknown>[] }
    }
    return { workspace, sources, status, configure }
  }

  test('status shows the state of each integration, when it began, its reason and the next command', async () => {
    const { workspace, sources, status, configure } = await setUp(SOUND, 'emptied', 'odd', 'broken', 'new')
    const [, emptied, odd, broken] = sources
    if (emptied === undefined || odd === undefined || broken === undefined) throw new Error('no source')
    await workspace.run('run', SOUND, 'emptied')
    emptied.records = { ...smallEvent, Users: [] }
    odd.records = { ...smallEvent, Users: [...Users, { FirstName: 'of no id' }] }
    broken.script = async () => ({ status: 404, body: '' })
    const [held, incomplete, failed] = (await workspace.report('run', 'emptied', 'odd', 'broken')).runs
    const again = (await workspace.report('run', 'emptied', 'broken')).runs
    // A plan does not change the state of an integration.
    await workspace.run('plan', SOUND)

    const { code, integrations } = await status()
    expect(code).toBe(1)
    expect(
      integrations.map(({ integration, state, exitCode, run, next }) => [
        integration,
        state,
        exitCode,
        run,
        next,
      ]),
    ).toEqual([
      ['broken', 'failing', 1, again[1]?.run, 'event-sync check broken'],
      ['emptied', 'held', 4, again[0]?.run, `event-sync apply emptied ${again[0]?.planHash}`],
      ['odd', 'incomplete', 3, incomplete?.run, 'event-sync quarantine odd'],
      ['new', 'never run', null, null, 'event-sync check new'],
      [SOUND, 'up to date', 0, expect.any(String), null],
    ])
    const one = await workspace.run('status', 'odd', '--json')
    expect([one.code, JSON.parse(one.stdout).integrations.length]).toEqual([3, 1])
    expect((await workspace.run('status', 'nosuch')).code).toBe(64)
    const runs = JSON.parse((await workspace.run('runs', 'broken', '--json')).stdout).runs
    expect(integrations[0]).toMatchObject({
      since: runs.find(({ run }: { run: string }) => run === failed?.run).finishedAt,
      reason: expect.stringMatching(/^extract failed: source a, /),
      lastSuccessAt: null,
    })
    expect(integrations[1]).toMatchObject({
      reason: expect.stringMatching(
        /^1 of 1 speaker and 4 of 4 attendees would disappear from the app; .*; emptied: users had /,
      ),
      secondsSinceSuccess: expect.any(Number),
      // The link `report` leads to the page of the plan that can be approved.
      report: expect.stringContaining('report.html'),
      look: `event-sync show ${again[0]?.run}`,
      toForward: expect.stringMatching(/report-masked\.html$/),
    })
    for (const { state, look, toForward } of integrations)
      if (state !== 'held') expect([look, toForward]).toEqual([null, null])
    const documented = /^`\{"integrations":\[\{(.*)\}\]\}`/m.exec(
      readFileSync(join(packageRoot, 'pipeline/commands/README.md'), 'utf8'),
    )?.[1]
    const keys = new Set(integrations.flatMap((row: object) => Object.keys(row)))
    expect(new Set(documented?.replaceAll('"', '').split(','))).toEqual(keys.add('readings'))
    expect(held?.planHash).toBe(again[0]?.planHash)
    expect(integrations[4]).toMatchObject({ reason: null, report: expect.stringContaining('report.html') })

    const { stdout } = await workspace.run('status')
    expect(stdout).toMatch(/^integration +state +since +last success +changes +next\n/)
    expect(stdout).toMatch(/\nsound +up to date .* s ago +7\n/)
    expect(stdout).toMatch(/\nbroken: extract failed: /)

    const page = workspace.read('out', 'index.html')
    for (const { integration } of integrations) expect(page).toContain(`<h2 id="${integration}">`)
    expect(page).toMatch(
      new RegExp(
        `Look at the plan first: <a href="emptied/${again[0]?.run}/report\\.html">what would change</a>\\. If it is right: <code>event-sync apply emptied ${again[0]?.planHash}</code>\\. If it is wrong: correct the source, then <code>event-sync run emptied</code>\\.`,
      ),
    )
    expect(page).toMatch(/aria-label="Last 1 run; the last one: 7 changes, 0 removals, \d+ s"/)
    // The command that approves the plan always follows the command that shows the plan.
    const folder = join(workspace.folder, 'out', 'emptied', String(again[0]?.run))
    expect(stdout).toContain(
      `event-sync show ${again[0]?.run}, then event-sync apply emptied ${again[0]?.planHash}\n`,
    )
    expect(stdout).toContain(
      [
        `  look first: event-sync show ${again[0]?.run}`,
        `  page:       ${join(folder, 'report.html')}`,
        `  to forward: ${join(folder, 'report-masked.html')}`,
        `  if right:   event-sync apply emptied ${again[0]?.planHash}`,
        '  if wrong:   correct the source, then event-sync run emptied\n',
      ].join('\n'),
    )
    expect(page).not.toMatch(/Ada|people\.example|<script/)
    const linked = (text: string) => {
      const link = new RegExp(`<a href="([^"]+)">${text}`).exec(page)?.[1] ?? ''
      return workspace.read('out', ...link.split('/'))
    }
    expect(linked('of the last run')).toContain('Audit report')
    expect(linked('the plan that waits')).toContain('Plan that waits for a decision')
    expect(linked('the same to forward')).toContain('may be forwarded')

    const codes: (number | null)[] = []
    for (const some of [
      ['new', SOUND],
      [SOUND, 'odd'],
      ['odd', 'emptied'],
      ['emptied', 'broken'],
    ]) {
      configure({}, some)
      codes.push((await status()).code)
    }
    expect(codes).toEqual([0, 3, 4, 1])

    // Only the newest plan can be applied.
    emptied.records = smallEvent
    configure({}, ['emptied'])
    await workspace.run('plan', 'emptied')
    const shown = await workspace.run('show', String(again[0]?.run))
    expect(shown.stdout).toContain(
      'this plan can no longer be applied; make a current one with: event-sync plan emptied',
    )
    expect((await status()).integrations).toMatchObject([
      { state: 'held', run: again[0]?.run, look: null, next: 'event-sync run emptied' },
    ])
  })

  test('status reports a schedule that is overdue, even if the integration never ran, and reports no other schedule', async () => {
    const { workspace, status, configure } = await setUp('summit')
    configure({ schedule: { cron: '* * * * *' } })
    expect(await status()).toMatchObject({ code: 0, integrations: [{ state: 'never run', reason: null }] })
    await workspace.run('schedule')
    expect(await status()).toMatchObject({ code: 0, integrations: [{ state: 'never run', reason: null }] })
    if (engine === 'postgres') {
      await workspace.rows("update queue.schedule set created_on = now() - interval '20 minutes'")
      expect(await status()).toMatchObject({
        code: 1,
        integrations: [
          { state: 'never run', reason: expect.stringContaining('check that a worker is running') },
        ],
      })
    }
    await workspace.run('run')
    expect(await status()).toMatchObject({ code: 0, integrations: [{ state: 'up to date' }] })
    if (engine === 'postgres') {
      await workspace.rows("update sync.runs set started_at = started_at - interval '20 minutes'")
      const { code, integrations } = await status()
      expect([code, integrations[0]?.state, integrations[0]?.next]).toEqual([
        1,
        'overdue',
        'event-sync run summit',
      ])
      expect(integrations[0]?.since).toBe(integrations[0]?.dueAt)
      // The yearly schedule has no run that is overdue, so status ends with exit code 0.
      configure({ schedule: { cron: '0 0 1 1 *' } })
      expect((await status()).code).toBe(0)
    }
  })

  test('a worker serves the status page and the reports that the page links, and nothing else', async () => {
    const { workspace } = await setUp('summit')
    const { runs } = await workspace.report('run')
    const worker = openTestIo(workspace)
    const ended = runCommand(['worker', '--port', '0'], worker)
    await worker.seen('worker started')
    const url = /health (http:\S+?)\)/.exec(worker.output.stderr)?.[1] ?? ''
    const response = await fetch(`${url}/`)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const page = await response.text()
    expect(page).toContain('<h2 id="summit">')
    expect(response.headers.get('refresh')).toBe('60')
    expect(page).toContain('the browser loads it again every 60 seconds')
    const link = /<a href="([^"]+)">of the last run/.exec(page)?.[1] ?? ''
    const report = await fetch(`${url}/${link}`)
    expect([report.status, await report.text()]).toEqual([200, expect.stringContaining('Audit report')])
    expect((await fetch(`${url}/${link}`, { method: 'HEAD' })).status).toBe(200)
    const run = String(runs[0]?.run)
    for (const path of [
      `summit/${run}/manifest.json`,
      `summit/${run.replace(/.$/, 'x')}/report.html`,
      `expo/${run}/report.html`,
      `%2e%2e/${run}/report.html`,
      'summit/..%2f..%2fevent-sync.yaml/report.html',
    ])
      expect([path, (await fetch(`${url}/${path}`)).status]).toEqual([path, 404])
    expect(worker.output.stderr).toContain('none of these integrations has a schedule')
    worker.interrupt(143)
    await ended
  })
})
