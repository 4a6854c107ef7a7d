import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { beginAsService, isRoot, PREFIX, runAs, UID } from './owned-workspace.ts'
import { begin } from './rename-small-event.ts'

describe.runIf(isRoot)('as root, in a folder of another user (skipped: needs root on Linux)', () => {
  test.each(['run', 'apply summit 12345678', 'rollback summit 12345678', 'pause summit'])(
    '%s is refused before anything is read or sent, with the words that make it work',
    async (command) => {
      const { source, workspace } = await beginAsService()
      const asked: string[] = []
      source.script = async ({ resource }) => {
        asked.push(resource)
        return null
      }
      const { code, stderr } = await workspace.run(...command.split(' '))
      const out = join(workspace.folder, 'out')
      expect([code, stderr]).toEqual([
        64,
        `the output folder ${out} belongs to user ${UID}, who could not use files that root writes there; run the command as user ${UID}, with \`${PREFIX}\` before it; nothing was read or sent\n`,
      ])
      expect([asked, workspace.files('out')]).toEqual([[], []])
    },
  )

  test('a run as the owner works, and a command that only reads a server works as root too', async () => {
    const { workspace } = await beginAsService()
    const { code, stderr } = await runAs(PREFIX, workspace, 'run')
    expect([code, stderr]).toEqual([0, expect.anything()])
    expect((await workspace.run('status')).code).toBe(0)
    expect(execFileSync('find', ['.', '-user', '0'], { cwd: workspace.folder, encoding: 'utf8' })).toBe('')
  })

  test('a run works in a container in which everything belongs to root', async () => {
    const { workspace } = await begin()
    mkdirSync(join(workspace.folder, 'out'))
    expect((await workspace.run('run')).code).toBe(0)
  })

  test('no command opens an embedded database of another user', async () => {
    const { workspace } = await beginAsService('pglite')
    const { code, stderr } = await workspace.run('status')
    const folder = join(workspace.folder, '.event-sync')
    expect([code, stderr]).toEqual([64, expect.stringContaining(`the folder ${folder} belongs to user`)])
    expect(execFileSync('find', ['.', '-user', '0'], { cwd: workspace.folder, encoding: 'utf8' })).toBe('')
  })
})
