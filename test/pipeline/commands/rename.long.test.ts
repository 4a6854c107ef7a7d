import { generateKeyPairSync } from 'node:crypto'
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { PYTHON, runVerifyPy } from '../../loaders/verify/verify-py.ts'
import { engines } from '../../support/engines.ts'
import { CLI, start } from './command-line.ts'
import { begin, manifestOf, NOTHING_PLANNED, runOnce, verifyTwice } from './rename-small-event.ts'
import { startScriptedSource } from './scripted-source.ts'
import { integrationOfA, smallEvent } from './small-event.ts'
import { makeWorkspace } from './workspace.ts'

const PRELOADED = new URL('../../proofs/kills/killed-command.ts', import.meta.url).href
const RENAME = ['rename', 'summit', 'summit-2031']
const POINTS = ['renaming stored', 'folder renamed', 'renaming noted']
/** Commands that finish a `rename` that was killed. */
const NEXT = [['status'], RENAME, ['run']]

describe.each(engines)('on %s', (engine) => {
  test.each(POINTS.flatMap((point) => NEXT.map((command) => [point, command.join(' '), command] as const)))(
    'if rename is killed at the point "%s", the command "%s" finishes the renaming',
    async (point, _name, command) => {
      const { workspace, configure } = await begin(engine)
      await runOnce(workspace)
      const killed = start(
        process.execPath,
        ['--import', PRELOADED, CLI, '--log-level', 'debug', ...RENAME],
        { folder: workspace.folder, env: { ...workspace.env, DEATH: `${point} 1` } },
      )
      expect((await killed.ended).code).toBe(null)
      configure('summit-2031')
      expect((await workspace.run(...command)).code).toBe(0)
      expect(existsSync(join(workspace.folder, 'out', 'summit'))).toBe(false)
      expect(JSON.parse(workspace.read('out', 'summit-2031', 'renamed.json'))).toEqual({
        integration: 'summit-2031',
        renamed: [{ from: 'summit', renamedAt: expect.any(String) }],
        lastManifestSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      })
      expect(await runOnce(workspace)).toMatchObject({ changes: NOTHING_PLANNED })
      expect((await workspace.run('verify', 'out')).code).toBe(0)
    },
  )
})

test('rename accepts a configuration that already has the new id, and lists every other place that contains the former id', async () => {
  const { workspace, configure } = await begin()
  await runOnce(workspace)
  configure('summit-2031')
  const refused = await workspace.run('run')
  expect([refused.code, refused.stdout + refused.stderr]).toEqual([
    64,
    expect.stringContaining('run `event-sync rename summit summit-2031`'),
  ])
  expect((await workspace.run('status')).stdout).toContain('event-sync rename summit summit-2031')
  expect((await workspace.run('forget', 'summit-2031', 'attendees', 'u2')).code).toBe(64)
  const renamed = await workspace.run('rename', 'summit', 'summit-2031')
  expect([renamed.code, renamed.stdout]).toEqual([0, expect.not.stringContaining('to do')])
  expect(await runOnce(workspace)).toMatchObject({ changes: NOTHING_PLANNED })

  const webhook = [{ url: 'https://hooks.example/1', for: ['summit-2031'] }]
  configure('summit-2031', {}, { webhook, mail: undefined })
  const listed = await workspace.run('rename', 'summit-2031', 'autumn')
  expect(listed.stdout).toMatch(/yaml:\d+:\d+: integrations\[0\]\.id: change summit-2031 to autumn\n/)
  expect(listed.stdout).toMatch(/yaml:\d+:\d+: webhook\[0\]\.for\[0\]: change summit-2031 to autumn\n/)
})

test('after several renames, and a rename back to the first id, the packs are still one chain', async () => {
  const { workspace, configure } = await begin()
  await runOnce(workspace)
  await workspace.run('rename', 'summit', 'second')
  configure('second')
  expect((await workspace.run('rename', 'second', 'third')).code).toBe(0)
  configure('third')
  const run = await runOnce(workspace)
  expect(manifestOf(workspace, 'third', run.run)).toMatchObject({
    renamed: [{ from: 'summit' }, { from: 'second' }],
  })
  expect((await workspace.run('rename', 'third', 'summit')).code).toBe(0)
  configure('summit')
  const last = await runOnce(workspace)
  expect(manifestOf(workspace, 'summit', last.run)).toMatchObject({ renamed: [{ from: 'third' }] })
  expect((await verifyTwice(workspace, 'out')).stdout).toContain('3 packs, all intact')
  for (const { run: id } of [run, last]) expect((await workspace.run('export', id)).code).toBe(0)
})

