import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SEALING_KEY } from '../harness/place.ts'
import { CLI, start } from '../pipeline/commands/command-line.ts'
import { startScriptedSource } from '../pipeline/commands/scripted-source.ts'
import { configOfA, smallEvent } from '../pipeline/commands/small-event.ts'
import { makeWorkspace, type Workspace } from '../pipeline/commands/workspace.ts'
import { engines } from '../support/engines.ts'

async function begin(engine: (typeof engines)[number]): Promise<Workspace> {
  const source = await startScriptedSource(smallEvent)
  const workspace = await makeWorkspace(engine)
  workspace.env.EVENT_SYNC_KEY = SEALING_KEY
  workspace.configure({ ...configOfA(source.url), sealingKey: 'env:EVENT_SYNC_KEY' })
  expect((await workspace.run('run')).code).toBe(0)
  return workspace
}

const forgetBy = (workspace: Workspace, input: string, ...args: readonly string[]) =>
  start(process.execPath, [CLI, 'forget', ...args], { folder: workspace.folder, env: workspace.env, input })
    .ended

describe.each(engines)('on %s', (engine) => {
  test('forget --email --remove erases the person, removes them from the platform and prints which copies it cannot erase', async () => {
    const workspace = await begin(engine)
    const address = 'U1@people.example\n'
    const ended = await forgetBy(workspace, address, 'summit', 'attendees', '--email', '--remove')
    expect(ended.stdout).toMatch(/sync\.decisions: 2 rows/)
    expect(ended.stdout).toMatch(/1 pack rewritten/)
    expect(ended.stdout).toMatch(/2 to remove|1 to remove/)
    expect(ended.stdout).toMatch(/not reached +backups/)
    expect(ended.stdout + ended.stderr).not.toMatch(/people\.example|u1\b/)
    // The exit code is 0, although the command removes the last speaker and the last session with a person.
    expect(ended.code).toBe(0)
    if (engine === 'pglite') {
      const bytes = readdirSync(join(workspace.folder, '.event-sync', 'db'), {
        recursive: true,
        withFileTypes: true,
      })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1').toLowerCase())
      expect(bytes.length).toBeGreaterThan(100)
      expect(bytes.filter((text) => text.includes('u1@people.example'))).toEqual([])
    }
    expect((await workspace.run('verify', 'out/summit')).code).toBe(0)
    const again = await forgetBy(workspace, '', 'summit', 'attendees', 'u1', '--delivered', '--json')
    expect(JSON.parse(again.stdout)).toMatchObject({ status: 'again', operationsNaming: [], onPlatform: 0 })
    const read = await workspace.run('sql', "select count(*) from published.attendees where unique_id = 'u1'")
    expect(read.stdout).toMatch(/\b0\b/)
    expect((await workspace.run('plan')).code).toBe(0)
  })
})

test('if the arguments of forget are ambiguous or incomplete, nothing is erased', async () => {
  const workspace = await begin('postgres')
  const refused: readonly (readonly [
    args: readonly string[],
    input: string,
    code: number,
    message: RegExp,
  ])[] = [
    [['summit', 'attendees', 'a@b.example'], '', 64, /--email/],
    [['summit', 'agenda', '101'], '', 64, /holds no people/],
    [['summit', 'attendees'], '', 64, /no person was given/],
    [['summit', 'attendees', 'u1', '--email'], '', 64, /cannot be used together/],
    [['summit', 'attendees', '--email'], 'nobody\n', 64, /no e-mail address/],
    [['summit', 'attendees', 'u77'], '', 1, /no such person is known/],
  ]
  for (const [args, input, code, message] of refused) {
    const ended = await forgetBy(workspace, input, ...args)
    expect([ended.code, ended.stderr]).toEqual([code, expect.stringMatching(message)])
  }
  const planned = await workspace.run('purge', '--older-than', '1d', '--dry-run', '--json')
  expect(JSON.parse(planned.stdout)).toMatchObject({ purges: [{ integration: 'summit', beforeRun: null }] })
  expect((await workspace.run('purge', '--older-than', '0d')).code).toBe(64)
  expect((await workspace.run('purge')).code).toBe(64)

  workspace.configure(
    JSON.parse(workspace.read('event-sync.yaml').replace(/"sealingKey": "[^"]*"/, '"output": "./out"')),
  )
  const ended = await forgetBy(workspace, '', 'summit', 'attendees', 'u1')
  expect([ended.code, ended.stderr]).toEqual([64, expect.stringMatching(/openssl rand -base64 32/)])
  expect(await workspace.rows('select token from sync.forgotten')).toEqual([])
})
