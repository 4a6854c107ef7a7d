import { generateKeyPairSync } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { useOneFolder } from '../../support/folder.ts'
import { useDatabase } from '../../support/use-database.ts'
import { chains } from './chains.ts'
import { type Packs, packsAt, rowsIn, rowsOfPack, withoutRow } from './tamper.ts'

// These tests check the sums of packs of every kind. The tests that do not depend on the kind of pack are in
// verify.database.test.ts.

const keys = generateKeyPairSync('ed25519')
const signingKey = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

describe.each(Object.entries(chains))('%s', (_, make) => {
  const database = useDatabase('pglite')
  const made = useOneFolder()
  let packs: Packs

  beforeAll(async () => {
    packs = packsAt(await make({ database: database(), output: made, signingKey }))
  })

  /** Returns a sample of rows, spread over all files of all packs. */
  function sample(isWanted: (run: number, file: string, row: number) => boolean) {
    const all = packs.runs.flatMap((_run, run) =>
      rowsOfPack(packs, run)
        .filter(([file, row]) => isWanted(run, file, row))
        .map(([file, row]) => ({ run, file, row })),
    )
    expect(all.length).toBeGreaterThanOrEqual(20)
    return all.filter((_row, at) => at % Math.ceil(all.length / 36) === 0)
  }

  test('verify reports no findings in unchanged packs', async () => {
    expect(packs.runs.length).toBeGreaterThanOrEqual(3)
    for (const run of packs.runs.keys())
      expect(
        await packs.verify(run, packs.files(run).includes('manifest.sig') ? keys.publicKey : null),
      ).toEqual([])
  })

  test('verify finds a removed row, even if all hashes were computed again', async () => {
    // The sums do not cover single fields of a changed item; the chain and the signature cover them. Counts
    // that were read back from the platform are optional, so the sums do not cover them either.
    const isOptional = (run: number, file: string, row: number) =>
      file === 'changes.csv' || rowsIn(packs.read(run, file))[row]?.includes(',"platform",')
    for (const { run, file, row } of sample((...place) => !isOptional(...place)))
      await packs.meddle(run, async () => {
        withoutRow(packs, run, file, row)
        packs.refresh(run)
        expect(await packs.verify(run), `${file} row ${row} of run ${run}`).not.toEqual([])
      })
  })

  test('verify finds a row that replaces another row, even if all hashes were computed again', async () => {
    const isMasked = (run: number) => packs.read(run, 'manifest.json').includes('"personalData": "masked"')
    // In a masked pack all ids look the same, so a replaced row cannot be noticed there.
    for (const { run, file, row } of sample(
      (run, file, row) => row > 1 && (file !== 'changes.csv' || !isMasked(run)),
    ))
      await packs.meddle(run, async () => {
        const lines = packs.read(run, file).toString().split('\r\n')
        packs.write(run, file, lines.with(row, lines[row - 1] ?? '').join('\r\n'))
        packs.refresh(run)
        const isSame = lines[row] === lines[row - 1]
        expect((await packs.verify(run)).length > 0, `${file} row ${row} of run ${run}`).toBe(!isSame)
      })
  })
})
