import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { PYTHON, runVerifyPy } from '../../loaders/verify/verify-py.ts'
import { engines } from '../../support/engines.ts'
import { CLI, start } from './command-line.ts'
import {
  DAYS,
  evidence,
  indexOf,
  KEY,
  keys,
  onDay,
  runsOn,
  SIGNED,
  shaOf,
  titled,
  verifyTwice,
} from './evidence-of-days.ts'
import { begin, runOnce } from './rename-small-event.ts'
import { makeWorkspace, type Workspace } from './workspace.ts'

const PRELOADED = new URL('../../proofs/kills/killed-command.ts', import.meta.url).href
const EVIDENCE = ['evidence', 'summit', '--from', '2001-01-01', '--to', '2999-12-31', '-o', 'audit']
/** Points at which evidence is killed, and if its folder then has its name. */
const POINTS = [
  ['evidence begun 1', false],
  ['evidence pack copied 1', false],
  ['evidence pack copied 2', false],
  ['evidence written 1', false],
  ['evidence in place 1', true],
] as const

describe.each(engines)('on %s', (engine) => {
  test.each(POINTS)(
    'if evidence is killed at "%s", its folder is complete or absent, and the next command goes on',
    async (point, isThere) => {
      const { workspace } = await begin(engine)
      await runOnce(workspace)
      await runOnce(workspace)
      const killed = start(
        process.execPath,
        ['--import', PRELOADED, CLI, '--log-level', 'debug', ...EVIDENCE],
        { folder: workspace.folder, env: { ...workspace.env, DEATH: point } },
      )
      expect((await killed.ended).code).toBe(null)
      expect(existsSync(join(workspace.folder, 'audit'))).toBe(isThere)
      expect((await workspace.run(...EVIDENCE)).code).toBe(isThere ? 64 : 0)
      const { code, stdout } = await workspace.run('verify', 'audit')
      expect([code, stdout]).toEqual([0, expect.stringContaining('2 packs, all intact')])
      expect(readdirSync(workspace.folder).filter((name) => name.includes('audit'))).toEqual(['audit'])
    },
  )
})

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
