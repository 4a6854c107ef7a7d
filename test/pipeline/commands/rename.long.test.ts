import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { engines } from '../../support/engines.ts'
import { CLI, start } from './command-line.ts'
import { begin, NOTHING_PLANNED, runOnce } from './rename-small-event.ts'

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
