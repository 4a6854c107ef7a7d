import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { engines } from '../../support/engines.ts'
import {
  DAYS,
  evidence,
  indexOf,
  KEY,
  onDay,
  runsOn,
  SIGNED,
  sha256,
  shaOf,
  titled,
  verifyTwice,
} from './evidence-of-days.ts'

describe.each(engines)('on %s', (engine) => {
  test('evidence has the packs of the period, their rows, the packs around them, and can be verified alone', async () => {
    const { workspace, runs } = await runsOn(DAYS, engine, SIGNED, KEY)
    const [before = '', first = '', last = '', after = ''] = runs
    await workspace.run('pause', 'summit', '--until', '2031-02-02', '--reason', 'later')
    const made = await evidence(workspace, '2031-01-05', '2031-01-31')
    expect([made.code, made.stderr]).toEqual([0, ''])
    expect(made.stdout).toContain(`2: run ${first} to run ${last}`)
    const index = indexOf(workspace)
    expect(index).toMatchObject({
      format: 1,
      integration: 'summit',
      formerIds: [],
      from: '2031-01-05',
      to: '2031-01-31',
      before: { run: before, manifestSha256: shaOf(workspace, before) },
      after: { run: after, manifestSha256: shaOf(workspace, after) },
      packs: [first, last].map((run) => ({
        run,
        manifestSha256: shaOf(workspace, run),
        landedAt: expect.stringMatching(run === first ? /^2031-01-10T/ : /^2031-01-20T/),
      })),
      unknownConfigurations: [],
    })
    for (const run of [first, last])
      expect(
        workspace.files('audit', 'summit', run).map((file) => workspace.read('audit', 'summit', run, file)),
      ).toEqual(
        workspace.files('out', 'summit', run).map((file) => workspace.read('out', 'summit', run, file)),
      )
    expect(workspace.read('audit', 'changes.csv')).toBe(
      [
        'run,day,content,unique_id,action,field,before,after,reason',
        `"${first}","2031-01-10","agenda","101","update","name","Opening, as of 2031-01-01","Opening, as of 2031-01-10",`,
        `"${last}","2031-01-20","agenda","101","update","name","Opening, as of 2031-01-10","Opening, as of 2031-01-20",`,
        '',
      ].join('\r\n'),
    )
    const [hash = ''] = index.packs.map(({ configHash }: { configHash: string }) => configHash)
    expect(sha256(workspace.read('audit', 'configurations', `${hash}.json`))).toBe(hash)
    expect(workspace.read('audit', 'RULES.md')).toContain('the plan is held once')
    expect(workspace.read('audit', 'README.txt')).toContain('python3 verify.py . --public-key auditors.pem')
    expect(workspace.files('audit').filter((file) => !file.startsWith('summit/'))).toEqual([
      'README.txt',
      'RULES.md',
      'actions.csv',
      'anchors/after/manifest.json',
      'anchors/after/manifest.sig',
      'anchors/before/manifest.json',
      'anchors/before/manifest.sig',
      'certificates.csv',
      'changes.csv',
      `configurations/${hash}.json`,
      'evidence.json',
      'evidence.sig',
      'verify.py',
    ])
    expect(readdirSync(workspace.folder).filter((name) => name.startsWith('.audit'))).toEqual([])
    rmSync(join(workspace.folder, 'out'), { recursive: true })
    const { code, stdout } = await verifyTwice(workspace)
    expect([code, stdout]).toEqual([0, expect.stringContaining('2 packs, all intact')])
    expect(stdout).toContain(
      `ok     evidence of summit, 2031-01-05 to 2031-01-31: index, files and rows; the chain begins after`,
    )
  })
})

test('actions.csv has what operators did in the period, and earlier approvals of its runs', async () => {
  const { workspace, source, runs } = await runsOn(['2031-01-01'])
  await workspace.run('pause', 'summit', '--reason', 'too early')
  await workspace.run('resume', 'summit')
  onDay('2031-01-10')
  source.records = titled('Welcome')
  const [plan] = (await workspace.report('plan')).runs
  const args = ['--approver', 'A. Lovelace', '--reason', 'looks right']
  expect((await workspace.run('apply', 'summit', plan?.planHash ?? '', ...args)).code).toBe(0)
  await workspace.rows("update sync.actions set made_at = '2031-01-02' where action = 'approved'")
  expect((await evidence(workspace, '2031-01-10', '2031-01-10')).code).toBe(0)
  const lines = workspace.read('audit', 'actions.csv').split('\r\n')
  expect(lines).toEqual([
    'action,made_at,made_by,reason,run,until,detail',
    `"approved","2031-01-02T00:00:00.000Z","A. Lovelace","looks right","${plan?.run}",,"plan ${plan?.planHash}"`,
    '',
  ])
  await evidence(workspace, '2031-01-01', '2031-01-01', 'first')
  const first = workspace.read('first', 'actions.csv')
  expect([runs.length, first]).toEqual([1, expect.stringMatching(/"paused".*"too early"[\s\S]*"resumed"/)])
})

