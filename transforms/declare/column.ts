import type { ColumnType } from 'kysely'
import type { Cell } from '../../sql/database.ts'
import type { CustomFields } from '../../sql/tables.ts'
import { inByteOrder, readReferences } from '../rules/references.ts'
import type { Time } from '../rules/times.ts'
import { readSocialUrl, readUrl } from '../rules/urls.ts'
import type { Warning } from '../rules/values.ts'
import { type Json, type JsonObject, readFlag, readText } from '../rules/values.ts'

/** One staged value of a record, with its warnings. */
export interface StagedValue {
  readonly value: Cell
  readonly warnings: readonly Warning[]
}

/** The options that change how a record is read. */
export interface ReadContext {
  /** Zone of times without an offset (`source.timeZone`). */
  readonly timeZone: string | null
  /** Keys of the source (`source.fields`), for fields with a key that the specification leaves open. */
  readonly fields: Readonly<Record<string, string>>
  readonly custom?: CustomFields
}

/** A key that the configuration can replace, in `source.fields`. */
export interface KeyOption {
  readonly option: string
  readonly key: string
  readonly meaning: string
}

export function option(name: string, key: string, meaning: string): KeyOption {
  return { option: name, key, meaning }
}

type KeyValue = Json | undefined

/**
 * SQL types of staged columns. Ids compare by their bytes, so that engines and locales give the same order.
 */
export const SQL_TYPES = {
  text: 'text',
  id: 'text collate "C"',
  flag: 'boolean',
  instant: 'timestamptz',
  texts: 'text[]',
  ids: 'text[] collate "C"',
} as const

/** Makes a staged value from the values of a column's keys. */
export type ReadRule = (values: readonly KeyValue[], context: ReadContext) => StagedValue

/** A column of a staged table: the keys of its value in a record, and the rule that reads it. */
export interface Column<Type = unknown> {
  readonly type: keyof typeof SQL_TYPES
  readonly isNullable: boolean
  readonly keys: readonly (string | KeyOption)[]
  readonly rule: ReadRule
  /** Keys that `explain` and the dictionary name; if left out, all keys. */
  readonly shown?: readonly string[]
  readonly oneOf: readonly string[] | null
  /** Meaning of the column in one phrase, for the dictionary. */
  readonly meaning: string
  /** True if the column has no personal value although its record is about a person. */
  readonly isPlain: boolean
  /** Carries the TypeScript type of a value. The key does not exist at run time. */
  readonly is?: Type
}

/** Returns the keys that `explain` and the dictionary name for a column. */
export function shownKeys({ keys, shown }: Column): Column['keys'] {
  return shown === undefined ? keys : keys.filter((key) => typeof key === 'string' && shown.includes(key))
}

/** Optional notes of a column. */
interface ColumnNotes {
  readonly meaning?: string
  readonly isPlain?: boolean
  readonly shown?: readonly string[]
}

const NO_WARNINGS: readonly Warning[] = []

export function staged(value: Cell, warnings: readonly Warning[] | Warning | null = null): StagedValue {
  if (warnings === null) return { value, warnings: NO_WARNINGS }
  return { value, warnings: typeof warnings === 'string' ? [warnings] : warnings }
}

/** Declares a column with its own rule. The rule gets the values of one or several keys. */
export function column<Type>(
  type: Column['type'],
  keys: Column['keys'],
  rule: ReadRule,
  notes: ColumnNotes & Partial<Pick<Column, 'isNullable' | 'oneOf'>> = {},
): Column<Type> {
  return { type, isNullable: true, keys, rule, oneOf: null, meaning: '', isPlain: false, ...notes }
}

export function text(key: string | KeyOption, notes: ColumnNotes = {}): Column<string | null> {
  return column('text', [key], readTextValue, notes)
}

export function id(key: string, notes: ColumnNotes = {}): Column<string | null> {
  return column('id', [key], readTextValue, notes)
}

/** Declares a column with a text in lower case, for comparisons without regard to case. */
export function folded(
  keys: Column['keys'],
  read: (values: readonly KeyValue[]) => string | null,
  said: ColumnNotes,
): Column<string | null> {
  return column('id', keys, (values) => staged(read(values)?.toLowerCase() ?? null), said)
}

/** Declares a flag, which may be JSON, a text or a number in records. Any other value counts as null. */
export function flag(key: string, notes: ColumnNotes = {}): Column<boolean | null> {
  const read: ReadRule = ([value]) => {
    const { value: found, warning } = readFlag(value)
    return staged(found, warning)
  }
  return column('flag', [key], read, notes)
}

export function url(key: string, notes: ColumnNotes = {}): Column<string | null> {
  return readBy(key, readUrl, notes)
}

/** Declares the page of a person on a site. Records have the address of the page, or a handle. */
export function socialUrl(
  key: string | KeyOption,
  site: Parameters<typeof readSocialUrl>[1],
  notes: ColumnNotes = {},
): Column<string | null> {
  return readBy(key, (value) => readSocialUrl(value, site), { meaning: 'as an https address', ...notes })
}

/** Declares a text with a rule that gives at most one warning. */
export function readBy(
  key: string | KeyOption,
  rule: (value: KeyValue) => { readonly value: string | null; readonly warning: Warning | null },
  notes: ColumnNotes = {},
): Column<string | null> {
  const read: ReadRule = ([value]) => {
    const { value: found, warning } = rule(value)
    return staged(found, warning)
  }
  return column('text', [key], read, notes)
}

/**
 * Declares a list of ids, in byte order.
 *
 * @param idOf returns the id of an element that is an object
 */
export function ids(
  key: string,
  idOf: (element: JsonObject) => KeyValue,
  notes: ColumnNotes = {},
): Column<readonly string[]> {
  const read: ReadRule = ([value]) => {
    const named = readReferences(value, idOf)
    return staged(inByteOrder(named.ids), named.warnings)
  }
  return column('ids', [key], read, { ...notes, isNullable: false })
}

/** The result of reading a time. `ambiguous` means that the local time occurs twice. */
export type TimeStatus = Time['status']

const TIME_STATUSES: readonly TimeStatus[] = ['absent', 'read', 'ambiguous', 'unreadable']

export type Instant = ColumnType<Date, string, string>

/** The two columns of a time: the instant (null if it was not read), and its status. */
export type TimeColumns<Name extends string> = {
  readonly [Key in Name]: Column<Instant | null>
} & { readonly [Key in `${Name}_status`]: Column<TimeStatus> }

export function time<Name extends string>(
  name: Name,
  keys: Column['keys'],
  rule: (values: readonly KeyValue[], timeZone: string | null) => Time,
  notes: Pick<ColumnNotes, 'shown' | 'meaning'> = {},
): TimeColumns<Name> {
  const instant: ReadRule = (values, { timeZone }) => {
    const read = rule(values, timeZone)
    return staged('instant' in read ? read.instant : null, read.warnings)
  }
  const status: ReadRule = (values, { timeZone }) => staged(rule(values, timeZone).status)
  return {
    [name]: column('instant', keys, instant, {
      meaning: `as an instant; null if ${name}_status is absent or unreadable`,
      ...notes,
    }),
    [`${name}_status`]: column('text', keys, status, {
      isNullable: false,
      oneOf: TIME_STATUSES,
      meaning:
        'Result of reading the time: absent, read, unreadable or ambiguous. An ambiguous local time occurs twice; it is read as the earlier instant, except for an end that would then be before the start',
      shown: [],
    }),
  } as TimeColumns<Name>
}

const readTextValue: ReadRule = ([value]) => {
  const { value: read, warning } = readText(value)
  return staged(read, warning)
}
