import { join } from 'node:path'
import { columnsOf } from '../audit/csv-files/data-package.ts'
import type { Finding } from '../audit/csv-files/finding.ts'
import { formatOf } from '../audit/csv-files/format.ts'
import type { Manifest } from '../audit/csv-files/manifest.ts'
import type { SaidFigures } from './reconciliation.ts'
import { rowsOf } from './rows.ts'

const FILE = 'certificates.csv'

/** Holds the certificates against those of the manifest, its requests, and what was read by the reconciliation. */
export async function checkCertificates(
  folder: string,
  manifest: Manifest,
  figures: SaidFigures,
): Promise<{ readonly rows: number; readonly findings: readonly Finding[] }> {
  const { certificates, requests } = manifest
  const columns = columnsOf(FILE).filter((name) => name !== 'confirmed' || formatOf(manifest) > 2)
  const findings: Finding[] = []
  const find = (message: string) => findings.push({ file: FILE, message })
  const said = certificates.map((one) =>
    [
      one.resource,
      one.certified,
      one.requests,
      one.elements,
      one.distinctIds,
      one.declared,
      one.end,
      one.detail,
      one.confirmed ?? null,
    ]
      .slice(0, columns.length)
      .map((cell) => (cell === null ? '' : String(cell)))
      .join('\n'),
  )
  let rows = 0
  for await (const row of rowsOf(join(folder, FILE), columns)) {
    const cells = columns.map((column) => row[column] ?? '').join('\n')
    if (cells !== said[rows]) find(`row ${rows + 1} is not as the manifest has it`)
    rows += 1
  }
  if (rows !== said.length || rows !== figures.resources.size)
    find(
      `resources: ${rows}, the manifest has ${said.length}, reconciliation.csv has ${figures.resources.size}`,
    )
  const answers = new Map<string, number>()
  for (const { resource, elements } of requests)
    answers.set(resource, (answers.get(resource) ?? 0) + elements)
  for (const { resource, elements, distinctIds } of certificates) {
    const answered = answers.get(resource) ?? 0
    if (answered !== elements)
      find(`${resource} elements: ${elements}, in the answers of the manifest ${answered}`)
    const [read, staged] = [
      figures.countOfResource(resource, 'read'),
      figures.countOfResource(resource, 'staged'),
    ]
    if (BigInt(elements) !== read) find(`${resource} elements: ${elements}, reconciliation.csv says ${read}`)
    if (distinctIds !== null && BigInt(distinctIds) !== staged)
      find(`${resource} distinct_ids: ${distinctIds}, reconciliation.csv says ${staged}`)
  }
  return { rows, findings }
}
