import type { RawBuilder } from 'kysely'
import type { Cell } from '../../sql/database.ts'
import type { Content, Staged } from '../../sql/tables.ts'
import { isTooLong } from '../rules/references.ts'
import type { Json, JsonObject } from '../rules/values.ts'
import { nearest } from '../texts/nearest.ts'
import { placeInCode } from '../texts/place-in-code.ts'
import { withAnd } from '../texts/with-and.ts'
import {
  type Column,
  type KeyOption,
  type ReadContext,
  type StagedValue,
  shownKeys,
  staged,
} from './column.ts'
import { type CustomValues, customReader, NO_CUSTOM } from './custom-fields.ts'

/** A staged column that knows its table and name. */
export type ColumnOf<Table extends string = string, Type = unknown> = Column<Type> & {
  readonly table: Table
  readonly name: string
}

type Columns = Readonly<Record<string, Column>>

/**
 * One collection of records at a source, with the columns that are read from each record. Everything else
 * about the staged table is derived from this declaration.
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

/** How a source compares keys of records, and which key has the time of a record's last change. */
export interface Keys {
  /**
   * Key with the time of a record's last change. The key is declared only if the source can return just the
   * changed records.
   */
  readonly changedAt?: string
  /** Returns the form that a key has in a prepared record. */
  readonly keyOf: (key: string) => string
  readonly prepare: (record: JsonObject) => JsonObject
}

export const EXACT_KEYS: Keys = { keyOf: (key) => key, prepare: (record) => record }

/** Type of a row that a query reads from a staged table. */
export type RowOf<Of> =
  Of extends Resource<string, infer C>
    ? Staged & { readonly [Name in keyof C]: C[Name] extends Column<infer Type> ? Type : never }
    : never

/**
 * The tables of schema `staging`, with the row types that their resources declare. Each module that declares
 * the resources of a source extends this interface.
 */
// biome-ignore lint/suspicious/noEmptyInterface: an interface can be extended elsewhere, a type cannot
export interface StagingTables {}

/** The tables of all resources that a module exports. */
export type TablesOf<Module> = {
  readonly [Of in Extract<Module[keyof Module], Resource> as Of['table']]: RowOf<Of>
}

declare module '../../sql/tables.ts' {
  // The extension lets queries use staged tables together with the product's own tables.
  interface Tables extends StagingTables {}
}

/**
 * Gives any staged table the type of one particular staged table, so that kysely accepts it in a query.
 * Callers may use only columns that every staged table has, or columns whose names they compute.
 */
export function asAny(table: keyof StagingTables): 'staging.a_users' {
  return table as 'staging.a_users'
}

/**
 * Declares a resource.
 *
 * @param table name of the resource's table in schema `staging`, for example `a_users`
 * @param id column with the id, by which later runs recognise a record
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
    columns: onlyKnown(
      name,
      Object.fromEntries(Object.entries(columns).map(([key, column]) => [key, at(column, key)])),
    ) as unknown as Resource<`staging.${Table}`, Of>['columns'],
    keys,
  }
}

/** Properties that `await` and `JSON.stringify` ask of every object. */
const ASKED_OF_EVERY_OBJECT = ['then', 'toJSON']

/**
 * Refuses columns that a resource does not have. Without this check, a misspelt column would be undefined, in
 * source files that TypeScript does not check.
 */
function onlyKnown(resource: string, columns: Readonly<Record<string, ColumnOf>>) {
  return new Proxy(columns, {
    get: function get(target, name, receiver) {
      if (typeof name === 'string' && !(name in target) && !ASKED_OF_EVERY_OBJECT.includes(name)) {
        const known = Object.keys(target)
        const meant = nearest(name, known)
        const hint = meant === undefined ? `its columns are ${withAnd(known)}` : `did you mean ${meant}?`
        const error = new UnknownColumnError(`${resource} has no column "${name}"; ${hint}`)
        // The stack begins in the file that names the column.
        Error.captureStackTrace(error, get)
        throw error
      }
      return Reflect.get(target, name, receiver)
    },
  })
}

/** Thrown if the code of a source names a column that does not exist. */
export class UnknownColumnError extends Error {
  override readonly name = 'UnknownColumnError'
}

/** Describes in a message how the code of a source names a column. */
export const COLUMN_OF_RESOURCE = 'a column of a resource, such as rooms.columns.name and not rooms.name'

export function isColumn(value: unknown): value is ColumnOf {
  return typeof Reflect.get(Object(value), 'type') === 'string'
}

/** Refuses another value than a column, in source files that TypeScript does not check. */
export function requireColumn<Of extends ColumnOf>(column: Of): Of {
  if (isColumn(column)) return column
  throw new UnknownColumnError(`a field or a condition has ${typeof column} instead of ${COLUMN_OF_RESOURCE}`)
}

export interface StagedRecord {
  readonly sourceId: StagedValue
  readonly values: Readonly<Record<string, StagedValue>>
  readonly custom: CustomValues
}

/**
 * Makes the function that reads a record into staged values. The function always reads the id. The function
 * reads the columns and custom fields too, except if `isIdOnly` is true. The function throws BrokenRuleError
 * if a rule of a column throws an error.
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
 * Thrown if a rule of a source has thrown an error. The message of the original error is not included,
 * because it may contain personal values.
 */
export class BrokenRuleError extends Error {
  override readonly name = 'BrokenRuleError'

  constructor(at: string, error: unknown) {
    const type = error instanceof Error && /^\w{1,40}$/.test(error.name) ? error.name : 'something'
    super(`the rule for ${at} threw ${type}${placeInCode(error)}`)
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
 * Makes the function that reads the value of a column. Ids that are too long are left out of the value,
 * because no record can have such an id.
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

/**
 * Reads only an object's own properties, because a source may use keys such as `constructor`, which every
 * object inherits.
 */
function valueAt(record: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

export function keyIn(key: string | KeyOption, { fields }: ReadContext): string {
  return typeof key === 'string' ? key : (fields[key.option] ?? key.key)
}

/**
 * Returns the key under which records have their own time zone, as the column `time_zone` declares it.
 * Returns null if the resource has no such column.
 */
export function zoneKeyOf({ columns }: Resource): string | null {
  const [key] = 'time_zone' in columns ? shownKeys(columns.time_zone) : []
  return typeof key === 'string' ? key : null
}

/**
 * Returns the options that influence staged records. If one of the options changes, all rows get new
 * versions.
 */
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

/** Provides the columns and options that the SQL of a condition or field may use. */
export interface RecordContext<Options = unknown> {
  /** Returns SQL for a column of the record, or of a record that is joined to it. */
  at<Type>(column: ColumnOf<string, Type>): RawBuilder<Type>
  readonly options: Options
  /** Id of the integration to which the records belong, for SQL that reads other tables too. */
  readonly integrationId: string
}
