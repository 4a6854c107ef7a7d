import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { openChain } from '../../../loaders/verify/chain.ts'
import { readManifest, readPacks } from '../../../loaders/verify/found-manifest.ts'
import { verifyPack } from '../../../loaders/verify/verify-pack.ts'
import { useOneFolder } from '../../support/folder.ts'
import { useDatabase } from '../../support/use-database.ts'
import { chains } from './chains.ts'
import { type ManifestText, type Packs, packsAt, rowsIn, sha256Of } from './tamper.ts'

/*
 * In these tests, the attacker (the forger) has the packs of an integration and knows how packs are made. The
 * forger does not have the key. With the public key, `verify` must accept only packs whose bytes are exactly
 * those that were signed. The tests of `verify` without the key are in verify.database.test.ts.
 */

const FORGERIES = Number(process.env.FORGERIES ?? 200)

const database = useDatabase('pglite')
const keys = generateKeyPairSync('ed25519')
const made = useOneFolder()
let original: Packs

beforeAll(async () => {
  const signingKey = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const folder = await chains['Source A, signed']?.({ database: database(), output: made, signingKey })
  original = packsAt(folder ?? '')
})

/** One change that the forger makes. The numbers of the change select files, rows and values. */
type Move = (packs: Packs, run: number, a: number, b: number) => void

const pick = <Value>(list: readonly Value[], number: number) => list[number % list.length] as Value
const isPlain = (packs: Packs, run: number, file: string) =>
  existsSync(packs.path(run, file)) && lstatSync(packs.path(run, file)).isFile()
/** Removes the old file and writes a new file, because writing into a pipe would wait for a reader. */
function put(packs: Packs, run: number, file: string, content: string | Buffer): void {
  rmSync(packs.path(run, file), { force: true, recursive: true })
  packs.write(run, file, content)
}
const csvOf = (packs: Packs, run: number) =>
  packs.files(run).filter((file) => file.endsWith('.csv') && isPlain(packs, run, file))

/** Rewrites manifest.json, SHA256SUMS and datapackage.json so that they fit the changed files. */
function fit(packs: Packs, run: number, change: (manifest: ManifestText) => void = () => undefined): void {
  const names = ['manifest.json', 'datapackage.json']
  if (!names.every((name) => isPlain(packs, run, name) && lstatSync(packs.path(run, name)).size < 1e6)) return
  const manifest: ManifestText = JSON.parse(packs.read(run, 'manifest.json').toString())
  const description: { resources: { path: string }[] } = JSON.parse(
    packs.read(run, 'datapackage.json').toString(),
  )
  const named = [...manifest.files.map(({ name }) => name), ...description.resources.map(({ path }) => path)]
  if (!named.every((name) => isPlain(packs, run, name))) return
  rmSync(packs.path(run, 'SHA256SUMS'), { force: true, recursive: true })
  packs.refresh(run, change)
}

const MANIFEST_CHANGES: readonly ((manifest: ManifestText, hash: string) => void)[] = [
  (manifest) => delete manifest.format,
  (manifest) => delete manifest.personalData,
  (manifest) => Object.assign(manifest, { integration: 'other' }),
  (manifest) => Object.assign(manifest, { supersedes: manifest.previousManifestSha256 }),
  (manifest) => Object.assign(manifest, { format: 2 }),
  (manifest) => Object.assign(manifest, { personalData: 'masked' }),
  (manifest, hash) => Object.assign(manifest, { previousManifestSha256: hash }),
  (manifest) => Object.assign(manifest, { previousManifestSha256: null }),
  (manifest, hash) => Object.assign(manifest, { supersedes: hash }),
  (manifest, hash) => Object.assign(manifest, { alsoSupersedes: [hash, hash] }),
  (manifest, hash) =>
    Object.assign(manifest, {
      purges: [
        {
          purgedAt: '2999-01-01T00:00:00.000Z',
          purgedBy: 'me',
          packs: [{ run: manifest.run, manifestSha256: hash }],
        },
      ],
    }),
  (manifest) => Object.assign(manifest, { counts: null, certificates: [], requests: [] }),
  (manifest) => Object.assign(manifest, { finishedAt: '2001-01-01T00:00:00Z' }),
  (manifest) => Object.assign(manifest, { platform: { type: 'http', url: '', eventId: '' } }),
  (manifest) => Object.assign(manifest, { files: manifest.files.slice(1) }),
  (manifest) => Object.assign(manifest, { files: [] }),
]

