import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CLI, start } from './command-line.ts'
import { begin } from './rename-small-event.ts'
import type { Workspace } from './workspace.ts'

const isRoot = process.platform === 'linux' && process.getuid?.() === 0

/** A user id that no user of the machine has, such as the one of a container. */
const UID = 47_110
const PREFIX = `setpriv --reuid=${UID} --regid=${UID} --clear-groups`

/** Makes a workspace that belongs to the user of a service, with its output folder. */
async function beginAsService(engine: 'postgres' | 'pglite' = 'postgres') {
  const { source, workspace } = await begin(engine)
  mkdirSync(join(workspace.folder, 'out'), { mode: 0o700 })
  chmodSync(dirname(workspace.folder), 0o755)
  chown(workspace.folder)
  return { source, workspace }
}

const chown = (path: string) => execFileSync('chown', ['-R', `${UID}:${UID}`, path])

function runAs(prefix: string, { folder, env }: Workspace, ...args: readonly string[]) {
  const [program = '', ...words] = [...prefix.split(' ').filter(Boolean), process.execPath, CLI, ...args]
  return start(program, words, { folder, env }).ended
}

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

  test('no command opens an embedded database of another user', async () => {
    const { workspace } = await beginAsService('pglite')
    const { code, stderr } = await workspace.run('status')
    const folder = join(workspace.folder, '.event-sync')
    expect([code, stderr]).toEqual([64, expect.stringContaining(`the folder ${folder} belongs to user`)])
    expect(execFileSync('find', ['.', '-user', '0'], { cwd: workspace.folder, encoding: 'utf8' })).toBe('')
  })

  test('a run works in a container in which everything belongs to root', async () => {
    const { workspace } = await begin()
    mkdirSync(join(workspace.folder, 'out'))
    expect((await workspace.run('run')).code).toBe(0)
  })

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
