import { generateKeyPairSync } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { useFolder } from '../../../support/folder.ts'
import { useDatabase } from '../../../support/use-database.ts'
import { chains } from './chains.ts'
import { type Packs, packsAt, rowsOfPack, sha256Of, withoutRow } from './tamper.ts'

// Every class of tampering, at least 20 times each over each of these chains.

const keys = generateKeyPairSync('ed25519')
const signingKey = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

describe.each(Object.entries(chains))('%s', (_, make) => {
  const database = useDatabase('pglite')
  const copies = useFolder()
  const made = mkdtempSync(join(tmpdir(), 'event-sync-attacks-'))
  let original = ''
  let packs: Packs
  let isSigned = false

  beforeAll(async () => {
    original = await make({ database: database(), output: made, signingKey })
  })
  afterAll(() => rmSync(made, { recursive: true, force: true }))
  beforeEach(() => {
    const folder = join(copies(), 'packs')
    cpSync(original, folder, { recursive: true })
    packs = packsAt(folder)
    isSigned = packs.files(0).includes('manifest.sig')
  })
  const each = () => packs.runs.map((_run, at) => at)
  const key = () => (isSigned ? keys.publicKey : null)
  const named = (file: string) => new RegExp(`^(${file.replaceAll('.', '\\.')}|SHA256SUMS) `, 'm')

  test('whole packs are whole', async () => {
    expect(packs.runs.length).toBeGreaterThanOrEqual(3)
    for (const run of each()) expect(await packs.verify(run, key())).toEqual([])
  })

  /** Files of all packs, and rows of all of their files. */
  const files = () =>
    each().flatMap((run) => packs.files(run).map((file, at) => ({ run, file, place: at % 3 })))
  const rows = (runs: readonly number[] = each()) =>
    runs.flatMap((run) => rowsOfPack(packs, run).map(([file, row]) => ({ run, file, row })))
  const places = (length: number) => [0, length >> 1, length - 1]

  test('a flipped byte', async () => {
    const tried = sample(files())
    for (const [at, { run, file, place }] of tried.entries()) {
      const bytes = packs.read(run, file)
      const flipped = Buffer.from(bytes)
      const offset = places(bytes.length)[place] ?? 0
      flipped[offset] = (flipped[offset] ?? 0) ^ (1 << (at % 8))
      packs.write(run, file, flipped)
      expect((await packs.verify(run, key())).join('\n'), `${file} at ${offset}`).toMatch(named(file))
      packs.write(run, file, bytes)
    }
    expect(tried.length).toBeGreaterThanOrEqual(20)
  })

  test('a file that is cut', async () => {
    const tried = sample(files())
    for (const { run, file, place } of tried) {
      const bytes = packs.read(run, file)
      const length = places(bytes.length)[place] ?? 0
      truncateSync(packs.path(run, file), length)
      expect((await packs.verify(run, key())).join('\n'), `${file} to ${length}`).toMatch(named(file))
      packs.write(run, file, bytes)
    }
    expect(tried.length).toBeGreaterThanOrEqual(20)
  })

  test('a row removed, all hashes refreshed', async () => {
    // A field of a changed item is for the chain and the signature to find.
    const tried = sample(rows().filter(({ file }) => file !== 'changes.csv'))
    for (const { run, file, row } of tried)
      await packs.meddle(run, async () => {
        withoutRow(packs, run, file, row)
        packs.refresh(run)
        expect(await packs.verify(run), `${file} row ${row} of run ${run}`).not.toEqual([])
      })
    expect(tried.length).toBeGreaterThanOrEqual(20)
  })

  test('a row in place of another, all hashes refreshed: the counts are as they were', async () => {
    // Ids that are masked cannot be told apart.
    const tried = sample(
      rows().filter(({ run, file, row }) => row > 1 && (file !== 'changes.csv' || isWithIds(packs, run))),
    )
    for (const { run, file, row } of tried)
      await packs.meddle(run, async () => {
        const lines = packs.read(run, file).toString().split('\r\n')
        packs.write(run, file, lines.with(row, lines[row - 1] ?? '').join('\r\n'))
        packs.refresh(run)
        const isSame = lines[row] === lines[row - 1]
        expect((await packs.verify(run)).length > 0, `${file} row ${row} of run ${run}`).toBe(!isSame)
      })
    expect(tried.length).toBeGreaterThanOrEqual(20)
  })

  test('a row removed from a pack that others follow', async () => {
    const tried = sample(rows(runsThatAreFollowed(packs)), 24)
    for (const { run, file, row } of tried)
      await packs.meddle(run, async () => {
        withoutRow(packs, run, file, row)
        packs.refresh(run)
        const found: string[] = []
        for (const one of each()) found.push(...(await packs.verify(one)))
        expect(found.join(), `${file} row ${row}`).toContain('follows a pack that is not beside it')
      })
    expect(tried.length).toBeGreaterThanOrEqual(20)
  })

  test('a file of another pack, with its hash and without', async () => {
    const pairs = each().flatMap((run) =>
      each().flatMap((other) =>
        packs.files(run).flatMap((file) => {
          const isThere = packs.files(other).includes(file)
          return isThere && !packs.read(run, file).equals(packs.read(other, file)) ? { run, other, file } : []
        }),
      ),
    )
    const tried = sample(pairs)
    for (const { run, other, file } of tried)
      await packs.meddle(run, async () => {
        cpSync(packs.path(other, file), packs.path(run, file))
        expect(await packs.verify(run, key()), `${file} of ${other} in ${run}`).not.toEqual([])
        if (!isSigned || !/\.(csv|jsonl|html)$/.test(file)) return
        packs.refresh(run)
        expect(await packs.verify(run, key()), `${file}, refreshed`).not.toEqual([])
      })
    expect(tried.length).toBeGreaterThanOrEqual(20)
  })

  test('a missing pack in the chain', async () => {
    const followed = runsThatAreFollowed(packs)
    for (const run of followed) {
      const kept = join(packs.folder, '..', 'kept')
      cpSync(packs.path(run, ''), kept, { recursive: true })
      rmSync(packs.path(run, ''), { recursive: true })
      const found = await Promise.all(
        each()
          .filter((one) => one !== run)
          .map((one) => packs.verify(one)),
      )
      expect(found.join()).toContain('chain run')
      cpSync(kept, packs.path(run, ''), { recursive: true })
    }
    expect(followed.length).toBe(packs.runs.length - 1)
  })

  test('a forged manifest under its signature', async () => {
    if (!isSigned) return
    let tried = 0
    for (const run of each()) {
      const names = Object.keys(JSON.parse(packs.read(run, 'manifest.json').toString()))
      for (const name of [...names, 'more']) {
        await packs.meddle(run, async () => {
          packs.refresh(run, (manifest) => {
            if (name === 'files') manifest.files.reverse()
            else manifest[name] = name === 'more' || manifest[name] === null ? 'forged' : null
          })
          const found = await packs.verify(run, keys.publicKey)
          expect(found.join(), name).toMatch(/manifest\.sig is not a signature|is no manifest/)
        })
        tried += 1
      }
    }
    expect(tried).toBeGreaterThanOrEqual(20)
  })
})

/** Some of many, spread over all of them. */
function sample<One>(all: readonly One[], count = 36): readonly One[] {
  const step = Math.max(1, all.length / count)
  return Array.from({ length: Math.min(count, all.length) }, (_, at) => all[Math.floor(at * step)]).flatMap(
    (one) => (one === undefined ? [] : [one]),
  )
}

function isWithIds(packs: Packs, run: number): boolean {
  return packs.read(run, 'manifest.json').includes('"personalData": "full"')
}

/** Runs whose packs are named by another. */
function runsThatAreFollowed(packs: Packs): readonly number[] {
  const all = packs.runs.map((_run, at) => packs.read(at, 'manifest.json'))
  return all.flatMap((bytes, at) =>
    all.some((other) => other.includes(`"previousManifestSha256": "${sha256Of(bytes)}"`)) ? at : [],
  )
}
