import type { KeyObject } from 'node:crypto'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { onDay, runsOn } from '../../pipeline/commands/evidence-of-days.ts'

/**
 * Makes the signed evidence of three of five packs, below the folder `made`. Call it within a test.
 *
 * @returns the evidence folder, and a folder with all packs of the integration
 */
export async function makeEvidence(made: string, privateKey: KeyObject) {
  const days = ['2031-01-01', '2031-01-10', '2031-01-15', '2031-01-25', '2031-02-01']
  const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const audit = { signingKey: 'env:SIGNING_KEY' }
  const { workspace } = await runsOn(days, 'postgres', { audit }, { SIGNING_KEY: pem })
  // The pause is made in the period, so that actions.csv has a row.
  onDay('2031-01-31')
  await workspace.run('pause', 'summit')
  const period = ['--from', '2031-01-05', '--to', '2031-01-31']
  expect((await workspace.run('evidence', 'summit', ...period, '-o', 'audit')).stderr).toBe('')
  const [folder, packs] = [join(made, 'audit'), join(made, 'packs', 'summit')]
  cpSync(join(workspace.folder, 'audit'), folder, { recursive: true })
  cpSync(join(workspace.folder, 'out', 'summit'), packs, { recursive: true })
  return { folder, packs }
}
