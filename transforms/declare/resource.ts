import type { RawBuilder } from 'kysely'
import type { Cell } from '../../sql/database.ts'
import type { Content, Staged } from '../../sql/tables.ts'
import { isTooLong } from '../rules/references.ts'
import type { Json, JsonObject } from '../rules/values.ts'
import {
  type Column,
  type KeyOption,
  type ReadContext,
  type StagedValue,
  shownKeys,
  staged,
} from './column.ts'
import { type CustomValues, customReader, NO_CUSTOM } from './custom-fields.ts'

/** A column with its table and name. */
export type ColumnOf<Table extends string = string, Type = unknown> = Column<Type> & {
  readonly table: Table
  readonly name: string
}

type Columns = Readonly<Record<string, Column>>

/**
 * One collection of a source, with the columns of its records. Everything else about staging is derived from
 * this declaration.
 */
export interface Resource<Table extends string = string, Of extends Columns = Columns> {
  readonly name: string
  readonly table: Table
  readonly id: ColumnOf<Table, string>
  readonly columns: {
    readonly [Name in keyof Of]: ColumnOf<Table, Of[Name] extends Column<infer Type> ? Type : never>
  }
  readonly keys: Keys
}

/** How the keys of a source's records are compared, and which key has the time of the last change. */
export interface Keys {
  /** Key of the time of a record's last change, if the source can be asked for changed records. */
  readonly changedAt?: string
  /** Returns the form of a key in prepared records. */
  readonly keyOf: (key: string) => string
  readonly prepare: (record: JsonObject) => JsonObject
}

export const EXACT_KEYS: Keys = { keyOf: (key) => key, prepare: (record) => record }

/** A row of a staged table, as queries see it. */
export type RowOf<Of> =
  Of extends Resource<string, infer C>
    ? Staged & { readonly [Name in keyof C]: C[Name] extends Column<infer Type> ? Type : never }
    : never

/**
 * Tables of `staging`, with the rows that their resources declare. Each module with a source's resources
 * extends this.
 */
// biome-ignore lint/suspicious/noEmptyInterface: an interface can be extended elsewhere, a type cannot
export interface StagingTables {}

/** The tables of the resources that a module exports. */
export type TablesOf<Module> = {
  readonly [Of in Extract<Module[keyof Module], Resource> as Of['table']]: RowOf<Of>
}

declare module '../../sql/tables.ts' {
  // Queries use these tables together with the product's own.
  interface Tables extends StagingTables {}
}

/**
 * Gives any staging table the type of one staging table, so that kysely accepts it. Callers use only columns
 * that all staging tables have, or columns by name.
 */
export function asAny(table: keyof StagingTables): 'staging.a_users' {
  return table as 'staging.a_users'
}

/**
 * Declares a resource.
 *
 * @param table name of its table in `staging`, for example `a_users`
 * @param id column of the id, which identifies a record from one run to the next
 */
export function resource<const Table extends string, const Of extends Columns>(
  name: string,
  table: Table,
  keys: Keys,
  id: Column<string | null>,
  columns: Of,
): Resource<`staging.${Table}`, Of> {
  const at = <Type>(column: Column<Type>, columnName: string) => ({
    ...column,
    table: `staging.${table}` as const,
    name: columnName,
  })
  return {
    name,
    table: `staging.${table}`,
    id: at(id as Column<string>, 'source_id'),
    columns: Object.fromEntries(
      Object.entries(columns).map(([key, column]) => [key, at(column, key)]),
    ) as unknown as Resource<`staging.${Table}`, Of>['columns'],
    keys,
  }
}

export interface StagedRecord {
  readonly sourceId: StagedValue
  readonly values: Readonly<Record<string, StagedValue>>
  readonly custom: CustomValues
}

/**
 * Makes the function that reads a record. The function reads the id and, unless `isIdOnly` is true, the
 * columns and custom fields. It throws BrokenRuleError if a rule throws.
 */