test('a pack that is missing or was changed is refused with the command that writes it again', async () => {
  const { workspace, runs } = await runsOn(DAYS.slice(0, 3))
  const [, run = '', last = ''] = runs
  const refused = async (message: string) => {
    const { code, stderr } = await evidence(workspace, '2031-01-05', '2031-01-15')
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)])
    expect(stderr).toContain('nothing was written')
    expect(readdirSync(workspace.folder).filter((name) => name.includes('audit'))).toEqual([])
  }
  const path = (name: string, of = run) => join(workspace.folder, 'out', 'summit', of, name)
  writeFileSync(
    path('agenda.csv'),
    workspace.read('out', 'summit', run, 'agenda.csv').replace('Closing', 'Clothing'),
  )
  await refused(`the pack of run ${run} has a fault: agenda.csv`)
  rmSync(path('changes.csv'))
  await refused(`write it again with \`event-sync export ${run}\``)
  rmSync(path('manifest.json'))
  await refused(`the pack of run ${run} is missing`)
  rmSync(path(''), { recursive: true })
  await refused(`event-sync export ${run}`)
  expect((await workspace.run('export', run)).code).toBe(0)
  rmSync(path('', last), { recursive: true })
  await refused(`event-sync export ${last}`)
  expect((await workspace.run('export', last)).code).toBe(0)
  expect((await evidence(workspace, '2031-01-05', '2031-01-15')).code).toBe(0)
  await workspace.rows(
    `update sync.runs set status = 'applied', manifest_sha256 = null where run_id = '${last}'`,
  )
  expect((await evidence(workspace, '2031-01-05', '2031-01-31', 'more')).stderr).toContain(
    `run ${last} of summit landed, but its pack was not written`,
  )
})

test('the pack before the period may be gone: its hash is known from the first pack', async () => {
  const { workspace, runs } = await runsOn(DAYS.slice(0, 2))
  const before = shaOf(workspace, runs[0] ?? '')
  rmSync(join(workspace.folder, 'out', 'summit', runs[0] ?? ''), { recursive: true })
  expect((await evidence(workspace, '2031-01-05', '2031-01-15')).code).toBe(0)
  expect(indexOf(workspace).before).toMatchObject({ run: runs[0], manifestSha256: before })
  expect(existsSync(join(workspace.folder, 'audit', 'anchors'))).toBe(false)
  const { code, stdout } = await verifyTwice(workspace)
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining(`begins after the manifest with SHA-256 ${before}`),
  ])
})

test('evidence has purged packs with their notes, and packs that were rewritten without a forgotten person', async () => {
  const { workspace, runs } = await runsOn(['2031-01-01', '2031-01-10', '2031-01-20', '2031-06-01'])
  const [before = '', first = ''] = runs
  const old = shaOf(workspace, before)
  onDay('2031-06-02')
  expect((await workspace.run('forget', 'summit', 'attendees', 'u2', '--delivered')).code).toBe(0)
  expect(shaOf(workspace, before)).not.toBe(old)
  await evidence(workspace, '2031-01-05', '2031-01-31', 'rewritten')
  expect((await verifyTwice(workspace, 'rewritten')).stdout).toContain('2 packs, all intact')
  expect((await workspace.run('purge', '--older-than', '100d', '--keep-runs', '1', '--packs')).code).toBe(0)
  expect(existsSync(join(workspace.folder, 'out', 'summit', first, 'purged.json'))).toBe(true)
  const { stdout: made } = await evidence(workspace, '2031-01-05', '2031-01-31')
  expect(made).toContain('  purged     2 of them: only their manifests are left')
  const actions = workspace.read('audit', 'actions.csv')
  expect(actions).toMatch(/"forgotten","2031-06-02T[\s\S]*"purged","2031-06-02T/)
  expect(indexOf(workspace).packs[0].purge).toEqual({
    purgedAt: expect.stringMatching(/^2031-06-02/),
    purgedBy: expect.any(String),
  })
  const { code, stdout } = await verifyTwice(workspace)
  expect([code, stdout]).toEqual([0, expect.stringContaining('purged (its files were deleted')])
})

test('evidence is refused while a pack still has a forgotten person', async () => {
  const { workspace, runs } = await runsOn(DAYS.slice(0, 1))
  await workspace.rows('update sync.runs set reissue_due = true')
  expect((await evidence(workspace, '2031-01-01', '2031-01-01')).stderr).toContain(
    `the pack of run ${runs[0]} must first be rewritten without a forgotten person`,
  )
})

test('wrong usage is refused before anything is written', async () => {
  const { workspace } = await runsOn(DAYS.slice(0, 1))
  const refused = async (
    message: string,
    ...args: readonly [from: string, to: string, folder?: string, id?: string]
  ) => {
    const { code, stderr } = await evidence(workspace, ...args)
    expect([code, stderr]).toEqual([64, expect.stringContaining(message)])
  }
  await refused('It must be a day', '2031-02-30', '2031-03-01')
  await refused('It must be a day', '1 January', '2031-03-01')
  await refused('--from 2031-03-02 is after --to 2031-03-01', '2031-03-02', '2031-03-01')
  await refused('there is no integration "autumn"', '2031-01-01', '2031-01-31', 'audit', 'autumn')
  await refused('is in the output folder', '2031-01-01', '2031-01-31', 'out/audit')
  await refused('exists and is not overwritten', '2031-01-01', '2031-01-31', 'event-sync.yaml')
  await refused('cannot be written (ENOTDIR: ', '2031-01-01', '2031-01-31', 'event-sync.yaml/2031/audit')
  await refused('--from 2031-01-02 is in the future: it is 2031-01-01', '2031-01-02', '2031-01-31')
  mkdirSync(join(workspace.folder, 'audit'))
  const period = ['--from', '2031-01-01', '--to', '2031-01-31']
  const { stdout } = await workspace.run('evidence', 'summit', ...period, '-o', 'audit', '--json')
  expect(JSON.parse(stdout)).toMatchObject({ purged: [], todo: expect.stringContaining('is not over') })
  await refused('exists and is not overwritten', '2031-01-01', '2031-01-31')
  await workspace.run('rename', 'summit', 'anchors')
  await refused('summit was renamed to anchors; name anchors', '2031-01-01', '2031-01-31', 'more')
  await refused('event-sync rename anchors', '2031-01-01', '2031-01-31', 'more', 'anchors')
})
