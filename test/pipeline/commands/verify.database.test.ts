import { generateKeyPairSync, sign } from 'node:crypto'
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { chains } from '../../loaders/verify/chains.ts'
import { type Packs, packsAt, sha256Of } from '../../loaders/verify/tamper.ts'
import { useFolder, useOneFolder } from '../../support/folder.ts'
import { useDatabase } from '../../support/use-database.ts'
import type { Ended } from './command-line.ts'
import { runInProcess } from './in-process.ts'

const database = useDatabase('pglite')
const others = useFolder()
const keys = generateKeyPairSync('ed25519')
const pem = {
  private: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  public: keys.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
}
const made = useOneFolder()
let packs: Packs

beforeAll(async () => {
  const folder = await chains['Source A, signed']?.({
    database: database(),
    output: made,
    signingKey: pem.private,
  })
  packs = packsAt(folder ?? '')
})

/** Runs `event-sync verify` with arguments, in the folder of the third pack. */
const verify = (...args: readonly string[]) =>
  runInProcess(['verify', ...args], { folder: packs.path(2, '') })

test('verify checks one pack or all packs of an integration; the path may have any form', async () => {
  const pack = packs.path(1, '')
  const link = join(others(), 'latest')
  symlinkSync(pack, link)
  for (const dir of [pack, `${pack}/.`, relative(packs.path(2, ''), pack), link])
    expect(await verify(dir), dir).toEqual({
      code: 0,
      stdout: `ok     run ${packs.runs[1]} of summit: hashes, rows, sums and chain\n–      1 signature not checked: --public-key FILE checks them\n1 pack, all intact\n`,
      stderr: '',
    })
  for (const dir of [packs.folder, `${packs.folder}/`, '..']) {
    const { code, stdout } = await verify(dir)
    expect([code, stdout.split('\n').at(-2)]).toEqual([0, '4 packs, all intact'])
  }
  expect((await verify('.')).stdout).toContain(`run ${packs.runs[2]}`)
  // The output folder may also contain files and folders that are not packs.
  const output = join(others(), 'out')
  for (const id of ['summit', 'winter']) cpSync(packs.folder, join(output, id), { recursive: true })
  mkdirSync(join(output, 'notes'))
  writeFileSync(join(output, 'index.html'), '')
  const all = await verify(output)
  expect([all.code, all.stdout.split('\n').at(-2)]).toEqual([
    1,
    expect.stringContaining('8 packs, 4 not intact'),
  ])
  expect(all.stdout).toContain('belongs to integration summit, but is in the folder of winter')
  rmSync(join(output, 'winter'), { recursive: true })
  expect((await verify(output)).stdout).toContain('4 packs, all intact')
})

test('verify counts local times that the time zone data of this machine contradicts, and refuses no pack', async () => {
  const verified = await packs.meddle(3, async () => {
    const content = packs.read(3, 'agenda.csv').toString()
    const at = content.indexOf('\r\n') + 2
    const changed = content.slice(at).replace(/,"[^"]*"\r\n/, ',"Europe/Berlin"\r\n')
    packs.write(3, 'agenda.csv', content.slice(0, at) + changed)
    packs.refresh(3)
    return [await verify(packs.path(3, '')), await verify(packs.path(3, ''), '--json')] as const
  })
  const [{ code, stdout }, asJson] = verified
  expect([code, stdout]).toEqual([0, expect.stringContaining('–      2 local times in agenda.csv')])
  expect(JSON.parse(asJson.stdout)).toMatchObject({ packs: [{ otherLocalTimes: 2, findings: [] }] })
})

test('verify --public-key checks signatures; a file that contains no public key is refused and not printed', async () => {
  const file = join(others(), 'key.pem')
  const withKey = (content: string) => {
    writeFileSync(file, content)
    return verify(packs.folder, '--public-key', file)
  }
  expect((await withKey(pem.public)).stdout).toContain('hashes, rows, sums, signature and chain')
  const other = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString()
  expect(await withKey(other)).toMatchObject({ code: 1 })
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const refused = async (ended: Promise<Ended>, message: string) => {
    const { code, stdout, stderr } = await ended
    expect([code, stdout]).toEqual([64, ''])
    expect(stderr).toContain(message)
    expect(stderr).not.toMatch(/a secret|BEGIN/)
  }
  await refused(
    withKey(rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString()),
    'is not an Ed25519 key; `openssl pkey',
  )
  for (const content of [pem.private, 'a secret'])
    await refused(withKey(content), 'cannot be read as a public key in PEM')
  await refused(
    verify(packs.folder, '--public-key', join(others(), 'none')),
    '(ENOENT: no such file or directory)',
  )
})

test('a signature is valid if it fits one of several public keys, in one file or in several files', async () => {
  const other = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const files = Object.entries({
    other,
    ours: pem.public,
    both: other + pem.public,
    private: other + pem.private,
  })
  for (const [name, text] of files) writeFileSync(join(others(), name), text)
  const withFiles = (...names: readonly string[]) =>
    verify(packs.folder, '--json', ...names.flatMap((name) => ['--public-key', join(others(), name)]))
  for (const names of [['other', 'ours'], ['ours', 'other'], ['both']]) {
    const { code, stdout } = await withFiles(...names)
    expect([names, code, JSON.parse(stdout).packs[0].signature]).toEqual([names, 0, 'checked'])
  }
  expect((await withFiles('other', 'other')).code).toBe(1)
  expect((await withFiles('private')).code).toBe(64)
  expect(JSON.parse((await verify(packs.folder, '--json')).stdout).packs[0].signature).toBe('not checked')
})

