import type { ColumnType } from 'kysely'
import type { Cell } from '../../sql/database.ts'
import type { CustomFields } from '../../sql/tables.ts'
import { inByteOrder, readReferences } from '../rules/references.ts'
import type { Time } from '../rules/times.ts'
import { readSocialUrl, readUrl } from '../rules/urls.ts'
import type { Warning } from '../rules/values.ts'
import { type Json, type JsonObject, readFlag, readText } from '../rules/values.ts'

/** One value of a record for a staged column, with its warnings. */
export interface StagedValue {
  readonly value: Cell
  readonly warnings: readonly Warning[]
}

/** The options that change how a record is read. */
export interface ReadContext {
  /** Time zone for times without an offset (`source.timeZone` in event-sync.yaml). */
  readonly timeZone: string | null
  /**
   * Keys that event-sync.yaml sets in `source.fields`, for values whose key the specification does not fix.
   */
  readonly fields: Readonly<Record<string, string>>
  readonly custom?: CustomFields
}

/** A key of the source that event-sync.yaml can replace in `source.fields`. */
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
 * SQL types of staged columns. Ids are compared by bytes, so that both database engines and all locales give
 * the same order.
 */
export const SQL_TYPES = {
  text: 'text',
  id: 'text collate "C"',
  flag: 'boolean',
  instant: 'timestamptz',
  texts: 'text[]',
  ids: 'text[] collate "C"',
} as const

/** Makes a staged value from the record's values under the column's keys. */
export type ReadRule = (values: readonly KeyValue[], context: ReadContext) => StagedValue

/**
 * A column of a staged table: the keys under which a record has the value, and the rule that reads the value.
 */
export interface Column<Type = unknown> {
  readonly type: keyof typeof SQL_TYPES
  readonly isNullable: boolean
  readonly keys: readonly (string | KeyOption)[]
  readonly rule: ReadRule
  /** Keys of the column that `explain` and the dictionary show; all keys if the property is left out. */
  readonly shown?: readonly string[]
  readonly oneOf: readonly string[] | null
  /** Meaning of the column, in one phrase for the dictionary. */
  readonly meaning: string
  /** True if the column never has a personal value, although its records are about people. */
  readonly isPlain: boolean
  /** Only tells TypeScript the type of the column's values. The property does not exist at run time. */
  readonly is?: Type
}

/** Returns those keys of a column that `explain` and the dictionary show. */
export function shownKeys({ keys, shown }: Column): Column['keys'] {
  return shown === undefined ? keys : keys.filter((key) => typeof key === 'string' && shown.includes(key))
}

/** Optional properties in the declaration of a column. */
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

/**
 * Declares a column that is read by a rule of its own. The rule receives the values of one or several keys.
 */
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

/** Declares a column with a text in lower case, for comparisons that ignore case. */
export function folded(
  keys: Column['keys'],
  read: (values: readonly KeyValue[]) => string | null,
  said: ColumnNotes,
): Column<string | null> {
  return column('id', keys, (values) => staged(read(values)?.toLowerCase() ?? null), said)
}

/**
 * Declares a flag. In records, a flag may be a JSON boolean, a text or a number. Any value that is not a
 * known form of a flag becomes null.
 */
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

/**
 * Declares a column with the URL of a person's page on a site. A record may have the URL of the page, or the
 * person's handle on the site.
 */
export function socialUrl(
  key: string | KeyOption,
  site: Parameters<typeof readSocialUrl>[1],
  notes: ColumnNotes = {},
): Column<string | null> {
  return readBy(key, (value) => readSocialUrl(value, site), {
    meaning: 'the page as an https address',
    ...notes,
  })
}

/** Declares a text column with a rule that returns at most one warning. */
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
 * Declares a column with a list of ids, which is sorted by bytes.
 *
 * @param idOf returns the id of a list element, if the element is an object
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

/**
 * The result of reading a time. `ambiguous` means that the local time occurs twice because clocks were set
 * back.
 */
export type TimeStatus = Time['status']

const TIME_STATUSES: readonly TimeStatus[] = ['absent', 'read', 'ambiguous', 'unreadable']

export type Instant = ColumnType<Date, string, string>

/**
 * The two columns that store a time: the instant (null if the time could not be read), and the status of
 * reading.
 */
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
      meaning: `the time as an instant; null if ${name}_status is absent or unreadable`,
      ...notes,
    }),
    [`${name}_status`]: column('text', keys, status, {
      isNullable: false,
      oneOf: TIME_STATUSES,
      meaning:
        'Result of reading the time: absent, read, unreadable or ambiguous. An ambiguous local time occurs twice, because the clocks are set back. The product reads an ambiguous time as the earlier instant, or as the later instant if an end would otherwise be before the start',
      shown: [],
    }),
  } as TimeColumns<Name>
}

const readTextValue: ReadRule = ([value]) => {
  const { value: read, warning } = readText(value)
  return staged(read, warning)
}
