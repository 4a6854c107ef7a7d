import type { IncomingRow } from '../../../loaders/staging/incoming.ts'
import type { Cell } from '../../../sql/database.ts'
import { CUSTOM_COLUMN, isStagedName, stagedName } from '../../../transforms/declare/custom-fields.ts'
import type { Keys } from '../../../transforms/declare/resource.ts'
import { isJsonObject, type Json } from '../../../transforms/rules/values.ts'
import type { Fault, RecordSink, SourceResource } from './source.ts'

/**
 * How many records of a resource have a value in each field. Custom fields are counted under the names that
 * they have in staging.
 */
export interface FillCounts {
  readonly records: number
  /**
   * Number of records that a run would quarantine. Quarantined records are also counted in the number
   * `records`.
   */
  readonly faults: number
  /** Why the first of these records would be quarantined; null if there is no such record. */
  readonly firstFault: Fault | null
  filled(column: string): number
  /** Returns the number of records whose field has an unusable value, for example an invalid URL. */
  unusable(column: string): number
  /** Number of records for each name that `tallyOf` has returned. */
  readonly tally: ReadonlyMap<string, number>
  /**
   * For each path of an object that may contain custom fields: the keys of this object, in the spelling of
   * the source. Each key has the number of records with this key.
   */
  readonly keys: ReadonlyMap<string, ReadonlyMap<string, number>>
}

/** Paths at which custom fields are in the records of a resource. */
export interface NamedPaths {
  readonly paths: readonly string[]
  /** How the source compares keys, with or without regard to case. */
  readonly keys: Keys
}

/**
 * Maximum number of keys that are counted for each object. The keys of an object may be ids, so each record
 * can add new keys.
 */
const MOST_KEYS = 1000

interface RunningCounts {
  /** Number of records, with those of forgotten people, of which nothing else is counted. */
  elements: number
  records: number
  faults: number
  firstFault: Fault | null
  readonly filled: Map<string, number>
  readonly unusable: Map<string, number>
  readonly tally: Map<string, number>
  readonly keys: Map<string, Map<string, number>>
}

/**
 * Makes a sink that receives records, counts their values and stores nothing else.
 *
 * @param tallyOf returns another name under which a record is counted, or null; never personal data
 * @param named paths of custom fields, whose objects have their keys counted; null if there are no custom
 *   fields
 */
export function countFills(
  { columns }: Pick<SourceResource, 'columns'>,
  tallyOf: (row: IncomingRow) => string | readonly string[] | null = () => null,
  named: NamedPaths | null = null,
): RecordSink & { counts(): FillCounts } {
  let counted: RunningCounts = {
    elements: 0,
    records: 0,
    faults: 0,
    firstFault: null,
    filled: new Map(),
    unusable: new Map(),
    tally: new Map(),
    keys: new Map(),
  }
  // The counts at the start of each page, by the number of elements before the page. If a page is read again,
  // the counts at its start are restored. The records of a page that is read again would otherwise count
  // twice.
  const saved = new Map<number, RunningCounts>()

  return {
    add(row) {
      counted.elements += 1
      if (row.isForgotten === true) return undefined
      counted.records += 1
      if (row.fault !== null) {
        counted.faults += 1
        counted.firstFault ??= row.fault
        return undefined
      }
      const filled = filledIn(row, columns)
      for (const name of filled) increment(counted.filled, name)
      for (const name of warned(row, columns).difference(filled)) increment(counted.unusable, name)
      for (const group of [tallyOf(row) ?? []].flat()) increment(counted.tally, group)
      if (named !== null && row.doc !== null) countKeys(counted.keys, JSON.parse(row.doc), named)
      return undefined
    },
    totals() {
      const { elements, records, faults } = counted
      saved.set(elements, structuredClone(counted))
      return { elements, faults, forgotten: elements - records, checksum: 0n }
    },
    async rewind({ elements }) {
      const before = saved.get(elements)
      if (before === undefined) throw new Error(`there is no place after ${elements} elements to rewind to`)
      counted = structuredClone(before)
    },
    counts() {
      const { elements: _, filled, unusable, ...rest } = counted
      return {
        ...rest,
        filled: (column) => filled.get(column) ?? 0,
        unusable: (column) => unusable.get(column) ?? 0,
      }
    },
  }
}

function increment(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

/**
 * Returns the paths of all objects that contain a path. The first is the record itself, whose path is empty.
 */
export function objectsOn(path: string): readonly string[] {
  const parts = path.split('.')
  return parts.map((_, index) => parts.slice(0, index).join('.'))
}

function countKeys(
  counts: RunningCounts['keys'],
  record: Json,
  { paths, keys: { keyOf, prepare } }: NamedPaths,
) {
  const objectAt = (path: string): Json => {
    if (path === '') return record
    const object = objectAt(objectsOn(path).at(-1) ?? '')
    const key = keyOf(path.slice(path.lastIndexOf('.') + 1))
    const keyed = isJsonObject(object) ? prepare(object) : {}
    return Object.hasOwn(keyed, key) ? (keyed[key] ?? null) : null
  }
  for (const path of new Set(paths.flatMap(objectsOn))) {
    const object = objectAt(path)
    const known = counts.get(path) ?? new Map<string, number>()
    counts.set(path, known)
    for (const key of isJsonObject(object) ? Object.keys(object) : [])
      if (known.size < MOST_KEYS || known.has(key)) increment(known, key)
  }
}

function filledIn({ values }: IncomingRow, columns: readonly string[]): Set<string> {
  const custom = values[columns.indexOf(CUSTOM_COLUMN)] ?? null
  const own: Record<string, Record<string, unknown>> = typeof custom === 'string' ? JSON.parse(custom) : {}
  return new Set([
    ...columns.filter((_, index) => hasValue(values[index] ?? null)),
    ...Object.entries(own).flatMap(([content, fields]) =>
      Object.keys(fields).map((name) => stagedName(content, name)),
    ),
  ])
}

function hasValue(value: Cell): boolean {
  if (Array.isArray(value)) return value.length > 0
  return value !== null && value !== false
}

/**
 * Returns the fields that have an unusable value in a record. The warnings of the record and the status of
 * its times show which fields are unusable.
 */
function warned({ values, warnings }: IncomingRow, columns: readonly string[]): Set<string> {
  const names = warnings.flatMap((warning) => {
    const name = warning.slice(warning.indexOf(':') + 1)
    const isOwn = warning.startsWith('left_out:') && isStagedName(name)
    return isOwn || columns.includes(name) ? [name] : []
  })
  const times = ['start_time', 'end_time'].filter(
    (time) => columns.includes(time) && values[columns.indexOf(`${time}_status`)] === 'unreadable',
  )
  return new Set([...names, ...times])
}
