import { dirname } from 'node:path'
import { readManifest, readPacks } from '../../loaders/audit/verify/found-manifest.ts'
import { verifyPack } from '../../loaders/audit/verify/verify-pack.ts'
import type { Difference } from '../model/compare.ts'
import { openFigures } from './model-reconciliation.ts'
import type { Run } from './model-report.ts'

/** Nobody has laid hands on a pack of a history: `verify` must find nothing but the sums that do not close. */
export async function findTampering(folder: string, { figures }: Run): Promise<readonly Difference[]> {
  const pack = await readManifest(folder)
  if (pack === null) return [{ path: 'verify', expected: 'a manifest', actual: null }]
  const { packs } = await readPacks(dirname(folder))
  const found = await verifyPack(pack, packs, null)
  const open = openFigures(figures).map(({ name, count, expected }) => ({
    file: 'reconciliation.csv',
    message: `${name} does not close: ${count} instead of ${expected}`,
  }))
  const text = (list: readonly object[]) => list.map((one) => JSON.stringify(one)).sort()
  return text(open).join('\n') === text(found).join('\n')
    ? []
    : [{ path: `verify ${folder}`, expected: open, actual: found }]
}