test('between a renaming and the edit of the configuration, pause and resume are refused', async () => {
  const { workspace, configure } = await begin()
  await runOnce(workspace)
  await workspace.run('rename', 'summit', 'summit-2031')
  for (const command of ['pause', 'resume']) {
    const { code, stderr } = await workspace.run(command, 'summit')
    expect([code, stderr]).toEqual([64, expect.stringContaining('summit was renamed to summit-2031')])
  }
  configure('summit-2031')
  expect((await workspace.run('pause', 'summit-2031')).code).toBe(0)
})

test('erase of a renamed integration names the former id that is still configured', async () => {
  const { workspace } = await begin()
  await runOnce(workspace)
  await workspace.run('rename', 'summit', 'summit-2031')
  const { code, stdout } = await workspace.run('erase', 'summit-2031', '--confirm', 'summit-2031')
  expect([code, stdout]).toEqual([0, expect.stringContaining('take summit out of the configuration')])
})

test.each([
  ['forget, rename', ['forget', 'rename', 'run', 'run']],
  ['rename, forget', ['rename', 'forget', 'run', 'run']],
  ['rename, run, forget', ['rename', 'run', 'forget', 'run', 'run']],
  ['forget, run, forget', ['forget', 'run', 'forget', 'run', 'run']],
])('packs stay in one chain after: %s', async (_, steps) => {
  const { source, workspace, configure } = await begin()
  await runOnce(workspace)
  await runOnce(workspace)
  let id = 'summit'
  let people = ['u2', 'u3']
  for (const step of steps) {
    if (step === 'run') {
      const title = `Opening ${(await workspace.report('runs')).runs.length}`
      source.records = { ...source.records, Rooms: [{ Id: 1, Name: title }] }
      await runOnce(workspace)
    } else if (step === 'forget') {
      expect((await workspace.run('forget', id, 'attendees', people[0] ?? '')).code).toBe(0)
      people = people.slice(1)
    } else {
      expect((await workspace.run('rename', id, 'summit-2031')).code).toBe(0)
      id = 'summit-2031'
      configure(id)
    }
  }
  const { code, stdout } = await verifyTwice(workspace, 'out')
  expect([code, stdout]).toEqual([0, expect.stringContaining('all intact')])
})

test('if the pack that lists the renaming is missing, verify refuses the packs of the other id', async () => {
  const { workspace, configure } = await begin()
  await runOnce(workspace)
  await workspace.run('rename', 'summit', 'summit-2031')
  configure('summit-2031')
  const telling = await runOnce(workspace)
  await runOnce(workspace)
  rmSync(join(workspace.folder, 'out', 'summit-2031', telling.run), { recursive: true })
  rmSync(join(workspace.folder, 'out', 'summit-2031', 'renamed.json'))
  const { code, stdout } = await verifyTwice(workspace, 'out/summit-2031')
  expect([code, stdout]).toEqual([1, expect.stringContaining('belongs to another integration')])
})

test('if verify has a public key, it accepts the note about a renaming only with a valid signature', async () => {
  const { workspace, configure } = await begin()
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  workspace.env.SIGNING_KEY = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const pem = publicKey.export({ type: 'spki', format: 'pem' })
  writeFileSync(join(workspace.folder, 'auditors.pem'), pem)
  configure('summit', {}, { audit: { signingKey: 'env:SIGNING_KEY' } })
  await runOnce(workspace)
  await workspace.run('rename', 'summit', 'summit-2031')
  const verify = () => verifyTwice(workspace, 'out', 'auditors.pem')
  expect((await verify()).stdout).toContain('1 pack, all intact')
  rmSync(join(workspace.folder, 'out', 'summit-2031', 'renamed.sig'))
  expect((await verify()).stdout).toContain(
    'belongs to integration summit, but is in the folder of summit-2031',
  )
})

