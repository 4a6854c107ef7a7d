import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { PYTHON, runVerifyPy } from '../../loaders/verify/verify-py.ts'
import { engines } from '../../support/engines.ts'
import { onDay, runsOn, titled } from './evidence-of-days.ts'
import { runOnce } from './rename-small-event.ts'
import { makeWorkspace, type Workspace } from './workspace.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const keys = generateKeyPairSync('ed25519')
const SIGNED = { audit: { signingKey: 'env:SIGNING_KEY' } }
const KEY = { SIGNING_KEY: String(keys.privateKey.export({ type: 'pkcs8', format: 'pem' })) }

function evidence(workspace: Workspace, from: string, to: string, folder = 'audit', id = 'summit') {
  return workspace.run('evidence', id, '--from', from, '--to', to, '-o', folder)
}

const indexOf = (workspace: Workspace, folder = 'audit') =>
  JSON.parse(workspace.read(folder, 'evidence.json'))
const shaOf = (workspace: Workspace, run: string, id = 'summit') =>
  sha256(workspace.read('out', id, run, 'manifest.json'))

/** Verifies an evidence folder with the command and with `verify.py`, which must agree. */
async function verifyTwice(workspace: Workspace, folder = 'audit') {
  const pem = join(workspace.folder, 'auditors.pem')
  writeFileSync(pem, keys.publicKey.export({ type: 'spki', format: 'pem' }))
  const isSigned = existsSync(join(workspace.folder, folder, 'evidence.sig'))
  const args = isSigned ? ['--public-key', pem] : []
  const result = await workspace.run('verify', folder, ...args)
  if (PYTHON === null) return result
  const { code, stdout } = runVerifyPy([join(workspace.folder, folder), ...args])
  expect([code, stdout], stdout).toEqual([result.code, expect.any(String)])
  return result
}

/** Expects the same exit code of both verifiers, and that both print each of the texts. */
async function bothSay(
  workspace: Workspace,
  args: readonly string[],
  code: number,
  texts: readonly (string | RegExp)[],
) {
  const [folder = '', ...others] = args
  const printed = [await workspace.run('verify', folder, ...others)]
  if (PYTHON !== null) {
    const { code: status, ...other } = runVerifyPy([join(workspace.folder, folder), ...others])
    printed.push({ ...other, code: status ?? -1 })
  }
  for (const one of printed) {
    expect([one.code, one.stdout], one.stderr).toEqual([code, expect.any(String)])
    for (const text of texts) expect(one.stdout + one.stderr).toMatch(text)
  }
}

/** Writes the public key of the owner, and another one, into files. @returns their paths */
function keyFiles({ folder }: Workspace): readonly [right: string, wrong: string] {
  const other = generateKeyPairSync('ed25519')
  const write = (name: string, { publicKey }: { publicKey: KeyObject }) => {
    const path = join(folder, name)
    writeFileSync(path, publicKey.export({ type: 'spki', format: 'pem' }))
    return path
  }
  return [write('auditors.pem', keys), write('other.pem', other)]
}

const DAYS = ['2031-01-01', '2031-01-10', '2031-01-20', '2031-02-01']

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

