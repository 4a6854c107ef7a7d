import { hash } from 'node:crypto'
import type { IncomingRow } from '../../../loaders/staging/incoming.ts'
import type { KnownVersions } from '../../../loaders/staging/known-versions.ts'
import { CUSTOM_COLUMN } from '../../../transforms/declare/custom-fields.ts'
import type { StagedRecord } from '../../../transforms/declare/resource.ts'
import type { SuppressionFilter } from '../../../transforms/rules/people.ts'
import { readTimeOfA } from '../../../transforms/rules/times.ts'
import {
  exponentOf,
  isBeyondNumeric,
  isJsonObject,
  type Json,
  PERHAPS_WIDE,
  storableText,
} from '../../../transforms/rules/values.ts'
import type { Fault, SourceResource } from '../../sources/contract/source.ts'
import { LargeRecord } from './large-record.ts'

/**
 * Version of the record parser. The version must be raised with every change of the parser that changes
 * values of staged records. Every record then gets a new version, so that rows made by the old parser are
 * replaced.
 */
export const PARSER_VERSION = 2

/**
 * Returns the function that prepares a record that is too large for staging. The record is quarantined under
 * its id. The record of a forgotten person is left out.
 */
export function largeToIncomingOf(
  resource: SourceResource,
  filter: SuppressionFilter | null,
  maxRecordBytes: number,
): (record: LargeRecord) => IncomingRow {
  const holdsPeople = resource.contents.some((content) => content !== 'agenda')
  return (record) => {
    const row = largeRow(resource, record, maxRecordBytes)
    if (!holdsPeople || filter === null) return row
    const isForgotten = filter.isForgotten(record.members) || isForgottenRow(row, filter)
    return isForgotten ? { ...NOBODY, versionHash: row.versionHash } : row
  }
}

/**
 * Makes the quarantined row of a record that is too large. If the id is known, the hash covers only the id. A
 * change of the record then makes no new version as long as the record is too large.
 */
function largeRow(resource: SourceResource, record: LargeRecord, maxRecordBytes: number): IncomingRow {
  const { isWhole, members } = record
  const read = resource.read(members, true)
  const sourceId = isWhole && !('message' in read) ? String(read.sourceId.value) : null
  const identity = JSON.stringify([resource.name, 'large', sourceId ?? toDocument(members)])
  const versionHash = hash('sha256', identity, 'hex')
  const fault = { path: '$', message: `larger than http.maxRecordBytes (${maxRecordBytes})` }
  return { sourceId, values: [], warnings: [], doc: null, versionHash, changedAt: null, fault }
}

/**
 * Returns the function that parses a record of a resource and prepares it for staging.
 *
 * The hash of a record's version covers the record, the version of the parser, the columns, and the options
 * that affect columns. If any of these changes, the staged row is replaced.
 *
 * @param filter keeps forgotten people out, also out of records that refer to them; null if nobody was
 *   forgotten
 * @param known versions of which only the id is read; null if every value must be read
 * @param maxRecordBytes a larger record is quarantined
 */
export function toIncomingOf(
  resource: SourceResource,
  filter: SuppressionFilter | null = null,
  known: KnownVersions | null = null,
  maxRecordBytes = Number.POSITIVE_INFINITY,
): (record: Json) => IncomingRow {
  const toRow = toRowOf(resource, known, maxRecordBytes)
  if (filter === null) return toRow
  const withoutNamed = namedRemover(resource, filter, maxRecordBytes)
  const holdsPeople = resource.contents.some((content) => content !== 'agenda')
  return (record) => {
    if (!holdsPeople || !filter.isForgotten(record)) {
      const kept = filter.withoutPeople(record)
      const row = withoutNamed(kept, toRow(kept), toRow)
      if (!holdsPeople || !isForgottenRow(row, filter)) return row
    }
    // The hash is needed even for a forgotten person, because the record may be the element by which two
    // pages overlap.
    return { ...NOBODY, versionHash: hash('sha256', toDocument(record), 'hex') }
  }
}

/**
 * Returns the function that removes forgotten people whose ids a source computes, so that the record has other
 * ids than its row. An element of a list in the record is removed if it becomes the id of a forgotten person.
 */
function namedRemover(resource: SourceResource, filter: SuppressionFilter, maxRecordBytes: number) {
  const read = toRowOf(resource, null, maxRecordBytes)
  const columns = new Set(resource.naming)
  const isForgotten = (value: unknown) => typeof value === 'string' && filter.isForgottenId(value)
  const countIn = ({ values }: IncomingRow) =>
    values
      .filter((_, at) => columns.has(resource.columns[at] ?? ''))
      .flat()
      .filter(isForgotten).length
  return (record: Json, row: IncomingRow, toRow: (record: Json) => IncomingRow): IncomingRow => {
    if (!isJsonObject(record) || countIn(row) === 0) return row
    const members = Object.entries<Json>(record).map(([key, value]) => {
      if (!Array.isArray(value)) return [key, value] as const
      const countWith = (list: readonly Json[]) => countIn(read({ ...record, [key]: list }))
      const others = countWith([])
      return [key, value.filter((element: Json) => countWith([element]) === others)] as const
    })
    return toRow(Object.fromEntries(members))
  }
}

/** Returns true if the id of a row belongs to a forgotten person. The record itself may have another id. */
const isForgottenRow = ({ sourceId }: IncomingRow, filter: SuppressionFilter) =>
  sourceId !== null && filter.isForgottenId(sourceId)

const NOBODY = {
  sourceId: null,
  values: [],
  warnings: [],
  doc: null,
  fault: null,
  isForgotten: true,
} as const

