import type { Difference } from '../model/compare.ts'
import { readCsv } from '../model/read-pack.ts'
import { type ModelFigure, nameOf } from './model-reconciliation.ts'

/** Compares `reconciliation.csv` of a pack with the figures of the model; a control total has to close. */
export function compareReconciliation(
  folder: string,
  figures: readonly ModelFigure[],
): readonly Difference[] {
  const found: Difference[] = []
  const same = (path: string, expected: unknown, actual: unknown) => {
    if (expected !== actual) found.push({ path: `reconciliation.csv ${path}`, expected, actual })
  }
  const [, ...rows] = readCsv(folder, 'reconciliation.csv') ?? []
  const wanted = new Map(figures.map((figure) => [figure.name, figure]))
  for (const [content = '', resource = '', measure = '', count = '', expected = '', pass = ''] of rows) {
    const name = `${content === '' ? nameOf(resource) : content} ${measure}`
    const figure = wanted.get(name)
    wanted.delete(name)
    if (figure === undefined) same(name, 'no such row', count)
    else if (figure.count === null) same(name, expected, count)
    else {
      same(name, String(figure.count), count)
      // Of a read without its proof it is not known how many ids there are.
      if (!(measure === 'staged' && expected === ''))
        same(`${name}, expected`, String(figure.expected ?? ''), expected)
    }
    same(`${name}, pass`, expected === '' ? '' : String(count === expected), pass)
  }
  for (const name of wanted.keys()) same(name, 'a row', null)
  return found
}
