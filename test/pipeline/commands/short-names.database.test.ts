import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { runInProcess } from './in-process.ts'
import { smallEvent } from './small-event.ts'
import { useSmallWorkspace } from './small-workspace.ts'
import type { Workspace } from './workspace.ts'

describe('short names of runs and plans', () => {
  const place = useSmallWorkspace('postgres')
  let workspace: Workspace
  let first: string
  beforeAll(async () => {
    workspace = place().workspace
    first = (await workspace.report('run')).runs[0]?.run ?? ''
    place().source.records = { ...smallEvent, Sessions: [] }
  })

  async function planned(): Promise<{ readonly run: string; readonly hash: string }> {
    const { run, planHash } = (await workspace.report('plan')).runs[0] ?? {}
    return { run: run ?? '', hash: planHash ?? '' }
  }

  test('show and export accept the first or the last characters of a run id; show also accepts the name of an integration', async () => {
    for (const part of [first, first.slice(-8), first.slice(0, 20)]) {
      const { stdout } = await workspace.run('show', part, '--json')
      expect([part, JSON.parse(stdout).run]).toEqual([part, first])
    }
    expect((await workspace.run('export', first.slice(-8))).stdout).toContain(first)
    const { run } = await planned()
    expect(JSON.parse((await workspace.run('show', 'summit', '--json')).stdout).run).toBe(run)
    const refused = [
      [run.slice(0, 4), /is part of several run ids: /],
      ['ffffffff', /there is no run ffffffff/],
      ['autumn', /"autumn" is not the id of a run/],
      ['123', /"123" is not the id of a run/],
    ] as const
    for (const [part, message] of refused) {
      const { code, stderr } = await workspace.run('show', part)
      expect([part, code, stderr]).toEqual([part, 64, expect.stringMatching(message)])
    }
  })

  test('apply accepts the first characters of a plan hash; for a plan that was applied, it says when and by which run', async () => {
    const { run, hash } = await planned()
    for (const [start, message] of [
      [hash.slice(0, 7), /is not the hash of a plan; give its first 8 characters or more; nothing was sent/],
      [`${hash.slice(0, 8)}x`, /is not the hash of a plan/],
    ] as const) {
      const { code, stderr } = await workspace.run('apply', 'summit', start)
      expect([start, code, stderr]).toEqual([start, 64, expect.stringMatching(message)])
    }
    const wrong = await workspace.run('apply', 'summit', '0123456789')
    expect([wrong.code, wrong.stderr]).toEqual([
      4,
      expect.stringContaining(`0123456789 is not a stored plan of summit; the newest is ${hash}`),
    ])
    const applied = await workspace.report('apply', 'summit', hash.slice(0, 8), '--approver', 'A. Lovelace')
    expect(applied.runs).toMatchObject([{ run, status: 'finished' }])
    const again = await workspace.run('apply', 'summit', hash.slice(0, 8))
    expect(again.code).toBe(4)
    expect(again.stderr).toMatch(
      new RegExp(`plan ${hash} of summit was applied at \\S+ by run ${run}, approved by A\\. Lovelace`),
    )
  })

  test('apply with a wrong hash does not affect a run that is being applied', async () => {
    place().source.records = smallEvent
    const { run } = await planned()
    await workspace.rows(`update sync.runs set status = 'applying' where run_id = '${run}'`)
    expect((await workspace.run('apply', 'summit', '0123456789')).code).toBe(4)
    const [record] = await workspace.rows(`select status from sync.runs where run_id = '${run}'`)
    expect(record).toEqual({ status: 'applying' })
    await workspace.rows(`update sync.runs set status = 'planned' where run_id = '${run}'`)
  })

  test('apply without a hash shows the plan and asks for approval; without a terminal it prints the full command', async () => {
    const { hash } = await planned()
    const alone = await workspace.run('apply', 'summit')
    expect(alone.code).toBe(64)
    expect(alone.stdout).toContain('+ create 101')
    expect(alone.stderr).toContain(
      `there is nobody to ask; give the hash: \`event-sync apply summit ${hash}\``,
    )
    const asked = (answer: string) =>
      runInProcess(['apply', 'summit'], { ...workspace, input: `${answer}\n`, isTerminal: true })
    const no = await asked('no')
    expect([no.code, no.stderr]).toEqual([4, expect.stringContaining('Apply this plan?')])
    expect((await asked('yes')).code).toBe(0)
    const none = await workspace.run('apply', 'summit')
    expect([none.code, none.stderr]).toEqual([64, expect.stringContaining('no plan of summit waits')])
  })

  test('if the user gave -c FILE, the commands that are printed contain it, quoted for a shell', async () => {
    renameSync(join(workspace.folder, 'event-sync.yaml'), join(workspace.folder, "autumn's events.yaml"))
    place().source.records = { ...smallEvent, Sessions: [] }
    const file = "'autumn'\\''s events.yaml'"
    const plan = await workspace.run('-c', "autumn's events.yaml", 'plan')
    expect(plan.stdout).toMatch(
      /apply it with: event-sync -c 'autumn'\\''s events.yaml' apply summit [0-9a-f]{64}\n/,
    )
    const pages = workspace.files('out').filter((path) => path.endsWith('report.html'))
    const shown = pages
      .map((path) => workspace.read('out', path))
      .filter((text) => text.includes(' apply summit '))
    expect(shown).toHaveLength(1)
    for (const page of [...shown, workspace.read('out', 'index.html')]) {
      const commands = page.match(/event-sync (?:apply|run|show) /g) ?? []
      expect([commands, page]).toEqual([[], expect.stringMatching(/event-sync -c \S+autumn/)])
    }
    const status = await workspace.run('-c', "autumn's events.yaml", 'status', '--json')
    const [{ next }] = JSON.parse(status.stdout).integrations
    if (next !== null) expect(next).toContain(`event-sync -c ${file} `)
    const help = await workspace.run('-c', "autumn's events.yaml", 'plan', '--help')
    expect(help.stdout).toContain('event-sync plan summit')
    const rows = await workspace.run(
      '-c',
      "autumn's events.yaml",
      'sql',
      "select 'event-sync run summit' as text",
    )
    expect(rows.stdout).toContain('event-sync run summit')
    const wrong = await workspace.run('-c', "autumn's events.yaml", 'apply', 'summit', '0123456789')
    expect(wrong.stderr).toContain('the newest is')
    const none = await workspace.run('-c', 'no events.yaml', 'run')
    expect(none.stderr).toBe(
      "no events.yaml does not exist; create one with `event-sync -c 'no events.yaml' init`, or name another with -c FILE\n",
    )
  })
})
