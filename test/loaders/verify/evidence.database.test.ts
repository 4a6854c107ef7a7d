import { generateKeyPairSync } from 'node:crypto'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useFolder, useOneFolder } from '../../support/folder.ts'
import { compareBoth } from './compare-verifiers.ts'
import { EVIDENCE_MOVES, forgeEvidence } from './evidence-forgers.ts'
import { makeEvidence } from './made-evidence.ts'
import { type Checker, NO_PYTHON, PYTHON, startVerifyPy } from './verify-py.ts'

// Forgeries of evidence whose index fits, each with the words of `verify`, which has no key here.
// `forgeries-of-evidence.long.test.ts` makes random ones, also with the key.

describe.runIf(PYTHON !== null)(PYTHON === null ? NO_PYTHON : 'evidence', () => {
  const keys = generateKeyPairSync('ed25519')
  const made = useOneFolder()
  const copies = useFolder()
  const key = { key: keys.publicKey, file: join(made, 'auditors.pem') }
  let python: Checker

  beforeAll(() => {
    writeFileSync(key.file, keys.publicKey.export({ type: 'spki', format: 'pem' }))
    python = startVerifyPy()
  })

  afterAll(() => python.stop())

  const FORGERIES: readonly (readonly [move: string, a: number, b: number, finding: string | null])[] = [
    ['the folder of a pack is gone', 0, 0, '; ask where this folder was made: `event-sync export '],
    ['a pack is left out, and the index fits', 0, 0, 'does not follow run'],
    ['an end of the row becomes an anchor', 0, 0, 'is named as before the period, but landed in it'],
    ['an end of the row becomes an anchor', 1, 0, 'is named as after the period, but landed in it'],
    ['the anchors change places', 0, 0, 'does not follow run'],
    ['the anchors change places', 0, 1, 'is not the manifest that evidence.json names'],
    ['another pack of the integration is added', 0, 0, 'does not follow run'],
    ['another pack of the integration is added', 0, 1, 'is not in evidence.json'],
    ['a row is gone, and the index fits', 0, 1, 'changes.csv row 2 is not the next row of run'],
    ['a row is gone, and the index fits', 1, 17, 'certificates.csv row 18 is not the next row of run'],
    ['a row is another, and the index fits', 0, 8, 'changes.csv row 4 is not a row of any of the packs'],
    ['a configuration is another', 0, 0, 'does not have its SHA-256 as name'],
    ['a configuration is another', 0, 1, 'is not the configuration of any of the runs'],
    ['a configuration is gone', 1, 0, 'evidence.json does not list exactly those configurations'],
    ['a configuration is gone', 0, 0, null],
    ['the period is another', 0, 2, 'is at an end of the row, but did not land in the period'],
    ['the period is another', 0, 0, 'is named as before the period, but landed in it'],
    ['a key of the index is gone, or more', 0, 1, 'is not an index of evidence'],
    ['the pack before is known by its hash only, or not at all', 0, 0, 'does not follow the pack that'],
    ['the pack before is known by its hash only, or not at all', 1, 0, null],
    ['nothing is named as after', 0, 0, null],
    ['a pack is purged', 0, 0, 'has another manifest than evidence.json says'],
    ['a pack is purged', 0, 1, null],
    ['no signature, or another', 0, 0, null],
    ['the index is gone', 0, 0, 'evidence.json is missing, but actions.csv is here'],
    ['the index is gone', 1, 1, 'evidence.json is missing, but anchors/before is here'],
    ['the index is gone', 0, 5, 'evidence.json is missing, but certificates.csv is here'],
    ['the index is gone', 1, 6, 'evidence.json is missing, but changes.csv is here'],
    ['the index is gone', 0, 7, 'evidence.json is missing, but configurations is here'],
  ]

  test('both verifiers refuse forged evidence for the same reason, and with the key all of it', async () => {
    const original = await makeEvidence(made, keys.privateKey)
    expect(await compareBoth(python, original.folder, key)).toEqual([])
    for (const [name, a, b, finding] of FORGERIES) {
      const folder = join(copies(), `${name} ${a} ${b}`)
      cpSync(original.folder, folder, { recursive: true })
      expect(Object.keys(EVIDENCE_MOVES)).toContain(name)
      forgeEvidence({ folder, packs: original.packs }, { name, a, b })
      const findings = await compareBoth(python, folder, null)
      const wanted = finding === null ? '' : expect.stringContaining(finding)
      expect([name, a, b, findings.join('\n')]).toEqual([name, a, b, wanted])
      expect([name, await compareBoth(python, folder, key)]).not.toEqual([name, []])
    }
  })
})
