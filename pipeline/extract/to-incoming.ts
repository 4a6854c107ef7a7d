import { hash } from 'node:crypto'
import type { IncomingRow } from '../../loaders/staging/incoming.ts'
import type { Json } from '../../transforms/rules/json.ts'
import { pathOfWideNumber, toDocument } from './document.ts'
import type { Fault, Resource, StagedRecord } from './source.ts'

/** Raised with every change of the rules at the door, so that rows read under older ones are made anew. */
export const DOOR_VERSION = 1

/**
 * Makes the function that takes a record of a resource through the door and prepares it for staging.
 *
 * The hash of a version covers the record, the rules of the door and the options that shape the record.
 */
export function toIncomingOf(resource: Resource): (record: Json) => IncomingRow {
  const shape = JSON.stringify([DOOR_VERSION, resource.name, resource.shapedBy])
  return (record) => {
    const document = toDocument(record)
    const versionHash = hash('sha256', shape + document, 'buffer')
    const widePath = pathOfWideNumber(record, document)
    const read: StagedRecord | Fault =
      widePath === null
        ? resource.read(record)
        : { path: widePath, message: 'a number that the database cannot hold' }
    if ('message' in read) {
      return { sourceId: null, values: [], marks: [], doc: null, versionHash, fault: read }
    }
    return {
      sourceId: String(read.sourceId.value),
      values: resource.columns.map((column) => read.values[column]?.value ?? null),
      marks: marksOf(resource.columns, read),
      doc: document,
      versionHash,
      fault: null,
    }
  }
}

const NO_MARKS: readonly string[] = []

/** What was noticed, as `mark:column`. Most records have nothing of note. */
function marksOf(columns: readonly string[], read: StagedRecord): readonly string[] {
  let marks: string[] | null = null
  for (const mark of read.sourceId.marks) marks = [...(marks ?? []), `${mark}:source_id`]
  for (const column of columns) {
    for (const mark of read.values[column]?.marks ?? []) marks = [...(marks ?? []), `${mark}:${column}`]
  }
  return marks ?? NO_MARKS
}
