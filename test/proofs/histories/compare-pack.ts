import { dirname } from 'node:path'
import { openChain } from '../../../loaders/verify/chain.ts'
import { readManifest, readPacks } from '../../../loaders/verify/found-manifest.ts'
import { verifyPack } from '../../../loaders/verify/verify-pack.ts'
import { compareRows, compareValues, type Difference } from '../../harness/compare.ts'
import { readRows } from '../../harness/read-pack.ts'
import { changeRows, decisionRows, itemRows } from '../model/model-files.ts'
import type { PlannedItem } from '../model/model-plan.ts'
import { type ModelFigure, nameOf, openFigures } from './model-reconciliation.ts'
import type { Run } from './model-report.ts'

/**
 * Compares the CSV files of a run with its plan. If an old plan is applied, the CSV files must not show what
 * was staged or planned later. Source: loaders/verify/README.md#csv-files.
 */
export async function comparePack(folder: string, run: Run): Promise<readonly Difference[]> {
  const planned = asSent(run)
  const files = {
    'agenda.csv': itemRows('agenda', planned, run.seen.zoneOfItem),
    'speakers.csv': itemRows('speakers', planned, run.seen.zoneOfItem),
    'attendees.csv': itemRows('attendees', planned, run.seen.zoneOfItem),
    'decisions.csv': decisionRows(run.seen.decisions, planned),
    'changes.csv': changeRows(planned),
  }
  return [
    ...Object.entries(files).flatMap(([file, rows]) => compareRows(file, rows, readRows(folder, file))),
    ...compareFigures(folder, run.figures),
    ...(await findTampering(folder, run)),
  ]
}

/**
 * Returns the plan without the withheld removals, which were not sent. Changes that the platform rejected
 * remain in the plan, since they were sent.
 */
function asSent({ planned, outbox }: Run): readonly PlannedItem[] {
  const left = new Set(
    outbox.changes.flatMap(({ state, content, uniqueId }) =>
      state === 'withheld' ? `${content} ${uniqueId}` : [],
    ),
  )
  return planned.map((item) =>
    left.has(`${item.content} ${item.uniqueId}`) ? { ...item, action: 'withheld', after: item.before } : item,
  )
}

/**
 * Compares `reconciliation.csv` with the figures of the model. Each control total must equal its expected
 * value.
 */
function compareFigures(folder: string, figures: readonly ModelFigure[]): readonly Difference[] {
  const wanted = new Map(figures.map((figure) => [figure.name, figure]))
  const same = (path: string, expected: unknown, actual: unknown) =>
    compareValues(`reconciliation.csv ${path}`, expected, actual)
  const [, ...rows] = readRows(folder, 'reconciliation.csv') ?? []
  const found = rows.flatMap(
    ([content = '', resource = '', measure = '', count = '', expected = '', pass = '']) => {
      const name = `${content === '' ? nameOf(resource) : content} ${measure}`
      const figure = wanted.get(name)
      wanted.delete(name)
      const isPassed = same(`${name}, pass`, expected === '' ? '' : String(count === expected), pass)
      if (figure === undefined) return same(name, 'no such row', count)
      if (figure.count === null) return [...same(name, expected, count), ...isPassed]
      // If a read was not proved complete, the expected number of ids is unknown.
      const isUnknown = measure === 'staged' && expected === ''
      const due = isUnknown ? '' : String(figure.expected ?? '')
      return [
        ...same(name, String(figure.count), count),
        ...same(`${name}, expected`, due, expected),
        ...isPassed,
      ]
    },
  )
  return [...found, ...[...wanted.keys()].flatMap((name) => same(name, 'a row', null))]
}

/**
 * Runs `verify` on a pack. Nobody has changed the pack, so `verify` must find nothing except sums that do not
 * close.
 */
async function findTampering(folder: string, { figures }: Run): Promise<readonly Difference[]> {
  const pack = readManifest(folder, null)
  if (pack === null) return [{ path: 'verify', expected: 'a manifest', actual: null }]
  const { links } = await readPacks(dirname(folder), null)
  const { findings: found } = await verifyPack(pack, openChain(links), null)
  const open = openFigures(figures).map(({ name, count, expected }) => ({
    file: 'reconciliation.csv',
    message: `${name} does not add up: ${count} instead of ${expected}`,
  }))
  const text = (list: readonly object[]) => list.map((one) => JSON.stringify(one)).sort()
  return compareValues(`verify ${folder}`, text(open), text(found))
}