test('evidence of the whole chain has no anchors, and evidence of days without a run has only anchors', async () => {
  const { workspace, runs } = await runsOn(DAYS.slice(0, 2))
  expect((await evidence(workspace, '2031-01-01', '2031-01-10')).stdout).toContain('none yet')
  expect(indexOf(workspace)).toMatchObject({
    before: null,
    after: null,
    packs: [{ run: runs[0] }, { run: runs[1] }],
  })
  expect((await verifyTwice(workspace)).stdout).toContain('the chain begins with the first pack')

  onDay('2031-01-12')
  for (const [folder, from, to, before, after] of [
    ['between', '2031-01-02', '2031-01-09', runs[0], runs[1]],
    ['early', '2030-01-02', '2030-01-09', undefined, runs[0]],
    ['late', '2031-01-11', '2031-01-12', runs[1], undefined],
  ] as const) {
    expect((await evidence(workspace, from, to, folder)).stdout).toContain('0: nothing landed')
    const index = indexOf(workspace, folder)
    expect([index.packs, index.before?.run, index.after?.run]).toEqual([[], before, after])
    expect((await verifyTwice(workspace, folder)).code).toBe(0)
  }
  await bothSay(workspace, ['early'], 0, ['no run landed in the period or before it; not signed'])
  await bothSay(workspace, ['late'], 0, ['nobody can see if the last packs are missing'])
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

test('packs that the database does not know count, and their configurations are listed as unknown', async () => {
  const { workspace, source, configure, runs } = await runsOn(DAYS.slice(0, 2))
  configure('summit', { name: 'Summit' })
  workspace.env.DATABASE_URL = (await makeWorkspace('postgres')).env.DATABASE_URL ?? ''
  onDay('2031-01-20')
  source.records = titled('After the loss')
  const third = await runOnce(workspace, '--refresh')
  expect((await evidence(workspace, '2031-01-05', '2031-01-31')).stdout).toContain(
    '1 configuration: the database',
  )
  const index = indexOf(workspace)
  expect(index.packs.map(({ run }: { run: string }) => run)).toEqual([runs[1], third.run])
  expect(index.unknownConfigurations).toEqual([index.packs[0].configHash])
  expect((await verifyTwice(workspace)).code).toBe(0)
})

test('evidence after rename has the packs of both ids, and verifies without the pack that lists the renaming', async () => {
  const { workspace, configure, runs } = await runsOn(DAYS.slice(0, 2), 'postgres', SIGNED, KEY)
  await workspace.run('rename', 'summit', 'summit-2031')
  configure('summit-2031', {}, SIGNED)
  onDay('2031-01-20')
  const third = await runOnce(workspace)
  for (const [folder, to, packs] of [
    ['old', '2031-01-15', [runs[1]]],
    ['both', '2031-01-31', [runs[1], third.run]],
  ] as const) {
    expect((await evidence(workspace, '2031-01-05', to, folder, 'summit-2031')).stderr).toBe('')
    const index = indexOf(workspace, folder)
    expect([index.integration, index.formerIds]).toEqual(['summit-2031', ['summit']])
    expect(index.packs.map(({ run }: { run: string }) => run)).toEqual(packs)
    expect(existsSync(join(workspace.folder, folder, 'summit-2031', 'renamed.json'))).toBe(true)
    expect((await verifyTwice(workspace, folder)).code).toBe(0)
  }
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

test('evidence without its index is refused, even if no pack came before and the last pack is gone', async () => {
  const { workspace, runs } = await runsOn(DAYS.slice(0, 2), 'postgres', SIGNED, KEY)
  await evidence(workspace, '2031-01-01', '2031-01-31')
  const [key] = keyFiles(workspace)
  for (const file of ['evidence.json', 'evidence.sig', `summit/${runs[1]}`])
    rmSync(join(workspace.folder, 'audit', file), { recursive: true })
  for (const args of [['audit'], ['audit', '--public-key', key]])
    await bothSay(workspace, args, 1, [
      'FAULT  evidence in the folder audit',
      'evidence.json is missing, but actions.csv is here, as in an evidence folder',
    ])
  // An output folder that has an integration of this name stays a folder of packs.
  cpSync(join(workspace.folder, 'out', 'summit'), join(workspace.folder, 'out', 'configurations'), {
    recursive: true,
  })
  expect((await workspace.run('verify', 'out')).stdout).not.toContain('evidence')
})

test('both verifiers say if signatures were checked, and what to do about each fault', async () => {
  const { workspace, runs } = await runsOn(DAYS.slice(0, 3), 'postgres', SIGNED, KEY)
  const [, first = ''] = runs
  const [key, wrong] = keyFiles(workspace)
  await evidence(workspace, '2031-01-05', '2031-01-15')
  const path = (name: string) => join(workspace.folder, 'audit', name)

  await bothSay(workspace, ['audit'], 0, ['; signature NOT checked', '2 signatures not checked'])
  await bothSay(workspace, ['audit', '--public-key', key], 0, ['; signature checked'])
  const { evidence: json } = JSON.parse((await workspace.run('verify', 'audit', '--json')).stdout)
  expect(json).toMatchObject({ signature: 'not checked', after: { run: runs[2] } })
  await bothSay(workspace, ['audit', '--public-key', wrong], 1, [
    'FAULT  evidence in the folder audit',
    'ask the owner which public keys are in use; if the key is right, do not rely on this evidence',
    /0 packs, but the evidence is not intact(?!, signatures)/,
  ])

  for (const folder of ['audit/summit', `audit/summit/${first}`])
    await bothSay(workspace, [folder], 1, [`part of the evidence folder ${path('').replace(/\/$/, '')}`])
  mkdirSync(join(workspace.folder, 'empty'))
  await bothSay(workspace, ['empty'], 64, ['is neither an audit pack nor evidence'])

  for (const stray of ['.DS_Store', `summit/${first}/.DS_Store`]) {
    writeFileSync(path(stray), '')
    await bothSay(workspace, ['audit'], 1, ['delete the files that an operating system has left here'])
    rmSync(path(stray))
  }
  rmSync(path(`summit/${first}/agenda.csv`))
  await bothSay(workspace, ['audit'], 1, ['ask its owner to make it again with `event-sync evidence`'])
})

test('all packs that are missing or were changed are named, at most five', async () => {
  const days = Array.from({ length: 7 }, (_, at) => `2031-01-0${at + 1}`)
  const { workspace, runs } = await runsOn(days)
  for (const [at, run] of runs.entries())
    rmSync(join(workspace.folder, 'out', 'summit', run, at === 0 ? 'manifest.json' : 'agenda.csv'))
  const { code, stderr } = await evidence(workspace, '2031-01-01', '2031-01-31')
  expect([code, stderr.match(/`event-sync export/g)?.length]).toEqual([1, 5])
  expect(stderr).toContain(`the pack of run ${runs[0]} is missing, or its manifest was changed`)
  expect(stderr).toContain(`the pack of run ${runs[1]} has a fault: agenda.csv is missing`)
  expect(stderr).toContain('and 2 more packs')
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

test('verify accepts packs after a manifest that is known by its hash only, with --follows', async () => {
  const { workspace, runs } = await runsOn(DAYS.slice(0, 3))
  const before = shaOf(workspace, runs[0] ?? '')
  rmSync(join(workspace.folder, 'out', 'summit', runs[0] ?? ''), { recursive: true })
  expect((await workspace.run('verify', 'out')).code).toBe(1)
  for (const folder of ['out', 'out/summit', `out/summit/${runs[1]}`])
    expect((await workspace.run('verify', folder, '--follows', before)).stdout).toContain('all intact')
  expect((await workspace.run('verify', 'out', '--follows', 'f'.repeat(64))).code).toBe(1)
  expect((await workspace.run('verify', 'out', '--follows', 'x')).stderr).toContain('64 digits')
})
