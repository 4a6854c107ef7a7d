import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { engines } from '../../support/engines.ts'
import { CLI, start } from './command-line.ts'
import { begin, runOnce } from './rename-small-event.ts'

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
