import { generateKeyPairSync } from 'node:crypto'
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useOneFolder } from '../../support/folder.ts'
import { useDatabase } from '../../support/use-database.ts'
import { chains } from './chains.ts'
import { compareBoth } from './compare-verifiers.ts'
import { aMove, forge, isPlain, MOVES } from './forgers.ts'
import { type Packs, packsAt } from './tamper.ts'
import { type Checker, startVerifyPy } from './verify-py.ts'

/*
 * A forger has the packs of an integration and knows how they are made, but does not have the key. With the
 * public key, `verify` must accept only packs whose bytes are exactly those that were signed. With and
 * without the key, `verify.py` must accept and refuse the same packs as `verify`. Findings without the key
 * are in verify.database.test.ts.
 */

const FORGERIES = Number(process.env.FORGERIES ?? 300)

const database = useDatabase('pglite')
const keys = generateKeyPairSync('ed25519')
const made = useOneFolder()
const keyFile = join(made, 'auditors.pem')
let original: Packs
let python: Checker

beforeAll(async () => {
  const signingKey = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  writeFileSync(keyFile, keys.publicKey.export({ type: 'spki', format: 'pem' }))
  const folder = await chains['Source A, signed']?.({ database: database(), output: made, signingKey })
  original = packsAt(folder ?? '')
  python = startVerifyPy()
})

afterAll(() => python.stop())

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

test(`none of ${FORGERIES} forgeries is accepted with the key, and verify.py agrees`, {
  timeout: 3_600_000,
}, async () => {
  const tally = new Map<string, number>()
  let forged = 0
  await fc.assert(
    fc.asyncProperty(fc.array(aMove, { minLength: 1, maxLength: 6 }), async (moves) => {
      const folder = join(made, 'forged', 'summit')
      rmSync(folder, { recursive: true, force: true })
      cpSync(original.folder, folder, { recursive: true })
      const packs = packsAt(folder)
      for (const move of moves) {
        forge(packs, move)
        tally.set(move.name, (tally.get(move.name) ?? 0) + 1)
      }
      const changed = differences(packs)
      const findings = await compareBoth(python, folder, { key: keys.publicKey, file: keyFile })
      await compareBoth(python, folder, null)
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
