import { parseKeepingDigits } from '../../../pipeline/demo/sample-elements.ts'
import type { Fault, StagedRecord } from '../../../pipeline/extract/source.ts'
import type { Cell } from '../../../sql/database.ts'
import type { Json } from '../../../transforms/rules/json.ts'

type Door = (record: Json) => StagedRecord | Fault

/** A record that passed: every column's value, what was noticed as `mark:column`. */
export interface Passed {
  readonly values: Readonly<Record<string, Cell>>
  readonly marks: readonly string[]
}

/** Takes a record through a door; text is JSON as a source writes it, with the digits of its numbers. */
export function take(door: Door, record: string | Record<string, unknown>): Passed | Fault {
  const text = typeof record === 'string' ? record : JSON.stringify(record)
  const read = door(parseKeepingDigits(text) as Json)
  if ('message' in read) return read
  const columns = Object.entries({ source_id: read.sourceId, ...read.values })
  return {
    values: Object.fromEntries(columns.map(([column, { value }]) => [column, value])),
    marks: columns.flatMap(([column, { marks }]) => marks.map((mark) => `${mark}:${column}`)),
  }
}

/** As `take`, for a record that must pass. */
export function pass(door: Door, record: string | Record<string, unknown>): Passed {
  const passed = take(door, record)
  if ('message' in passed) throw new Error(`quarantined: ${passed.path} ${passed.message}`)
  return passed
}
