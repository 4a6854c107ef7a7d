import { counted } from '../../transforms/guards/guard-finding.ts'
import { CONTENT_MEASURES, RESOURCE_MEASURES } from '../../transforms/reconciliation/figure.ts'
import { noMask } from '../audit/csv-files/csv.ts'
import { certificatesFile, reconciliationFile } from '../audit/csv-files/pack-files.ts'
import { columnsOf, type Finding, formatOf, type Manifest } from '../audit/csv-files/pack-format.ts'
import { UnreadableFileError } from '../files/read.ts'
import { rowsOf } from './rows.ts'

/** Holds the certificates against those of the manifest, its requests, and what was read by the reconciliation. */
export async function checkCertificates(
  folder: string,
  manifest: Manifest,
  figures: SaidFigures,
): Promise<{ readonly rows: number; readonly findings: readonly Finding[] }> {
  const { certificates, requests } = manifest
  const columns = columnsOf(certificatesFile, formatOf(manifest))
  const findings: Finding[] = []
  const find = (message: string) => findings.push({ file: certificatesFile.name, message })
  const said = certificates.map((one) => {
    const cells = certificatesFile.cellsOf(one, noMask).slice(0, columns.length)
    return cells.map((cell) => cell ?? '').join('\n')
  })
  let rows = 0
  for await (const row of rowsOf(folder, certificatesFile, formatOf(manifest))) {
    const cells = columns.map((column) => row[column] ?? '').join('\n')
    if (cells !== said[rows]) find(`row ${rows + 1} differs from the manifest`)
    rows += 1
  }
  if (rows !== said.length || rows !== figures.resources.size)
    find(`has ${rows} resources, the manifest ${said.length}, reconciliation.csv ${figures.resources.size}`)
  const answers = new Map<string, number>()
  for (const { resource, elements } of requests)
    answers.set(resource, (answers.get(resource) ?? 0) + elements)
  for (const { resource, elements, distinctIds } of certificates) {
    const answered = answers.get(resource) ?? 0
    if (answered !== elements)
      find(
        `has ${counted(Number(elements), 'element')} for ${resource}, the answers in the manifest have ${answered}`,
      )
    const [read, staged] = [
      figures.countOfResource(resource, 'read'),
      figures.countOfResource(resource, 'staged'),
    ]
    if (BigInt(elements) !== read)
      find(`has ${counted(Number(elements), 'element')} for ${resource}, reconciliation.csv ${read}`)
    if (distinctIds !== null && BigInt(distinctIds) !== staged)
      find(`has ${distinctIds} distinct_ids for ${resource}, reconciliation.csv ${staged}`)
  }
  return { rows, findings }
}

/** Measures, reasons and checks of all resources and contents are some hundreds. */
const MOST_FIGURES = 10_000

export type SaidFigures = Awaited<ReturnType<typeof readFigures>>

interface Said {
  readonly count: bigint
  readonly expected: bigint | null
}

/** Reads the figures, and says which sums do not close, or are not the sums of their summands. */
export async function readFigures(folder: string, format: number) {
  const findings: Finding[] = []
  const find = (message: string) =>
    findings.push({ file: reconciliationFile.name, message: message.trimStart() })
  const figures = new Map<string, Said>()
  const resources = new Set<string>()
  /** Resource of the records of each content. */
  const resourceOf = new Map<string, string>()
  let rows = 0
  for await (const row of rowsOf(folder, reconciliationFile, format)) {
    rows += 1
    const { content = '', resource = '', measure = '', pass } = row
    const name = `${content === '' ? ofResource(resource) : content} ${measure}`
    if (content !== '') resourceOf.set(content, resource)
    else if (resource !== '') resources.add(resource)
    if (figures.has(name)) find(`${name} appears twice`)
    const [count, expected] = [toCount(row.count), toCount(row.expected)]
    if (count === null || (expected === null && row.expected !== '')) {
      find(`${name} is not a number`)
      continue
    }
    figures.set(name, { count, expected })
    if (figures.size > MOST_FIGURES)
      throw new UnreadableFileError(reconciliationFile.name, `has more than ${MOST_FIGURES} figures`)
    const closes = expected === null ? '' : String(count === expected)
    if (pass !== closes) find(`${name}: pass is "${pass}", but must be "${closes}"`)
    else if (pass === 'false') find(`${name} does not add up: ${count} instead of ${expected}`)
  }
  const names = [...figures.keys()]
  const reasons = (content: string) =>
    names.flatMap((name) =>
      name.startsWith(`${content} ${EXCLUDED}`) ? name.slice(content.length + 1 + EXCLUDED.length) : [],
    )
  const count = (of: string, measure: string) => figures.get(`${of} ${measure}`)?.count ?? 0n
  const missing = [
    ...[...resources].flatMap((of) => RESOURCE_MEASURES.map((measure) => `${ofResource(of)} ${measure}`)),
    ...[...resourceOf.keys()].flatMap((of) => CONTENT_MEASURES.map((measure) => `${of} ${measure}`)),
  ].filter((name) => !figures.has(name))
  for (const name of missing) find(`${name} is missing`)

  const sum = (name: string, said: bigint | null | undefined, summands: bigint) => {
    if (said !== summands) find(`${name} must be ${summands}, the sum of its parts`)
  }
  for (const of of [...resources].map(ofResource))
    sum(
      `${of} read`,
      figures.get(`${of} read`)?.expected,
      count(of, 'staged') + count(of, 'repeated') + count(of, 'quarantined') + count(of, 'forgotten'),
    )
  for (const [of, resource] of resourceOf) {
    const read = (measure: string) => count(ofResource(resource), measure)
    const all = read('staged') + read('unseen') + read('repeated') + read('quarantined')
    const excluded = reasons(of).reduce((total, reason) => total + count(of, `${EXCLUDED}${reason}`), 0n)
    const records = count(of, 'synced') + excluded + count(of, 'quarantined')
    const landed = ['created', 'updated', 'unchanged', 'failed'].reduce(
      (total, measure) => total + count(of, measure),
      0n,
    )
    sum(`${of} records`, figures.get(`${of} records`)?.count, all)
    sum(`${of} records`, figures.get(`${of} records`)?.expected, records)
    sum(`${of} synced`, figures.get(`${of} synced`)?.expected, landed)
    for (const measure of ['live', 'control_total']) {
      if (figures.get(`${of} ${measure}`)?.expected == null) find(`${of} ${measure} has no expected value`)
    }
  }
  const countOfResource = (resource: string, measure: string) => count(ofResource(resource), measure)
  return { findings, rows, resources, resourceOf, reasons, count, countOfResource }
}

/** Figures of a resource are kept apart: it may have the name of a content. */
function ofResource(resource: string): string {
  return ` ${resource}`
}

export const EXCLUDED = 'excluded:'

/** Null where it is no count as it is written here. */
function toCount(text = ''): bigint | null {
  return /^(0|[1-9][0-9]{0,29})$/.test(text) ? BigInt(text) : null
}