export function recordReader(
  { id, columns, keys }: Resource,
  context: ReadContext,
  contents: readonly Content[] = [],
): (record: JsonObject, isIdOnly: boolean) => StagedRecord {
  const readCustom = customReader(context.custom ?? {}, contents, keys)
  const readId = columnReader(id, keys, context)
  const readers = Object.values(columns).map(
    (column) => [column.name, boundedReader(column, keys, context)] as const,
  )
  return (record, isIdOnly) => {
    let at = 'its keys'
    try {
      const prepared = keys.prepare(record)
      const values: Record<string, StagedValue> = {}
      for (const [name, read] of isIdOnly ? [] : readers) {
        at = name
        values[name] = read(prepared)
      }
      at = 'its id'
      return { sourceId: readId(prepared), values, custom: isIdOnly ? NO_CUSTOM : readCustom(prepared) }
    } catch (error) {
      throw new BrokenRuleError(at, error)
    }
  }
}

/**
 * A rule of a source threw an error. The message of that error is left out: it may contain personal values.
 */
export class BrokenRuleError extends Error {
  override readonly name = 'BrokenRuleError'

  constructor(at: string, error: unknown) {
    const type = error instanceof Error && /^\w{1,40}$/.test(error.name) ? error.name : 'something'
    super(`the rule for ${at} threw ${type}`)
  }
}

function columnReader(
  { rule, ...column }: Column,
  { keyOf }: Keys,
  context: ReadContext,
): (record: JsonObject) => StagedValue {
  const names = column.keys.map((key) => keyOf(keyIn(key, context)))
  return (record) =>
    rule(
      names.map((name) => valueAt(record, name)),
      context,
    )
}

/**
 * Makes the function that reads a column. It leaves out ids that are too long: no record can have such an id.
 */
function boundedReader(
  column: Column,
  keys: Keys,
  context: ReadContext,
): (record: JsonObject) => StagedValue {
  const read = columnReader(column, keys, context)
  if (column.type !== 'id' && column.type !== 'ids') return read
  return (record) => {
    const found = read(record)
    const { value, warnings } = found
    const isLong = (one: unknown) => typeof one === 'string' && isTooLong(one)
    if (Array.isArray(value) ? !value.some(isLong) : !isLong(value)) return found
    const kept = Array.isArray(value) ? value.filter((one) => !isLong(one)) : null
    return staged(kept, [...warnings, 'left_out'])
  }
}

/** Reads own properties only, since a source may use keys such as `constructor`. */
function valueAt(record: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

export function keyIn(key: string | KeyOption, { fields }: ReadContext): string {
  return typeof key === 'string' ? key : (fields[key.option] ?? key.key)
}

/**
 * Returns the key under which records have their own time zone, from the column `time_zone`; null if the
 * resource does not have this column.
 */
export function zoneKeyOf({ columns }: Resource): string | null {
  const [key] = columns.time_zone === undefined ? [] : shownKeys(columns.time_zone)
  return typeof key === 'string' ? key : null
}

/** Returns the options on which staged records depend. If one of them changes, rows get new versions. */
export function versionInputs(
  { id, columns }: Resource,
  { timeZone, fields, custom = {} }: ReadContext,
  contents: readonly Content[],
): readonly unknown[] {
  const all = [id, ...Object.values(columns)]
  const options = all.flatMap(({ keys }) =>
    keys.flatMap((key) => (typeof key === 'string' ? [] : key.option)),
  )
  const isLocal = all.some(({ type }) => type === 'instant')
  const named = Object.fromEntries(options.map((name) => [name, fields[name]]))
  const ownFields = contents.map((content) => custom[content] ?? {})
  return [
    ...(isLocal ? [timeZone] : []),
    ...(options.length > 0 ? [named] : []),
    ...(ownFields.some((fields) => Object.keys(fields).length > 0) ? [{ custom: ownFields }] : []),
  ]
}

export function erasedValue({ isNullable, type, oneOf }: Column): Cell {
  if (isNullable) return null
  if (oneOf !== null) return oneOf[0] ?? ''
  return type === 'flag' ? false : type === 'text' ? '' : []
}

/** Resolves the columns and options that an SQL expression names. */
export interface RecordContext<Options = unknown> {
  /** Resolves a column of the record, or of a record that is joined to it. */
  at<Type>(column: ColumnOf<string, Type>): RawBuilder<Type>
  readonly options: Options
  /** Integration of the records, for SQL that names other tables. */
  readonly integrationId: string
}
