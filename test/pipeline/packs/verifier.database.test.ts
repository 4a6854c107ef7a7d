import { existsSync, lstatSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../../pipeline/runtime/package-root.ts'
import { SEALING_KEY } from '../../harness/place.ts'
import { PYTHON, runPython } from '../../loaders/verify/verify-py.ts'
import { configOfA } from '../commands/small-event.ts'
import { workspaceOfSmallEvent } from '../commands/small-workspace.ts'

const SHIPPED = readFileSync(join(packageRoot, 'loaders/verify/verify.py'), 'utf8')

async function begin() {
  const { workspace, source } = await workspaceOfSmallEvent()
  workspace.configure({ ...configOfA(source.url), sealingKey: 'env:EVENT_SYNC_KEY' })
  workspace.env.EVENT_SYNC_KEY = SEALING_KEY
  const { runs } = await workspace.report('run')
  const packs = join(workspace.folder, 'out', 'summit')
  return { workspace, run: runs[0]?.run ?? '', packs, path: join(packs, 'verify.py') }
}

test('a run copies verify.py into the folder around its pack, not into the pack', async () => {
  const { packs, path, run } = await begin()
  expect(readFileSync(path, 'utf8')).toBe(SHIPPED)
  expect(existsSync(join(packs, run, 'manifest.json'))).toBe(true)
  expect(existsSync(join(packs, run, 'verify.py'))).toBe(false)
  expect(existsSync(join(packs, run, 'verify.py.partial'))).toBe(false)
})

test('export and the next run replace a verify.py that differs, and leave an identical one unchanged', async () => {
  const { workspace, run, path } = await begin()
  const { ino } = lstatSync(path)
  expect((await workspace.run('export', run)).code).toBe(0)
  expect(lstatSync(path).ino).toBe(ino)
  writeFileSync(path, 'print("all intact")\n')
  expect((await workspace.run('export', run)).code).toBe(0)
  expect(readFileSync(path, 'utf8')).toBe(SHIPPED)
  const other = join(workspace.folder, 'other.py')
  writeFileSync(other, '')
  rmSync(path)
  symlinkSync(other, path)
  expect((await workspace.report('run')).code).toBe(0)
  expect(lstatSync(path).isFile()).toBe(true)
  expect(readFileSync(path, 'utf8')).toBe(SHIPPED)
  expect(readFileSync(other, 'utf8')).toBe('')
})

test('verify, forget and erase do not treat verify.py as a pack', async () => {
  const { workspace, path, packs } = await begin()
  const verified = await workspace.run('verify', 'out/summit')
  expect(verified.stdout).not.toContain('verify.py')
  const forgotten = await workspace.run('forget', 'summit', 'attendees', 'u2')
  expect([forgotten.code, forgotten.stderr]).toEqual([0, expect.not.stringContaining('verify.py')])
  expect(forgotten.stdout).not.toContain('verify.py')
  expect((await workspace.report('run')).code).toBe(0)
  const erased = await workspace.run('erase', 'summit', '--confirm', 'summit')
  expect([erased.code, erased.stderr]).toEqual([0, expect.not.stringContaining('verify.py')])
  expect(erased.stdout).not.toContain('verify.py')
  expect(existsSync(path)).toBe(true)
  expect((await workspace.run('verify', packs)).code).toBe(0)
  if (PYTHON !== null) expect(runPython([path]).stdout).toContain('purged (its files were deleted')
})
