import { generateKeyPairSync } from 'node:crypto'
import { cpSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useOneFolder } from '../../support/folder.ts'
import { useDatabase } from '../../support/use-database.ts'
import { chains } from './chains.ts'
import { compareBoth } from './compare-verifiers.ts'
import { aFittingMove, aMove, forge } from './forgers.ts'
import { packsAt } from './tamper.ts'
import { type Checker, startVerifyPy } from './verify-py.ts'

// Compares `verify.py` with `verify` where they look at most: at packs with one or two forgeries, without
// the key. Many of these packs are accepted.

const kinds = Object.entries(chains)
const FORGERIES = Math.ceil(Number(process.env.FORGERIES ?? 300) / kinds.length)
const signingKey = generateKeyPairSync('ed25519')
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString()

describe.each(kinds)('%s', (_, make) => {
  const database = useDatabase('pglite')
  const made = useOneFolder()
  let original = ''
  let python: Checker

  beforeAll(async () => {
    original = await make({ database: database(), output: made, signingKey })
    python = startVerifyPy()
  })

  afterAll(() => python.stop())

  test(`verify.py agrees with verify on ${FORGERIES} forgeries`, { timeout: 3_600_000 }, async () => {
    expect(await compareBoth(python, original, null)).toEqual([])
    const folder = join(made, 'forged', basename(original))
    await fc.assert(
      fc.asyncProperty(aFittingMove, fc.option(aMove, { freq: 1 }), async (fitting, other) => {
        rmSync(folder, { recursive: true, force: true })
        cpSync(original, folder, { recursive: true })
        const packs = packsAt(folder)
        forge(packs, fitting)
        if (other !== null) forge(packs, other)
        await compareBoth(python, folder, null)
      }),
      { numRuns: FORGERIES, endOnFailure: true },
    )
  })
})
