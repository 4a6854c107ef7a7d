import { CONTENT_MEASURES, nameOf } from '../../transforms/reconciliation/reconcile.ts'
import type { Finding, WholeManifest } from '../packs/csv-files/pack-format.ts'
import { OPERATIONS_FILE } from '../platform/jsonl.ts'
import { checkCertificates, readFigures } from './figures.ts'
import type { CheckedOperations } from './operations.ts'
import {
  type TalliedFile,
  type Tally,
  tallyChanges,
  tallyDecisions,
  tallyItems,
  tallyResults,
} from './rows.ts'

const CONTENTS = ['agenda', 'attendees', 'speakers'] as const
const OPS = ['upsert', 'remove'] as const

/**
 * Compares the row counts and ids of a pack's CSV files with each other and with the manifest.
 *
 * @returns the findings, and the number of local times that differ from the time zone data of this machine
 */
export async function checkSums(
  folder: string,
  manifest: WholeManifest,
  operations: CheckedOperations | null,
) {
  const found: Finding[] = []
  let otherLocalTimes = 0
  const isMasked = manifest.personalData === 'masked'
  const pack = { folder, isMasked }
  const find = (file: string, message: string) => found.push({ file, message })
  const equal = (file: string, what: string, actual: number, other: string, expected: number | bigint) => {
    if (BigInt(actual) !== BigInt(expected)) find(file, `${what}: ${actual}, ${other} ${expected}`)
  }
  const rowsSaid = new Map(manifest.files.map(({ name, rows }) => [name, rows]))
  const rows = ({ file, rows, misplaced }: Omit<TalliedFile, 'tally'>) => {
    equal(file, 'rows', rows, 'details.json says', rowsSaid.get(file) ?? 0)
    if (misplaced !== null) find(file, `row ${misplaced} is out of order or a duplicate`)
  }

  const figures = await readFigures(folder, manifest)
  const certificates = await checkCertificates(folder, manifest, figures)
  // The code does not use `push(...findings)`, because a forged file can have more findings than a function
  // call can have arguments.
  for (const one of [...figures.findings, ...certificates.findings]) found.push(one)
  rows({ ...figures, file: 'reconciliation.csv', misplaced: null })
  rows({ ...certificates, file: 'certificates.csv', misplaced: null })
  const changes = await tallyChanges(pack)
  const decisions = await tallyDecisions(pack)
  const results = await tallyResults(pack)
  for (const tallied of [changes, decisions, results]) rows(tallied)

  for (const content of CONTENTS) {
    const items = await tallyItems(pack, content)
    otherLocalTimes += items.otherLocalTimes
    rows(items)
    const files = new Map<string, { file?: string; tally: Tally } | null>(
      Object.entries({ changes, decisions, results, items, operations }),
    )
    /**
     * Returns the count and control total of the content's rows. @param place file and name in the file's
     * tally, separated by a space
     */
    const at = (place: string) => {
      const [of = '', ...name] = place.split(' ')
      const { file = OPERATIONS_FILE, tally = null } = files.get(of) ?? {}
      const key = [content, ...name].join(' ')
      return { file, count: tally?.count(key) ?? 0, total: tally?.total(key) ?? 0 }
    }
    const reasons = decisions.tally.names().filter((name) => name.startsWith(`${content} excluded:`))
    const measures = new Set([
      ...Object.keys(CONTENT_MEASURES).filter((name) => !CONTENT_MEASURES[name]?.isOptional),
      ...figures.measuresOf(content),
      ...reasons.map((name) => name.slice(content.length + 1)),
    ])
    for (const measure of measures)
      for (const places of CONTENT_MEASURES[nameOf(measure)]?.rows ?? []) {
        const found = places.map((place) => at(place.replace(nameOf(measure), () => measure)))
        const sum = found.reduce((total, { count }) => total + count, 0)
        const said = figures.countOrSum(content, measure)
        equal(found[0]?.file ?? '', `${content} ${measure}`, sum, 'reconciliation.csv says', said)
      }

    const same = (one: string, total: number, other: string, expected: number) => {
      if (total !== expected) find(one, `${content}: the ids differ from those of ${other}`)
    }
    const actions = ['create', 'update', 'handover', 'unchanged'] as const
    for (const action of actions) {
      const { file, total } = at(`decisions synced ${action}`)
      same(file, total, `${items.file}, ${action}`, at(`items ${action}`).total)
    }
    const upserted =
      (at('items create').total + at('items update').total + at('items handover').total) % 2 ** 48
    same('load_results.csv', at('results upsert').total, items.file, upserted)
    for (const op of OPS) {
      const sent = at(`results ${op}`)
      const name = `${sent.file}, ${op}`
      // Masked e-mail addresses are equal, so rows of `changes.csv` do not show where one item ends and the
      // next begins.
      if (!isMasked) same('changes.csv', at(`changes ${op}`).total, name, sent.total)
      if (operations === null) continue
      const written = at(`operations ${op}`)
      const isNamed = op === 'remove' && operations.forgotten.has(content)
      if (!isMasked && !isNamed) same(OPERATIONS_FILE, written.total, name, sent.total)
      equal(OPERATIONS_FILE, `${content} ${op}`, written.count, 'load_results.csv has', sent.count)
    }
    const becauses = new Set(
      [changes, results, ...(operations === null ? [] : [operations])].flatMap(({ tally }) =>
        tally.names().filter((name) => name.startsWith(`${content} because `)),
      ),
    )
    for (const name of becauses) {
      const because = name.slice(content.length + 1)
      const sent = at(`results ${because}`)
      const what = `${sent.file}, ${because}`
      if (!isMasked) same('changes.csv', at(`changes ${because}`).total, what, sent.total)
      if (operations === null) continue
      const written = at(`operations ${because}`)
      equal(OPERATIONS_FILE, `${content} ${because}`, written.count, 'load_results.csv has', sent.count)
      if (!isMasked && because !== 'because forgotten') same(OPERATIONS_FILE, written.total, what, sent.total)
    }
    if (operations !== null) {
      const freed = at('operations handover')
      const { count, total } = at('items handover')
      equal(OPERATIONS_FILE, `${content} handover`, freed.count, `${items.file} has`, count)
      if (!isMasked) same(OPERATIONS_FILE, freed.total, `${items.file}, handover`, total)
      if (at('operations fields').total !== at('items fields').total)
        find(OPERATIONS_FILE, `${content}: the fields of upserts differ from those in ${items.file}`)
    }

    const planned = manifest.counts?.changes[content]
    if (planned === undefined) continue
    for (const action of actions)
      equal(items.file, action, at(`items ${action}`).count, 'details.json says', planned[action] ?? 0)
    const removals = at('results remove').count + at('results remove withheld').count
    equal('load_results.csv', `${content} remove`, removals, 'details.json says', planned.remove)
  }
  return { findings: found, otherLocalTimes }
}
