import type { IncomingRow } from '../../loaders/staging/incoming.ts'
import type { Cell } from '../../sql/database.ts'
import type { RecordSink } from '../extract/certificate.ts'
import type { Resource } from '../extract/source.ts'

/** How many records of a resource have a value, column by column. */
export interface FillCounts {
  readonly records: number
  /** Records among them that a run would quarantine. */
  readonly faults: number
  /** Records with a usable value. */
  filled(column: string): number
  /** Records with something there that is no usable value, such as a URL that is none. */
  unusable(column: string): number
  /** Records by what `tallyOf` made of them. */
  readonly tally: ReadonlyMap<string, number>
}

/** Takes the records of a resource and keeps nothing of them but counts. */
export interface FillSink extends RecordSink {
  counts(): FillCounts
}

interface Counted {
  records: number
  faults: number
  readonly filled: number[]
  readonly unusable: number[]
  readonly tally: Map<string, number>
}

/**
 * Makes a sink that counts values and stages nothing.
 *
 * @param tallyOf what a record is to be counted as beside; null for nothing. It must not be a value of a person
 */
export function countFills(
  { columns }: Pick<Resource, 'columns'>,
  tallyOf: (row: IncomingRow) => string | null = () => null,
): FillSink {
  let counted: Counted = {
    records: 0,
    faults: 0,
    filled: columns.map(() => 0),
    unusable: columns.map(() => 0),
    tally: new Map(),
  }
  // By the number of records, where a page began: a page that is read again must not count twice.
  const places = new Map<number, Counted>()
  const at = new Map(columns.map((column, index) => [column, index]))
  const countOf = (counts: readonly number[], column: string) => counts[at.get(column) ?? -1] ?? 0

  return {
    add(row) {
      counted.records += 1
      if (row.fault !== null) {
        counted.faults += 1
        return undefined
      }
      for (const [index, value] of row.values.entries()) {
        if (hasValue(value)) counted.filled[index] = (counted.filled[index] ?? 0) + 1
      }
      for (const index of unusableIn(row, at)) counted.unusable[index] = (counted.unusable[index] ?? 0) + 1
      const group = tallyOf(row)
      if (group !== null) counted.tally.set(group, (counted.tally.get(group) ?? 0) + 1)
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
      const { records, faults, filled, unusable, tally } = counted
      return {
        records,
        faults,
        filled: (column) => countOf(filled, column),
        unusable: (column) => countOf(unusable, column),
        tally,
      }
    },
  }
}

function hasValue(value: Cell): boolean {
  if (Array.isArray(value)) return value.length > 0
  return value !== null && value !== false
}

/** Columns without a value although the record has something there: a mark says so, or the status of a time. */
function unusableIn(row: IncomingRow, at: ReadonlyMap<string, number>): ReadonlySet<number> {
  const columns = new Set<number>()
  const note = (column: string) => {
    const index = at.get(column)
    if (index !== undefined && !hasValue(row.values[index] ?? null)) columns.add(index)
  }
  for (const mark of row.marks) note(mark.slice(mark.indexOf(':') + 1))
  for (const time of ['start_time', 'end_time']) {
    if (row.values[at.get(`${time}_status`) ?? -1] === 'unreadable') note(time)
  }
  return columns
}