const MOVES: Readonly<Record<string, Move>> = {
  'an altered table, sums that fit, and a note of a purge': (packs, run, a, b) => {
    MOVES['a cell is another']?.(packs, run, a, b)
    MOVES['the manifest fits']?.(packs, run, a, b)
    MOVES['a note of a purge']?.(packs, run, a, b)
  },
  'a cell is another': (packs, run, a, b) => {
    const file = pick(csvOf(packs, run), a)
    if (file === undefined) return
    const rows = rowsIn(packs.read(run, file))
    const at = 1 + (b % Math.max(1, rows.length - 1))
    put(
      packs,
      run,
      file,
      `${rows.with(Math.min(at, rows.length - 1), `${rows[at] ?? ''}x`).join('\r\n')}\r\n`,
    )
  },
  'a row is gone': (packs, run, a, b) => {
    const file = pick(csvOf(packs, run), a)
    if (file === undefined) return
    const rows = rowsIn(packs.read(run, file))
    put(packs, run, file, `${rows.toSpliced(1 + (b % rows.length), 1).join('\r\n')}\r\n`)
  },
  'the manifest fits': (packs, run) => fit(packs, run),
  'the manifest says another thing': (packs, run, a, b) => {
    const other = isPlain(packs, b % packs.runs.length, 'manifest.json')
      ? sha256Of(packs.read(b % packs.runs.length, 'manifest.json'))
      : 'f'.repeat(64)
    fit(packs, run, (manifest) => pick(MANIFEST_CHANGES, a)(manifest, other))
  },
  'a file is gone, and nobody names it': (packs, run, a) => {
    const file = pick(packs.files(run), a)
    if (!isPlain(packs, run, file)) return
    fit(packs, run, (manifest) =>
      Object.assign(manifest, { files: manifest.files.filter(({ name }) => name !== file) }),
    )
    rmSync(packs.path(run, file))
  },
  'a file is gone': (packs, run, a) =>
    rmSync(packs.path(run, pick(packs.files(run), a)), { recursive: true }),
  'all tables are gone': (packs, run) => {
    for (const file of csvOf(packs, run)) rmSync(packs.path(run, file))
  },
  'a file more': (packs, run, a) =>
    put(packs, run, pick(['\u001b[2K\u202Ex.csv', 'purged.sig', 'manifest.superseded-1.json'], a), 'x'),
  'a note of a purge': (packs, run, a) => {
    if (!isPlain(packs, run, 'manifest.json')) return
    const purgedAt = pick(['1999-01-01T00:00:00.000Z', '2999-01-01T00:00:00.000Z'], a)
    const manifestSha256 = sha256Of(packs.read(run, 'manifest.json'))
    put(
      packs,
      run,
      'purged.json',
      `${JSON.stringify({ purgedAt, purgedBy: 'me', manifestSha256, lastManifestSha256: manifestSha256 }, null, 2)}\n`,
    )
  },
  'a signature of another file': (packs, run, a, b) => {
    const from = b % packs.runs.length
    if (!isPlain(packs, from, 'manifest.sig')) return
    put(packs, run, pick(['manifest.sig', 'purged.sig'], a), packs.read(from, 'manifest.sig'))
  },
  'no signature': (packs, run) => rmSync(packs.path(run, 'manifest.sig'), { force: true, recursive: true }),
  'a manifest that it had before': (packs, run, a) => {
    const from = a % packs.runs.length
    if (!isPlain(packs, run, 'manifest.json') || !isPlain(packs, from, 'manifest.json')) return
    const before = packs.read(from, 'manifest.json')
    put(packs, run, 'manifest.superseded-1.json', before)
    fit(packs, run, (manifest) => {
      manifest.files.push({
        name: 'manifest.superseded-1.json',
        rows: 0,
        bytes: before.length,
        sha256: sha256Of(before),
      })
      Object.assign(manifest, { supersedes: sha256Of(before) })
    })
  },
  'a file of another pack': (packs, run, a, b) => {
    const file = pick(packs.files(run), a)
    const from = packs.path(b % packs.runs.length, file)
    if (existsSync(from) && lstatSync(from).isFile() && isPlain(packs, run, file)) {
      const bytes = packs.read(b % packs.runs.length, file)
      put(packs, run, file, bytes)
    }
  },
  'a link': (packs, run, a, b) => {
    const file = pick([...packs.files(run), 'purged.json'], a)
    rmSync(packs.path(run, file), { force: true, recursive: true })
    symlinkSync(
      pick(['/dev/zero', '/dev/stdin', packs.path(b % packs.runs.length, file), 'nowhere'], b),
      packs.path(run, file),
    )
  },
  'a pipe': (packs, run, a) => {
    const file = pick([...packs.files(run), 'purged.json'], a)
    rmSync(packs.path(run, file), { force: true, recursive: true })
    execFileSync('mkfifo', [packs.path(run, file)])
  },
  'a folder': (packs, run, a) => {
    const file = pick(packs.files(run), a)
    rmSync(packs.path(run, file), { force: true, recursive: true })
    mkdirSync(packs.path(run, file))
  },
  'a huge file': (packs, run, a) => {
    const file = pick([...packs.files(run), 'purged.json'], a)
    if (!isPlain(packs, run, file)) {
      if (file !== 'purged.json') return
      put(packs, run, file, '')
    }
    truncateSync(packs.path(run, file), 140_000_000)
  },
  'two packs change places': (packs, run, a) => {
    const other = a % packs.runs.length
    if (other === run) return
    renameSync(packs.path(run, ''), `${packs.folder}/aside`)
    renameSync(packs.path(other, ''), packs.path(run, ''))
    renameSync(`${packs.folder}/aside`, packs.path(other, ''))
  },
  'the packs after it follow it': (packs, run) => {
    for (let at = run + 1; at < packs.runs.length; at += 1) {
      if (!isPlain(packs, at - 1, 'manifest.json')) return
      const previousManifestSha256 = sha256Of(packs.read(at - 1, 'manifest.json'))
      fit(packs, at, (manifest) => Object.assign(manifest, { previousManifestSha256 }))
    }
  },
}

