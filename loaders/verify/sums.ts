import { type Finding, formatOf, type Manifest } from '../audit/csv-files/pack-format.ts'
import { checkCertificates, EXCLUDED, readFigures } from './figures.ts'
import type { CheckedOperations } from './operations.ts'
import { type TalliedFile, tallyChanges, tallyDecisions, tallyItems, tallyResults } from './rows.ts'

const CONTENTS = ['agenda', 'attendees', 'speakers'] as const
const OPS = ['upsert', 'remove'] as const

/** Counts the rows of the CSV files of a pack, and holds them and their ids against each other and the manifest. */
export async function checkSums(folder: string, manifest: Manifest, operations: CheckedOperations | null) {
  const found: Finding[] = []
  const isMasked = manifest.personalData === 'masked'
  const pack = { folder, format: formatOf(manifest), isMasked }
  const find = (file: string, message: string) => found.push({ file, message })
  const equal = (file: string, what: string, actual: number, other: string, expected: number | bigint) => {
    if (BigInt(actual) !== BigInt(expected)) find(file, `${what}: ${actual}, ${other} ${expected}`)
  }
  const rowsSaid = new Map(manifest.files.map(({ name, rows }) => [name, rows]))
  const rows = ({ file, rows, misplaced }: Omit<TalliedFile, 'tally'>) => {
    equal(file, 'rows', rows, 'the manifest says', rowsSaid.get(file) ?? 0)
    if (misplaced !== null) find(file, `row ${misplaced} is out of order or a duplicate`)
  }

  const figures = await readFigures(folder, pack.format)
  const certificates = await checkCertificates(folder, manifest, figures)
  // Too many for arguments of one call, in a file that somebody made up.
  for (const one of [...figures.findings, ...certificates.findings]) found.push(one)
  rows({ ...figures, file: 'reconciliation.csv', misplaced: null })
  rows({ ...certificates, file: 'certificates.csv', misplaced: null })
  const changes = await tallyChanges(pack)
  const decisions = await tallyDecisions(pack)
  const results = await tallyResults(pack)
  for (const tallied of [changes, decisions, results]) rows(tallied)

  for (const content of CONTENTS) {
    const items = await tallyItems(pack, content)
    rows(items)
    const said = (measure: string) => figures.count(content, measure)
    const file = { decisions: decisions.tally, results: results.tally, items: items.tally }
    const like = (of: keyof typeof file, name: string, measure: string) =>
      equal(
        FILES[of] ?? `${content}.csv`,
        `${content} ${measure}`,
        file[of].count(name),
        'reconciliation.csv says',
        said(measure),
      )
    like('decisions', content, 'records')
    like('decisions', `${content} synced`, 'synced')
    like('decisions', `${content} quarantined`, 'quarantined')
    const reasons = decisions.tally
      .names()
      .filter((name) => name.startsWith(`${content} ${EXCLUDED}`))
      .map((name) => name.slice(content.length + 1))
    for (const reason of new Set([...reasons, ...figures.reasons(content).map((one) => `${EXCLUDED}${one}`)]))
      like('decisions', `${content} ${reason}`, reason)
    like('items', '', 'synced')
    for (const status of ['created', 'updated', 'failed'])
      like('results', `${content} upsert ${status}`, status)
    like('results', `${content} remove failed`, 'removals_failed')
    like('results', `${content} remove withheld`, 'removals_withheld')
    const sum = (of: keyof typeof file, names: readonly string[]) =>
      names.reduce((total, name) => total + file[of].count(name), 0)
    const removed = sum('results', [`${content} remove removed`, `${content} remove unchanged`])
    equal('load_results.csv', `${content} removed`, removed, 'reconciliation.csv says', said('removed'))
    const unchanged = sum('items', ['unchanged']) + sum('results', [`${content} upsert unchanged`])
    equal(`${content}.csv`, `${content} unchanged`, unchanged, 'reconciliation.csv says', said('unchanged'))

    const same = (one: string, total: number, other: string, expected: number) => {
      if (total !== expected) find(one, `${content}: the ids differ from those of ${other}`)
    }
    const actions = ['create', 'update', 'unchanged']
    for (const action of actions)
      same(
        'decisions.csv',
        decisions.tally.total(`${content} synced ${action}`),
        `${content}.csv, ${action}`,
        items.tally.total(action),
      )
    const upserted = (items.tally.total('create') + items.tally.total('update')) % 2 ** 48
    same('load_results.csv', results.tally.total(`${content} upsert`), `${content}.csv`, upserted)
    for (const op of OPS) {
      const sent = results.tally.total(`${content} ${op}`)
      const name = `load_results.csv, ${op}`
      // Ids that are e-mail addresses are one where they are masked, and follow each other.
      if (!isMasked) same('changes.csv', changes.tally.total(`${content} ${op}`), name, sent)
      if (operations === null) continue
      const isNamed = op === 'remove' && operations.forgotten.has(content)
      if (!isMasked && !isNamed)
        same('operations.jsonl', operations.tally.total(`${content} ${op}`), name, sent)
      const [written, landed] = [operations.tally, results.tally].map((tally) =>
        tally.count(`${content} ${op}`),
      )
      equal('operations.jsonl', `${content} ${op}`, written ?? 0, 'load_results.csv has', landed ?? 0)
    }

    const planned = manifest.counts?.changes[content]
    if (planned === undefined) continue
    for (const action of ['create', 'update', 'unchanged'] as const)
      equal(`${content}.csv`, action, items.tally.count(action), 'the manifest says', planned[action])
    const removals = sum('results', [`${content} remove`, `${content} remove withheld`])
    equal('load_results.csv', `${content} remove`, removals, 'the manifest says', planned.remove)
  }
  return found
}

const FILES: Readonly<Record<string, string>> = { decisions: 'decisions.csv', results: 'load_results.csv' }
