import { isDeepStrictEqual } from 'node:util'
import {
  CONTENT_MEASURES,
  type Figure,
  type Measure,
  RESOURCE_MEASURES,
  sumOf,
} from '../../transforms/reconciliation/reconcile.ts'
import { counted } from '../../transforms/texts/counted.ts'
import { UnreadableFileError } from '../files/read.ts'
import { noMask } from '../packs/csv-files/csv.ts'
import { certificatesFile, reconciliationFile } from '../packs/csv-files/pack-files.ts'
import type { Finding, WholeManifest } from '../packs/csv-files/pack-format.ts'
import { rowsOf } from './rows.ts'

/**
 * Compares `certificates.csv` with the manifest's certificates and requests, and with the figures of the
 * reconciliation.
 */
export async function checkCertificates(
  folder: string,
  manifest: WholeManifest,
  figures: SaidFigures,
): Promise<{ readonly rows: number; readonly findings: readonly Finding[] }> {
  const { certificates, requests, command } = manifest
  const columns = Object.keys(certificatesFile.columns)
  const findings: Finding[] = []
  const find = (message: string) => findings.push({ file: certificatesFile.name, message })
  const said = certificates.map((one) => certificatesFile.cellsOf(one, noMask).map((cell) => `${cell ?? ''}`))
  if (command === 'rollback' && certificates.length + requests.length > 0)
    find('the manifest says that this was a rollback, which reads nothing')
  let rows = 0
  for await (const row of rowsOf(folder, certificatesFile)) {
    const cells = columns.map((column) => row[column] ?? '')
    if (!isDeepStrictEqual(cells, said[rows])) find(`row ${rows + 1} differs from details.json`)
    rows += 1
  }
  if (rows !== said.length || rows !== figures.resources.size)
    find(`has ${rows} resources, details.json ${said.length}, reconciliation.csv ${figures.resources.size}`)
  const answers = new Map<string, number>()
  for (const { resource, elements } of requests)
    answers.set(resource, (answers.get(resource) ?? 0) + elements)
  for (const { resource, elements, distinctIds } of certificates) {
    const answered = answers.get(resource) ?? 0
    if (answered !== elements)
      find(
        `has ${counted(Number(elements), 'element')} for ${resource}, the answers in details.json have ${answered}`,
      )
    const [read, staged] = [figures.count(` ${resource}`, 'read'), figures.count(` ${resource}`, 'staged')]
    if (BigInt(elements) !== read)
      find(`has ${counted(Number(elements), 'element')} for ${resource}, reconciliation.csv ${read}`)
    if (distinctIds !== null && BigInt(distinctIds) !== staged)
      find(`has ${distinctIds} distinct_ids for ${resource}, reconciliation.csv ${staged}`)
  }
  return { rows, findings }
}

/**
 * Maximum number of figures. Real packs have several hundred figures: measures, reasons and checks of all
 * resources and contents.
 */
const MOST_FIGURES = 10_000

export type SaidFigures = Awaited<ReturnType<typeof readFigures>>

/**
 * Reads the figures, and reports sums that do not close or are not the sums of their parts.
 *
 * @param command a rollback has no figures of records, because it reads nothing
 */
export async function readFigures(folder: string, { command }: Pick<WholeManifest, 'command'>) {
  const hasRead = command !== 'rollback'
  const findings: Finding[] = []
  const find = (message: string) =>
    findings.push({ file: reconciliationFile.name, message: message.trimStart() })
  /**
   * Figures by content or resource, and within these by measure. Keys for resources begin with a space,
   * because a resource may have the same name as a content.
   */
  const figures = new Map<string, Map<string, Pick<Figure, 'count' | 'expected'>>>()
  const resources = new Set<string>()
  /** The resource from which each content is made. */
  const resourceOf = new Map<string, string>()
  let rows = 0
  for await (const row of rowsOf(folder, reconciliationFile)) {
    rows += 1
    if (rows > MOST_FIGURES)
      throw new UnreadableFileError(reconciliationFile.name, `has more than ${MOST_FIGURES} figures`)
    const { content = '', resource = '', measure = '', pass } = row
    const of = content === '' ? ` ${resource}` : content
    const own = figures.get(of) ?? new Map()
    figures.set(of, own)
    const name = `${of} ${measure}`
    if (content !== '') {
      if ((resourceOf.get(content) ?? resource) !== resource) find(`${content} names two resources`)
      else resourceOf.set(content, resource)
    } else if (resource !== '') resources.add(resource)
    if (own.has(measure)) find(`${name} appears twice`)
    const [count, expected] = [toCount(row.count), toCount(row.expected)]
    if (count === null || (expected === null && row.expected !== '')) {
      find(`${name} is not a number`)
      continue
    }
    own.set(measure, { count, expected })
    const closes = expected === null ? '' : String(count === expected)
    if (pass !== closes) find(`${name}: pass is "${pass}", but must be "${closes}"`)
    else if (pass === 'false') find(`${name} does not add up: ${count} instead of ${expected}`)
  }
  const said = (of: string, measure: string) => figures.get(of)?.get(measure)
  const countsOf = (of: string | null) =>
    [...(figures.get(of ?? '') ?? [])].map(([measure, { count }]) => [measure, count] as const)
  for (const [of, measures, resource] of [
    ...[...resources].map((of) => [` ${of}`, RESOURCE_MEASURES, null] as const),
    ...[...resourceOf].map(([of, one]) => [of, CONTENT_MEASURES, ` ${one}`] as const),
  ])
    for (const [measure, { from, sum, expected, isOptional, isOfReading }] of Object.entries<Measure>(
      measures,
    )) {
      const own = said(of, measure)
      if (own === undefined && (isOptional || (isOfReading && !hasRead))) continue
      if (isOfReading && !hasRead) find(`${of} ${measure} is there, although a rollback reads nothing`)
      const close = (value: bigint | null | undefined, summands: bigint) => {
        if (value !== summands) find(`${of} ${measure} must be ${summands}, the sum of its parts`)
      }
      if (own === undefined) find(`${of} ${measure} is missing`)
      if (from) close(own?.count, sumOf(from, countsOf(resource)))
      if (sum) close(own?.expected, sumOf(sum, countsOf(of)))
      if (resource !== null && expected && !isOptional && own?.expected == null)
        find(`${of} ${measure} has no expected value`)
    }
  const count = (of: string, measure: string) => said(of, measure)?.count ?? 0n
  /** Returns a count of a content; if it is missing, the sum of its parts. */
  const countOrSum = (of: string, measure: string) =>
    said(of, measure)?.count ?? sumOf(CONTENT_MEASURES[measure]?.sum ?? [], countsOf(of))
  const measuresOf = (of: string) => [...(figures.get(of)?.keys() ?? [])]
  return { findings, rows, resources, count, countOrSum, measuresOf }
}

/** Parses a count; returns null if the text is not in the form that this product writes. */
function toCount(text = ''): bigint | null {
  return /^(0|[1-9][0-9]{0,29})$/.test(text) ? BigInt(text) : null
}