const aMove = fc.record({
  name: fc.constantFrom(...Object.keys(MOVES)),
  run: fc.nat(3),
  a: fc.nat(1000),
  b: fc.nat(1000),
})

/** Returns the findings of `verify --public-key` in all packs. */
async function findingsIn(folder: string): Promise<readonly string[]> {
  const { folders, links } = await readPacks(folder, keys.publicKey)
  const chain = openChain(links)
  const found: string[] = []
  for (const path of folders) {
    const pack = readManifest(path, keys.publicKey)
    if (pack === null) continue
    const { findings } = await verifyPack(pack, chain, keys.publicKey)
    found.push(...findings.map(({ file, message }) => `${file} ${message}`))
  }
  return found
}

/** Returns the files whose bytes are not those that were signed. */
function differences(packs: Packs): readonly string[] {
  return packs.runs.flatMap((run, at) => {
    const names = new Set([...packs.files(at), ...original.files(at)])
    return [...names]
      .filter(
        (name) =>
          !isPlain(packs, at, name) ||
          !isPlain(original, at, name) ||
          !packs.read(at, name).equals(original.read(at, name)),
      )
      .map((name) => `${run}/${name}`)
  })
}

test(`verify with the key accepts none of ${FORGERIES} forgeries`, { timeout: 3_600_000 }, async () => {
  const tally = new Map<string, number>()
  let forged = 0
  await fc.assert(
    fc.asyncProperty(fc.array(aMove, { minLength: 1, maxLength: 6 }), async (moves) => {
      const folder = join(made, 'forged', 'summit')
      rmSync(folder, { recursive: true, force: true })
      cpSync(original.folder, folder, { recursive: true })
      const packs = packsAt(folder)
      for (const { name, run, a, b } of moves) {
        if (packs.files(run).length > 0) MOVES[name]?.(packs, run, a, b)
        tally.set(name, (tally.get(name) ?? 0) + 1)
      }
      const changed = differences(packs)
      const findings = await findingsIn(folder)
      if (changed.length === 0) expect(findings).toEqual([])
      else {
        forged += 1
        expect(findings, changed.join(', ')).not.toEqual([])
      }
    }),
    { numRuns: FORGERIES, endOnFailure: true },
  )
  expect(forged).toBeGreaterThan(FORGERIES * 0.8)
  for (const name of Object.keys(MOVES)) expect(tally.get(name) ?? 0, name).toBeGreaterThan(FORGERIES / 60)
})
