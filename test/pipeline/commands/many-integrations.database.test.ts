import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../../pipeline/runtime/package-root.ts'
import { configOfA } from './small-event.ts'
import { workspaceOfSmallEvent } from './small-workspace.ts'
import type { Workspace } from './workspace.ts'

/** Writes files into the folder `customers` of the workspace. */
function writeCustomers({ folder }: Workspace, files: Readonly<Record<string, string>>): void {
  mkdirSync(join(folder, 'customers'), { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'customers', name), text)
}

test('an integration from a file that uses defaults is synced, and is the same if every key is written out', async () => {
  const { workspace, source } = await workspaceOfSmallEvent()
  const { integrations, ...more } = configOfA(source.url)
  workspace.configure({
    ...more,
    defaults: { source: { type: 'a', url: source.url }, platform: { type: 'jsonl' } },
    integrations: './customers/*.yaml',
  })
  writeCustomers(workspace, { 'summit.yaml': 'id: summit\nsource: {eventId: 4242}\n' })
  const first = await workspace.report('run')
  expect(first.runs).toMatchObject([{ integration: 'summit', status: 'finished' }])

  workspace.configure({ ...more, integrations })
  const second = await workspace.report('run', 'summit')
  expect(second.runs).toMatchObject([
    { status: 'finished', changes: { agenda: { unchanged: 2, create: 0 } } },
  ])
  const hashes = await workspace.rows('select distinct config_hash from sync.runs')
  expect(hashes).toHaveLength(1)
})

test('files with integrations may lie next to a custom source; mistakes are reported with paths from the working directory, also to a command for another integration', async () => {
  const { workspace } = await workspaceOfSmallEvent()
  const example = JSON.stringify(join(packageRoot, 'test/sources/sessionize/sessionize.ts'))
  const acme = `id: acme
source: {type: ./source.ts, url: https://x.example, eventId: e, timeZone: UTC}
content: [agenda]
platform: {type: jsonl}
`
  workspace.configure({ integrations: ['customers/*.yaml'] })
  writeCustomers(workspace, { 'source.ts': `export { default } from ${example}\n`, 'acme.yaml': acme })
  const { stdout, stderr } = await workspace.run('completion', 'bash', '--', 'check', '')
  expect({ stdout, stderr }).toEqual({ stdout: expect.stringMatching(/^acme$/m), stderr: '' })

  writeCustomers(workspace, { 'acme.yaml': acme.replace('./source', './sauce') })
  const wrong = await workspace.run('check')
  expect(wrong.code).toBe(64)
  expect(wrong.stderr).toMatch(
    /^customers\/acme\.yaml has 1 error\n {2}customers\/acme\.yaml:2:10: source\.type: \.\/customers\/sauce\.ts cannot be imported: /,
  )
  writeCustomers(workspace, { 'other.yaml': 'id: other\n', 'acme.yaml': acme })
  const ofOther = expect.stringContaining('customers/other.yaml:1:1: source: is missing')
  expect(await workspace.run('runs', 'acme')).toMatchObject({ code: 64, stderr: ofOther })
  expect(await workspace.run('schedule')).toMatchObject({ code: 64, stderr: ofOther })

  workspace.configure({ integrations: 'customer/*.yaml' })
  expect(await workspace.run('runs')).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('integrations: "customer/*.yaml" matches no file'),
  })
})