test('verify reports packs of another integration, and escapes control characters in file names', async () => {
  const elsewhere = join(others(), 'expo')
  cpSync(packs.folder, elsewhere, { recursive: true })
  const named = `x\u001b[2K\u009b1m\u202e.csv`
  writeFileSync(join(elsewhere, packs.runs[3] ?? '', named), '')
  const { code, stdout } = await verify(elsewhere)
  expect(code).toBe(1)
  expect(
    stdout.match(/manifest\.json belongs to integration summit, but is in the folder of expo/g),
  ).toHaveLength(4)
  expect(stdout).toContain('x\\x1b[2K\\x9b1m\\u{202e}.csv is not in the manifest')
  const json = (await verify(elsewhere, '--json')).stdout
  expect(stdout + json).not.toMatch(/(?!\n)\p{C}/u)
  expect(JSON.parse(json).packs[3].findings).toContainEqual({
    file: named,
    message: 'is not in the manifest',
  })
})

test('verify reports a copy of a pack next to the pack, and a single pack in the folder of another integration', async () => {
  const copy = join(packs.folder, '00copy')
  cpSync(packs.path(3, ''), copy, { recursive: true })
  const { code, stdout } = await verify(packs.folder)
  rmSync(copy, { recursive: true })
  expect(code).toBe(1)
  expect(stdout).toContain(`chain run ${packs.runs[3]} is in a folder named "00copy"`)
  expect(stdout).toMatch(
    /5 packs, 1 not intact; put all packs of the integration into a folder with its id, each once, in a folder with the id of its run; /,
  )
  const single = join(others(), 'copied', 'for-auditors')
  cpSync(packs.path(3, ''), single, { recursive: true })
  expect((await verify(single)).stdout).toMatch(/1 pack, 1 not intact; put all packs /)
  const moved = join(others(), 'expo')
  cpSync(packs.folder, moved, { recursive: true })
  const alone = await verify(join(moved, packs.runs[3] ?? ''))
  expect(alone.code).toBe(0)
  expect(alone.stdout).toContain('its folder is named expo, not after its integration')
  expect((await verify(packs.path(3, ''))).stdout).not.toContain('it is in a folder')
})

test('verify reports no fault for leftover files of a run that died, but a fault for a pack without its manifest', async () => {
  mkdirSync(join(packs.folder, 'begun'))
  writeFileSync(join(packs.folder, 'begun', 'operations.jsonl'), '')
  mkdirSync(join(packs.folder, `${packs.runs[0]}.export`))
  symlinkSync('begun/operations.jsonl', join(packs.folder, 'link'))
  const { code, stdout } = await verify(packs.folder)
  expect(code).toBe(0)
  expect(stdout).toContain('–      begun is not a finished pack')
  expect(stdout).toContain(`–      ${packs.runs[0]}.export is not a finished pack`)
  const report = JSON.parse((await verify(packs.folder, '--json')).stdout)
  expect(report.noPacks).toEqual([`${packs.runs[0]}.export`, 'begun', 'link'])
  await packs.meddle(3, async () => {
    rmSync(packs.path(3, 'manifest.json'))
    for (const dir of [packs.folder, packs.path(3, '')]) {
      const gone = await verify(dir)
      expect(gone.code).toBe(1)
      expect(gone.stdout).toContain('manifest.json is missing')
    }
  })
  for (const [dir, message] of [
    ['begun', 'is neither an audit pack nor evidence'],
    ['none', 'cannot be read (ENOENT: no such file or directory)'],
  ] as const) {
    const { code, stderr } = await verify(join(packs.folder, dir))
    expect([code, stderr]).toEqual([64, expect.stringContaining(message)])
  }
})

test('verify accepts a purge note with a date that is years ahead, with and without the public key', async () => {
  const at = packs.runs.length - 1
  await packs.meddle(at, async () => {
    const manifestSha256 = sha256Of(packs.read(at, 'manifest.json'))
    for (const file of packs.files(at))
      if (!/^(?:manifest|details)\./.test(file)) rmSync(packs.path(at, file))
    const purgedAt = '2999-01-01T00:00:00.000Z'
    const said = { purgedAt, purgedBy: 'ada', manifestSha256, lastManifestSha256: manifestSha256 }
    const note = `${JSON.stringify(said, null, 2)}\n`
    packs.write(at, 'purged.json', note)
    const signature = sign(null, Buffer.from(note), keys.privateKey).toString('base64')
    packs.write(at, 'purged.sig', `${signature}\n`)
    writeFileSync(join(others(), 'key.pem'), pem.public)
    for (const more of [[], ['--public-key', join(others(), 'key.pem')]]) {
      const { code, stdout } = await verify(packs.path(at, ''), ...more)
      expect([code, stdout]).toEqual([
        0,
        expect.stringContaining('purged (its files were deleted and are not checked)'),
      ])
    }
  })
  for (const file of ['purged.json', 'purged.sig']) rmSync(packs.path(at, file))
})
