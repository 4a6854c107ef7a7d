import { hash } from 'node:crypto'
import type { IncomingRow } from '../../loaders/staging/incoming.ts'
import type { Sieve } from '../../transforms/rules/forgotten.ts'
import type { Json } from '../../transforms/rules/json.ts'
import { pathOfWideNumber, toDocument } from './document.ts'
import type { Fault, Resource, StagedRecord } from './source.ts'

/** Raised with every change of the rules at the door, so that rows read under older ones are made anew. */
export const DOOR_VERSION = 1

/**
 * Makes the function that takes a record of a resource through the door and prepares it for staging.
 *
 * The hash of a version covers the record, the rules of the door, the columns that it fills, and the options that shape
 * them: where one of these is new, what is staged is made anew, though the source says the same.
 *
 * @param sieve keeps people out who were forgotten, and takes them out of what others say; null where nobody was
 */
export function toIncomingOf(resource: Resource, sieve: Sieve | null = null): (record: Json) => IncomingRow {
  const toRow = toRowOf(resource)
  if (sieve === null) return toRow
  const holdsPeople = resource.contents.some((content) => content !== 'agenda')
  return (record) => {
    if (!holdsPeople || !sieve.isForgotten(record)) return toRow(sieve.reduced(record))
    // By its hash a page still knows it for the element that it overlaps with.
    return { ...NOBODY, versionHash: hash('sha256', toDocument(record), 'hex') }
  }
}

const NOBODY = { sourceId: null, values: [], marks: [], doc: null, fault: null, isForgotten: true } as const

function toRowOf(resource: Resource): (record: Json) => IncomingRow {
  const shape = JSON.stringify([DOOR_VERSION, resource.name, resource.columns, resource.shapedBy])
  return (record) => {
    const document = toDocument(record)
    const versionHash = hash('sha256', shape + document, 'hex')
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
