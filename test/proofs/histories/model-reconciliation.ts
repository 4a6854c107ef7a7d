import type { Fields } from '../model/model-items.ts'
import type { Seen } from '../model/model-run.ts'
import type { Content } from '../model/options.ts'
import type { Change } from './model-sending.ts'

/**
 * A row of `reconciliation.csv` without its column `pass`: a count, and its expected value; null if there is
 * no expected value.
 */
export interface ModelFigure {
  /** Name of the figure: the content or resource, and the measure. */
  readonly name: string
  /** Null if the model does not know the value, but only that it must equal the expected value. */
  readonly count: number | null
  readonly expected: number | null
}

export interface Accounted {
  readonly contents: readonly Content[]
  readonly seen: Seen
  readonly changes: readonly Change[]
  /** The items on the platform according to the integration's database, after the plan was applied. */
  readonly known: ReadonlyMap<Content, ReadonlyMap<string, Fields>>
  /** Number of items according to the platform. */
  readonly told: ReadonlyMap<Content, number>
  /** A rollback reads no records. */
  readonly isRollback: boolean
}

/** Source: `loaders/README.md`, "Sums that must close". */
export function reconcileModel({
  contents,
  seen,
  changes,
  known,
  told,
  isRollback,
}: Accounted): readonly ModelFigure[] {
  const figures: ModelFigure[] = []
  for (const [resource, read] of Object.entries(seen.read)) {
    const of = (measure: string, count: number | null, expected: number | null = null) =>
      figures.push({ name: `${nameOf(resource)} ${measure}`, count, expected })
    of('read', read.elements, read.elements)
    of('staged', read.staged, read.staged)
    of('repeated', read.repeated)
    of('quarantined', read.quarantined)
    of('unseen', read.unseen)
    of('control_total', null)
  }
  for (const content of contents) {
    const of = (measure: string, count: number | null, expected: number | null = null) =>
      figures.push({ name: `${content} ${measure}`, count, expected })
    const decisions = seen.decisions.filter((one) => one.content === content)
    const own = changes.filter((one) => one.content === content)
    const upserts = own.filter(({ action }) => action !== 'remove')
    const removals = own.filter(({ action }) => action === 'remove')
    const synced = decisions.filter(({ decision }) => decision === 'synced').length
    const items = known.get(content) ?? new Map()
    const planned = new Set(own.map(({ uniqueId }) => uniqueId))
    const desired = seen.desired.get(content) ?? new Map()
    const landed = (result: string) => upserts.filter((change) => change.result === result).length
    if (!isRollback) of('records', decisions.length, decisions.length)
    for (const reason of new Set(decisions.map((one) => (one.decision === 'excluded' ? one.reason : null)))) {
      if (reason !== null) of(`excluded:${reason}`, decisions.filter((one) => one.reason === reason).length)
    }
    if (!isRollback) of('quarantined', decisions.filter(({ decision }) => decision === 'quarantined').length)
    of('synced', synced, synced)
    of('created', landed('created'))
    of('updated', landed('updated'))
    of('unchanged', synced - upserts.length + landed('unchanged'))
    of('failed', landed('failed'))
    of('removed', removals.filter(({ state }) => state === 'applied').length)
    of('removals_failed', removals.filter(({ state }) => state === 'failed').length)
    of('removals_withheld', removals.filter(({ state }) => state === 'withheld').length)
    of('kept', [...items.keys()].filter((id) => !desired.has(id) && !planned.has(id)).length)
    of('live', items.size, items.size)
    of('control_total', null)
    const total = told.get(content)
    if (total !== undefined) of('platform', total, items.size)
  }
  return figures
}

export function openFigures(figures: readonly ModelFigure[]): readonly ModelFigure[] {
  return figures.filter(({ count, expected }) => expected !== null && count !== expected)
}

/** Returns one spelling for the name of a resource, which occurs in several spellings. */
export function nameOf(resource: string): string {
  return resource.toLowerCase().replaceAll(/[-_]/g, '')
}
