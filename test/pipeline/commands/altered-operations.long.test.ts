import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CLI, start } from './command-line.ts'
import { workspaceOfSmallEvent } from './small-workspace.ts'

const PRELOADED = new URL('../../proofs/kills/killed-command.ts', import.meta.url).href

test.each([
  ['run', 'is altered', (text: string) => text.replace('Ada', 'Eve')],
  ['run', 'is cut off', (text: string) => text.slice(0, 100)],
  ['export', 'is altered', (text: string) => text.replace('Ada', 'Eve')],
])(
  'after a run died between apply and pack, `%s` writes the operations file again if the file %s, and says so',
  async (command, _, change) => {
    const { workspace } = await workspaceOfSmallEvent()
    const died = start(process.execPath, ['--import', PRELOADED, CLI, '--log-level', 'debug', 'run'], {
      folder: workspace.folder,
      env: { ...workspace.env, DEATH: 'plan applied 1' },
    })
    expect((await died.ended).code).toBe(null)
    const [run = ''] = workspace.files('out', 'summit').map((file) => file.split('/')[0])
    const path = join(workspace.folder, 'out', 'summit', run, 'operations.jsonl')
    const written = readFileSync(path, 'utf8')
    expect(written).toContain('Ada')
    writeFileSync(path, change(written))
    const { code, stdout } = await workspace.run(...(command === 'run' ? ['run'] : ['export', run]))
    expect(code).toBe(0)
    expect(stdout).toContain(`${path} was not as this run wrote it, and was written again`)
    expect(readFileSync(path, 'utf8')).toBe(written)
    expect((await workspace.run('verify', 'out')).code).toBe(0)
  },
)
