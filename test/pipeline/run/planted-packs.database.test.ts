import { createHash, generateKeyPairSync } from 'node:crypto'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { configOfA } from '../commands/small-event.ts'
import { workspaceOfSmallEvent } from '../commands/small-workspace.ts'

const SIGNING_KEY = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })
const LATER = '01a3fda0-0000-7000-8000-000000000001'
const FAR_AHEAD = 'f1a3fda0-0000-7000-8000-000000000001'

/** Returns operations in the form in which a run writes them. They rename a session. */
function operationsOf(run: string, { uniqueId = '1', isWhole = true } = {}): string {
  const lines = [
    { type: 'header', contract: '1.0', integration: 'summit', run, planHash: '0'.repeat(64) },
    {
      seq: 1,
      op: 'upsert',
      content: 'agenda',
      uniqueId,
      fields: { name: 'Planted', startTime: '2031-05-04T09:00:00Z', endTime: '2031-05-04T10:00:00Z' },
    },
  ].map((line) => `${JSON.stringify(line)}\n`)
  const sha256 = isWhole ? createHash('sha256').update(lines.join('')).digest('hex') : '0'.repeat(64)
  return `${lines.join('')}${JSON.stringify({ type: 'trailer', operations: 1, sha256 })}\n`
}

async function open(audit: Readonly<Record<string, unknown>> = {}) {
  const { source, workspace } = await workspaceOfSmallEvent()
  workspace.env.SIGNING_KEY = String(SIGNING_KEY)
  workspace.configure({ ...configOfA(source.url), audit })
  expect((await workspace.run('run')).code).toBe(0)
  const packs = join(workspace.folder, 'out', 'summit')
  function plant(name: string, operations: string) {
    mkdirSync(join(packs, name))
    writeFileSync(join(packs, name, 'operations.jsonl'), operations)
  }
  return { workspace, packs, plant }
}

test.each<[string, string, string]>([
  ['with a name that is not a run id', 'planted', operationsOf('planted')],
  ['of a run in the far future', FAR_AHEAD, operationsOf(FAR_AHEAD)],
  ['with operations that do not match their hash', LATER, operationsOf(LATER, { isWhole: false })],
  ['with operations that are cut off', LATER, operationsOf(LATER).slice(0, 300)],
  ['with an id that no database can store', LATER, operationsOf(LATER, { uniqueId: 'a\0b' })],
  ['with operations of another run', LATER, operationsOf(FAR_AHEAD)],
])('a folder is not taken for a lost run: one %s', async (_, name, operations) => {
  const { workspace, plant } = await open()
  plant(name, operations)
  expect(await workspace.run('run')).toMatchObject({ code: 0 })
})

test('if a folder has the operations of an unknown run, a run is refused; the error names the folder and says to move it away', async () => {
  const { workspace, packs, plant } = await open()
  const now = (await workspace.report('run')).runs.at(-1)?.run ?? ''
  const name = `${now.slice(0, -1)}${now.endsWith('0') ? '1' : '0'}`
  plant(name, operationsOf(name))
  const { code, stderr } = await workspace.run('run')
  expect(code).toBe(64)
  expect(stderr).toContain(`and the database does not know 1 of them (${name})`)
  expect(stderr).toContain('a folder that none of your runs wrote may be moved away')
  renameSync(join(packs, name), join(workspace.folder, 'away'))
  expect((await workspace.run('run')).code).toBe(0)
})

test('if a signing key is configured, --refresh accepts only signed packs, and --unsigned accepts all packs', async () => {
  const { workspace, plant } = await open({ signingKey: 'env:SIGNING_KEY' })
  const now = (await workspace.report('run')).runs.at(-1)?.run ?? ''
  const name = `${now.slice(0, -1)}${now.endsWith('0') ? '1' : '0'}`
  plant(name, operationsOf(name))
  const refused = await workspace.run('run', '--refresh')
  expect(refused.code).toBe(64)
  expect(refused.stderr).toContain(`is not signed with audit.signingKey (${name})`)
  expect(refused.stderr).toContain('`event-sync run summit --refresh --unsigned`')
  expect((await workspace.run('run', '--refresh', '--unsigned')).code).toBe(0)
  expect((await workspace.run('verify', 'out')).code).toBe(0)
})