function toRowOf(
  resource: SourceResource,
  known: KnownVersions | null,
  maxRecordBytes: number,
): (record: Json) => IncomingRow {
  const columns = resource.columns.filter((column) => column !== CUSTOM_COLUMN)
  const inputs = JSON.stringify([PARSER_VERSION, resource.name, columns, resource.versionInputs])
  const changedAtOf = changedAtReader(resource)
  const staged = stagedPart(resource)
  return (received) => {
    const record = staged(received)
    const changedAt = changedAtOf(received)
    const document = toDocument(record)
    // No UTF-16 code unit takes more than three bytes, so the bytes of most records need not be counted.
    if (document.length * 3 > maxRecordBytes && Buffer.byteLength(document) > maxRecordBytes)
      return largeRow(resource, LargeRecord.of(received), maxRecordBytes)
    const versionHash = hash('sha256', inputs + document, 'hex')
    const isKnown = known?.has(versionHash) ?? false
    const widePath = isKnown ? null : pathOfWideNumber(record, document)
    const read: StagedRecord | Fault =
      widePath === null
        ? resource.read(record, isKnown)
        : { path: widePath, message: 'a number that the database cannot hold' }
    if ('message' in read) {
      return { sourceId: null, values: [], warnings: [], doc: null, versionHash, changedAt, fault: read }
    }
    const sourceId = String(read.sourceId.value)
    if (isKnown) return { sourceId, values: [], warnings: [], doc: null, versionHash, changedAt, fault: null }
    return {
      sourceId,
      values: resource.columns.map((column) =>
        column === CUSTOM_COLUMN ? read.custom.value : (read.values[column]?.value ?? null),
      ),
      warnings: warningsOf(resource.columns, read),
      doc: document,
      versionHash,
      changedAt,
      fault: null,
    }
  }
}

const CHANGED_AT = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/

/**
 * Returns the function that reads when a record was last changed. The function returns null if the record
 * does not state the time.
 */
function changedAtReader({ changes }: SourceResource): (record: Json) => string | null {
  if (changes?.isAsked !== true) return () => null
  return (record) => {
    const value = isJsonObject(record) && Object.hasOwn(record, changes.key) ? record[changes.key] : null
    return typeof value === 'string' && CHANGED_AT.test(value) ? value : clockTextOf(value)
  }
}

/** Converts a time with an offset to UTC, in the form of `CHANGED_AT`. Returns null for any other value. */
function clockTextOf(value: Json | undefined): string | null {
  const read = readTimeOfA(value, null)
  return 'instant' in read ? read.instant.slice(0, SECONDS).replace('T', ' ') : null
}

const SECONDS = '2031-05-04T09:00:00'.length

/**
 * Returns the function that removes the time of the last change from a record. If this time were staged, each
 * save at the source would make a new version, even without a change.
 */
function stagedPart({ changes }: SourceResource): (record: Json) => Json {
  if (changes === undefined || changes.isStaged) return (record) => record
  return (record) => {
    if (!isJsonObject(record) || !Object.hasOwn(record, changes.key)) return record
    const { [changes.key]: _, ...rest } = record
    return rest
  }
}

/** Returns the warnings of a record, each in the form `warning:column`. */
function warningsOf(columns: readonly string[], read: StagedRecord): readonly string[] {
  const warnings = read.sourceId.warnings.map((warning) => `${warning}:source_id`)
  for (const column of columns) {
    for (const warning of read.values[column]?.warnings ?? []) warnings.push(`${warning}:${column}`)
  }
  warnings.push(...read.custom.warnings)
  return warnings
}

// JSON.stringify writes U+0000, lone surrogates and other control characters as `\u` escapes.
const ESCAPED = '\\u'
const UNSTORABLE = /\\u(?:0000|d[89a-f])/

/**
 * Writes a record as JSON text that PostgreSQL can store as jsonb. The character U+0000 is dropped, and lone
 * surrogates become U+FFFD.
 */
export function toDocument(record: Json): string {
  const text = JSON.stringify(record)
  return text.includes(ESCAPED) && UNSTORABLE.test(text) ? JSON.stringify(storable(record)) : text
}

function storable(value: Json): Json {
  if (typeof value === 'string') return storableText(value)
  if (Array.isArray(value)) return value.map(storable)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [storableText(key), storable(member)]),
  )
}

/**
 * Maximum number of zeros in all numbers of one record when exponents are written out. The database would
 * store each of these zeros.
 */
const MOST_ZEROS = 16_777_216

/**
 * Looks for a number that the database cannot store, such as `1e999999`, or that has too many zeros when it
 * is written out.
 *
 * @returns the JSON path of the number, without personal data; null if there is no such number
 */
export function pathOfWideNumber(record: Json, document: string): string | null {
  return PERHAPS_WIDE.test(document) ? findWideNumber(record, '$', { left: MOST_ZEROS }) : null
}

function findWideNumber(value: Json, path: string, zeros: { left: number }): string | null {
  if (JSON.isRawJSON(value)) {
    zeros.left -= Math.abs(exponentOf(value.rawJSON))
    return zeros.left < 0 || isBeyondNumeric(value.rawJSON) ? path : null
  }
  const isList = Array.isArray(value)
  for (const [key, member] of Object.entries(isList || isJsonObject(value) ? value : {})) {
    const found = findWideNumber(member, isList ? `${path}[${key}]` : `${path}.${nameOf(key)}`, zeros)
    if (found !== null) return found
  }
  return null
}

/**
 * Formats a key for use in a message. A key that is not a plain name may be personal data, such as an e-mail
 * address or an id.
 */
function nameOf(key: string): string {
  return /^[A-Za-z_]{1,40}$/.test(key) ? key : '*'
}
