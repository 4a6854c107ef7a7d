import type { IncomingRow } from '../../../loaders/staging/incoming.ts'
import type { Cell } from '../../../sql/database.ts'
import { CUSTOM_COLUMN, isStagedName, stagedName } from '../../../transforms/resources/custom-fields.ts'
import type { RecordSink, Resource } from './source.ts'

/** How many records of a resource have a value; custom fields are counted by their staged names. */
export interface FillCounts {
  readonly records: number
  /** Records among them that a run would quarantine. */
  readonly faults: number
  filled(column: string): number
  /** Records with something there that is no usable value, such as a URL that is none. */
  unusable(column: string): number
  /** Records by what `tallyOf` made of them. */
  readonly tally: ReadonlyMap<string, number>
}

interface Counted {
  records: number
  faults: number
  readonly filled: Map<string, number>
  readonly unusable: Map<string, number>
  readonly tally: Map<string, number>
}

/**
 * Makes a sink that counts values and keeps nothing else.
 *
 * @param tallyOf what else a record is to be counted as; null for nothing. It must not be a value of a person
 */
export function countFills(
  { columns }: Pick<Resource, 'columns'>,
  tallyOf: (row: IncomingRow) => string | null = () => null,
): RecordSink & { counts(): FillCounts } {
  let counted: Counted = { records: 0, faults: 0, filled: new Map(), unusable: new Map(), tally: new Map() }
  // By the number of records, where a page began: a page that is read again must not count twice.
  const places = new Map<number, Counted>()

  return {
    add(row) {
      counted.records += 1
      if (row.fault !== null) {
        counted.faults += 1
        return undefined
      }
      const filled = filledIn(row, columns)
      for (const name of filled) increment(counted.filled, name)
      for (const name of marked(row, columns).difference(filled)) increment(counted.unusable, name)
      const group = tallyOf(row)
      if (group !== null) increment(counted.tally, group)
      return undefined
    },
    totals() {
      places.set(counted.records, structuredClone(counted))
      return { elements: counted.records, faults: counted.faults, forgotten: 0, checksum: 0n }
    },
    async rewind({ elements }) {
      const place = places.get(elements)
      if (place === undefined) throw new Error(`there is no place after ${elements} records to rewind to`)
      counted = structuredClone(place)
    },
    counts() {
      const { filled, unusable, ...rest } = counted
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

/** Fields of which a mark says that the record has something there, or the status of a time. */
function marked({ values, marks }: IncomingRow, columns: readonly string[]): Set<string> {
  const names = marks.flatMap((mark) => {
    const name = mark.slice(mark.indexOf(':') + 1)
    const isOwn = mark.startsWith('left_out:') && isStagedName(name)
    return isOwn || columns.includes(name) ? [name] : []
  })
  const times = ['start_time', 'end_time'].filter(
    (time) => columns.includes(time) && values[columns.indexOf(`${time}_status`)] === 'unreadable',
  )
  return new Set([...names, ...times])
}