test('if verify has a public key, it refuses signed packs of another event that has the former id of a renamed integration', async () => {
  const { workspace, configure } = await begin()
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  workspace.env.SIGNING_KEY = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
  writeFileSync(join(workspace.folder, 'auditors.pem'), publicKey.export({ type: 'spki', format: 'pem' }))
  const audit = { audit: { signingKey: 'env:SIGNING_KEY' } }
  configure('summit', {}, audit)
  const own = await runOnce(workspace)
  await workspace.run('rename', 'summit', 'summit-2031')
  const note = JSON.parse(workspace.read('out', 'summit-2031', 'renamed.json'))
  expect(note.lastManifestSha256).toBe(manifestOf(workspace, 'summit-2031', own.run).sha256)
  const { source } = integrationOfA('', (await startScriptedSource(smallEvent)).url)
  configure('summit', { source: { ...source, eventId: '77' } }, audit)
  const other = await runOnce(workspace)
  expect((await verifyTwice(workspace, 'out', 'auditors.pem')).stdout).toContain('2 packs, all intact')

  const out = (...path: readonly string[]) => join(workspace.folder, 'out', ...path)
  rmSync(out('summit-2031', own.run), { recursive: true })
  renameSync(out('summit', other.run), out('summit-2031', other.run))
  const { code, stdout } = await verifyTwice(workspace, 'out/summit-2031', 'auditors.pem')
  const said = 'belongs to integration summit, but is in the folder of summit-2031'
  expect([code, stdout]).toEqual([1, expect.stringContaining(said)])
  expect(stdout).toContain(
    'not intact; the folder does not have the id of the integration as its name: rename',
  )
  if (PYTHON === null) return
  const python = runVerifyPy([out('summit-2031')]).stdout
  expect(python).toContain(
    'what to do: the folder does not have the id of the integration as its name: rename',
  )
  expect(python).not.toContain('ask for all packs')
})

test('after a renaming and before the next pack, forget keeps the note about the renaming valid', async () => {
  const { workspace, configure } = await begin()
  await runOnce(workspace)
  await workspace.run('rename', 'summit', 'summit-2031')
  configure('summit-2031')
  for (const person of ['u2', 'u3'])
    expect((await workspace.run('forget', 'summit-2031', 'attendees', person)).code).toBe(0)
  expect((await verifyTwice(workspace, 'out')).stdout).toContain('1 pack, all intact')
})

test('if the database was lost before a renaming, the note about the renaming names the last pack of the folder', async () => {
  const { workspace, configure } = await begin()
  await runOnce(workspace)
  const last = await runOnce(workspace)
  workspace.env.DATABASE_URL = String((await makeWorkspace('postgres')).env.DATABASE_URL)
  await workspace.run('rename', 'summit', 'summit-2031')
  configure('summit-2031')
  const note = JSON.parse(workspace.read('out', 'summit-2031', 'renamed.json'))
  expect(note.lastManifestSha256).toBe(manifestOf(workspace, 'summit-2031', last.run).sha256)
  expect((await verifyTwice(workspace, 'out')).stdout).toContain('2 packs, all intact')
})

test('rename accepts a folder that already has the new name, and a restored database finds the runs that it lacks', async () => {
  const { workspace, configure } = await begin()
  await runOnce(workspace)
  renameSync(join(workspace.folder, 'out', 'summit'), join(workspace.folder, 'out', 'summit-2031'))
  configure('summit-2031')
  expect((await workspace.run('rename', 'summit', 'summit-2031')).code).toBe(0)
  await runOnce(workspace)
  // A new database knows neither the runs nor the former id, but the packs contain both.
  workspace.env.DATABASE_URL = (await makeWorkspace('postgres')).env.DATABASE_URL ?? ''
  const behind = await workspace.run('run')
  expect([behind.code, behind.stdout + behind.stderr]).toEqual([
    64,
    expect.stringContaining('does not know 2 of them'),
  ])
  expect(await runOnce(workspace, '--refresh')).toMatchObject({ changes: NOTHING_PLANNED })
  expect((await verifyTwice(workspace, 'out')).stdout).toContain('3 packs, all intact')
})
