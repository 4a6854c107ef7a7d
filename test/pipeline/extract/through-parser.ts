import type { Fault } from '../../../pipeline/sources/contract/source.ts'
import type { Cell } from '../../../sql/database.ts'
import type { StagedRecord } from '../../../transforms/declare/resource.ts'
import { type Json, parseJson } from '../../../transforms/rules/values.ts'

type Parser = (record: Json) => StagedRecord | Fault

/** A record that was not quarantined: the value of every column, and its warnings as `warning:column`. */
export interface Passed {
  readonly values: Readonly<Record<string, Cell>>
  readonly warnings: readonly string[]
}

/**
 * Parses a record. A record that is given as text is JSON of a source, in which numbers keep their digits.
 */
export function take(parser: Parser, record: string | Record<string, unknown>): Passed | Fault {
  const text = typeof record === 'string' ? record : JSON.stringify(record)
  const read = parser(parseJson(text) as Json)
  if ('message' in read) return read
  const columns = Object.entries({ source_id: read.sourceId, ...read.values })
  return {
    values: Object.fromEntries(columns.map(([column, { value }]) => [column, value])),
    warnings: columns.flatMap(([column, { warnings }]) => warnings.map((one) => `${one}:${column}`)),
  }
}

/** Parses a record like the function `take`, but throws an error if the record is quarantined. */
export function pass(parser: Parser, record: string | Record<string, unknown>): Passed {
  const passed = take(parser, record)
  if ('message' in passed) throw new Error(`quarantined: ${passed.path} ${passed.message}`)
  return passed
}
