import { generateKeyPairSync } from 'node:crypto'
import { cpSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useOneFolder } from '../../support/folder.ts'
import { compareBoth } from './compare-verifiers.ts'
import {
  aFittingEvidenceMove,
  anEvidenceMove,
  EVIDENCE_MOVES,
  filesIn,
  forgeEvidence,
} from './evidence-forgers.ts'
import { makeEvidence } from './made-evidence.ts'
import { type Checker, startVerifyPy } from './verify-py.ts'

// A forger has an evidence folder and all packs of its integration, but not the key. With the key, evidence is
// accepted only if no byte was changed. With and without the key, both verifiers accept the same evidence.

const FORGERIES = Number(process.env.FORGERIES ?? 300)
const keys = generateKeyPairSync('ed25519')
const made = useOneFolder()
const keyFile = join(made, 'auditors.pem')
const key = { key: keys.publicKey, file: keyFile }
let python: Checker

beforeAll(() => {
  writeFileSync(keyFile, keys.publicKey.export({ type: 'spki', format: 'pem' }))
  python = startVerifyPy()
})

afterAll(() => python.stop())

test(`both verifiers agree on ${FORGERIES} forgeries of evidence, and accept none of them with the key`, {
  timeout: 3_600_000,
}, async () => {
  const original = await makeEvidence(made, keys.privateKey)
  const files = filesIn(original.folder)
  expect(await compareBoth(python, original.folder, key)).toEqual([])
  expect(await compareBoth(python, original.folder, null)).toEqual([])
  const folder = join(made, 'forged', 'audit')
  const tally = new Map<string, number>()
  let accepted = 0
  // A pipe must not be read: it waits for a writer.
  const namesIn = (place: string) => readdirSync(place, { recursive: true }).sort().join()
  const names = namesIn(original.folder)
  const isUnchanged = () =>
    namesIn(folder) === names &&
    files.every((name) => {
      const path = join(folder, name)
      return lstatSync(path).isFile() && readFileSync(path).equals(readFileSync(join(original.folder, name)))
    })
  const moves = fc.tuple(aFittingEvidenceMove, fc.array(anEvidenceMove, { maxLength: 2 }))
  await fc.assert(
    fc.asyncProperty(moves, async ([first, others]) => {
      rmSync(folder, { recursive: true, force: true })
      cpSync(original.folder, folder, { recursive: true })
      for (const move of [first, ...others]) {
        forgeEvidence({ folder, packs: original.packs }, move)
        tally.set(move.name, (tally.get(move.name) ?? 0) + 1)
      }
      const withKey = await compareBoth(python, folder, key)
      const without = await compareBoth(python, folder, null)
      const isSame = isUnchanged()
      expect([isSame, withKey.length === 0], JSON.stringify(withKey)).toEqual([isSame, isSame])
      if (!isSame && without.length === 0) accepted += 1
    }),
    { numRuns: FORGERIES, endOnFailure: true },
  )
  // Without the key, a forger may for example leave out all that names the pack before.
  expect(accepted).toBeGreaterThan(0)
  expect(accepted).toBeLessThan(FORGERIES / 2)
  for (const name of Object.keys(EVIDENCE_MOVES)) expect(tally.get(name) ?? 0, name).toBeGreaterThan(0)
})
