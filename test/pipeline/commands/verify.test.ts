import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { Command } from 'commander'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { addVerifyCommand } from '../../../pipeline/commands/verify.ts'
import { chains } from '../../loaders/audit/verify/chains.ts'
import { type Packs, packsAt } from '../../loaders/audit/verify/tamper.ts'
import { useFolder } from '../../support/folder.ts'
import { useDatabase } from '../../support/use-database.ts'

const database = useDatabase('pglite')
const others = useFolder()
const keys = generateKeyPairSync('ed25519')
const pem = {
  private: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  public: keys.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
}
const made = mkdtempSync(join(tmpdir(), 'event-sync-verify-command-'))
let packs: Packs

beforeAll(async () => {
  const folder = await chains['Source A, signed']?.({
    database: database(),
    output: made,
    signingKey: pem.private,
  })
  packs = packsAt(folder ?? '')
})
afterAll(() => rmSync(made, { recursive: true, force: true }))

/** Runs `event-sync verify`. */
async function verify(...args: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
  let code = -1
  const written: string[] = []
  const program = new Command().option('--json')
  addVerifyCommand(program, (ended) => {
    code = ended
  })
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    written.push(String(chunk))
    return true
  })
  try {
    await program.parseAsync(['verify', ...args], { from: 'user' })
  } finally {
    spy.mockRestore()
  }
  return { code, text: written.join('') }
}

test('a pack, or all of an integration, however the folder is named', async () => {
  const pack = packs.path(1, '')
  const link = join(others(), 'latest')
  symlinkSync(pack, link)
  for (const dir of [pack, `${pack}/`, `${pack}/.`, relative('.', pack), link, `${link}/`])
    expect(await verify(dir), dir).toEqual({
      code: 0,
      text: `ok     run ${packs.runs[1]}: hashes, rows, sums and chain\n1 pack, all whole\n`,
    })
  const all = join(others(), 'all')
  symlinkSync(packs.folder, all)
  for (const dir of [packs.folder, `${packs.folder}/`, all]) {
    const { code, text } = await verify(dir)
    expect([code, text.split('\n').at(-2)]).toEqual([0, '4 packs, all whole'])
  }
})

test('the present folder is one too', async () => {
  const cwd = vi.spyOn(process, 'cwd').mockReturnValue(packs.path(2, ''))
  try {
    expect(await verify('.')).toMatchObject({ code: 0 })
  } finally {
    cwd.mockRestore()
  }
})

test('with the public key the signature is checked; what is no such key is refused, and not quoted', async () => {
  const file = join(others(), 'key.pem')
  const withKey = (content: string) => {
    writeFileSync(file, content)
    return verify(packs.folder, '--public-key', file)
  }
  expect((await withKey(pem.public)).text).toContain('hashes, rows, sums, signature and chain')
  const other = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString()
  expect(await withKey(other)).toMatchObject({ code: 1 })
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  await expect(withKey(rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString())).rejects.toThrow(
    'is no Ed25519 key',
  )
  for (const content of [
    pem.private,
    rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    'a secret',
    '',
  ]) {
    const refused = await withKey(content).catch((error: unknown) => String(error))
    expect(refused).toContain('cannot be read as a public key in PEM')
    expect(refused).not.toMatch(/a secret|BEGIN/)
  }
  await expect(verify(packs.folder, '--public-key', join(others(), 'none'))).rejects.toThrow('(ENOENT)')
  await expect(verify(packs.folder, '--public-key', others())).rejects.toThrow('(EISDIR)')
})

test('what a run left that died is no pack, and no fault; a pack whose manifest is gone is one', async () => {
  mkdirSync(join(packs.folder, 'begun'))
  writeFileSync(join(packs.folder, 'begun', 'operations.jsonl'), '')
  mkdirSync(join(packs.folder, `${packs.runs[0]}.export`))
  const { code, text } = await verify(packs.folder)
  expect(code).toBe(0)
  expect(text).toContain('–      begun is no pack of a run')
  expect(text).toContain(`–      ${packs.runs[0]}.export is no pack of a run`)
  const report = JSON.parse((await verify(packs.folder, '--json')).text)
  expect(report.noPacks).toEqual([`${packs.runs[0]}.export`, 'begun'])
  await packs.meddle(3, async () => {
    rmSync(packs.path(3, 'manifest.json'))
    for (const dir of [packs.folder, packs.path(3, '')]) {
      const gone = await verify(dir)
      expect(gone.code).toBe(1)
      expect(gone.text).toContain('manifest.json is not there')
    }
  })
  await expect(verify(join(packs.folder, 'begun'))).rejects.toThrow('is no audit pack, and holds none')
  await expect(verify(join(packs.folder, 'none'))).rejects.toThrow('cannot be read (ENOENT)')
})
