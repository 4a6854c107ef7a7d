import { execFileSync } from 'node:child_process'
import { chownSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { beginAsService, isRoot, PREFIX, runAs, UID } from './owned-workspace.ts'

describe.runIf(isRoot)('as root, in a folder of another user (skipped: needs root on Linux)', () => {
  test('a message about a file that root left names both users and the command that corrects it', async () => {
    const { workspace } = await beginAsService()
    expect((await runAs(PREFIX, workspace, 'run')).code).toBe(0)
    const [file = ''] = workspace.files('out').filter((path) => path.endsWith('manifest.json'))
    const left = join(workspace.folder, 'out', dirname(file))
    chownSync(left, 0, 0)
    const { stderr } = await runAs(PREFIX, workspace, 'run')
    const says = `${left} belongs to root, and this process runs as user ${UID}; \`chown -R ${UID} '${left}'\` as root corrects this`
    expect(stderr).toContain(says)
    execFileSync('sh', ['-c', `chown -R ${UID} '${left}'`])
    const packs = dirname(left)
    chownSync(packs, 0, 0)
    const check = await runAs(PREFIX, workspace, 'check')
    expect([check.code, check.stdout]).toEqual([
      1,
      expect.stringContaining(`'; ${packs} belongs to root, and this process runs as user ${UID}\n`),
    ])
    expect(check.stdout).not.toContain('a bug')
    chownSync(packs, UID, UID)
    const { code, stderr: after } = await runAs(PREFIX, workspace, 'run')
    expect([code, after]).toEqual([0, expect.anything()])
  })

  test('a message about a file that this user never had names both users', async () => {
    const { workspace } = await beginAsService()
    const other = join(dirname(workspace.folder), 'other.yaml')
    writeFileSync(other, workspace.read('event-sync.yaml'), { mode: 0o600 })
    const { code, stderr } = await runAs(PREFIX, workspace, '-c', '../other.yaml', 'run')
    expect([code, stderr]).toEqual([
      64,
      `../other.yaml cannot be read (EACCES: permission denied: ${other} belongs to root, and this process runs as user ${UID}; if only event-sync uses it, \`chown -R ${UID} ${other}\` as root corrects this; otherwise let user ${UID} have access); name another with -c FILE\n`,
    ])
  })
})
