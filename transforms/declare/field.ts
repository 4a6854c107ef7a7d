import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Content } from '../../sql/tables.ts'
import type { FieldKind, Platform } from '../rules/platform.ts'
import type { Instant } from './column.ts'
import { listField, timeField } from './contents.ts'
import { type ColumnOf, type RecordContext, requireColumn, type StagingTables } from './resource.ts'

/**
 * A column from which a field's value is made. If `key` is set, the value is made only from this key of the
 * column.
 */
export interface Origin {
  readonly column: ColumnOf
  readonly key?: string
}

export interface ReferenceIds {
  readonly content: Content
  /**
   * Column with the ids of the referenced items. `from` is null if the item refers to the item of the other
   * content with the same unique ID.
   */
  readonly from: ColumnOf | null
  readonly namedBy?: Origin
  /** Makes SQL for the list of all ids, if other columns contribute ids too. */
  readonly compose?: (context: RecordContext, alias: string) => RawBuilder<readonly string[]>
}

/**
 * Declares a platform field or the unique ID: where its value comes from, and the rule that makes the value.
 */
export interface Field<Kind extends FieldKind = FieldKind> {
  readonly kind: Kind
  /**
   * Clause of the specification, for example `2.2.3`. For a source of your own, the clause is a place in the
   * documentation of that source.
   */
  readonly clause: string
  readonly rule: string
  /**
   * Columns from which this field is made. A warning of one of these columns becomes a warning of the field.
   */
  readonly from: readonly Origin[]
  /** Further columns that influence the value. */
  readonly also: readonly Origin[]
  readonly isMissing?: (context: RecordContext) => RawBuilder<unknown>
  /**
   * Explanation and advice for an item on which the field is missing. If the explanation or the advice is
   * left out, a default text is used.
   */
  readonly missing?: MissingWords
  readonly status?: ColumnOf
  readonly references?: ReferenceIds
  /** @param kept SQL for the ids of those referenced items that are synced */
  readonly value: (context: RecordContext<never>, kept: RawBuilder<readonly string[]>) => RawBuilder<unknown>
}

/** A field that every item must have. */
export type RequiredField<Kind extends FieldKind = FieldKind> = Field<Kind> &
  Required<Pick<Field, 'isMissing'>>

/** The declaration of the unique ID, with the column that contains it. */
export type UniqueId = Field<'text'> & Pick<Origin, 'column'>

/**
 * The declarations of all fields of a content. Optional fields may be left out of the declaration, required
 * fields may not.
 */
export type FieldsOf<Name extends Content> = {
  readonly [Key in keyof Platform[Name] as IsRequired<Platform[Name][Key]> extends true
    ? Key
    : never]: RequiredField<KindOf<Platform[Name][Key]>>
} & {
  readonly [Key in keyof Platform[Name] as IsRequired<Platform[Name][Key]> extends true
    ? never
    : Key]?: Field<KindOf<Platform[Name][Key]>>
}
type IsRequired<Of> = Of extends { readonly isRequired: infer Is } ? Is : never
type KindOf<Of> = Of extends { readonly kind: infer Kind extends FieldKind } ? Kind : never

/** A column of texts. */
type TextColumn = ColumnOf<string, string | null>
type TextsColumn = ColumnOf<string, readonly string[]>

interface Origins {
  readonly from?: readonly Origin[]
  readonly also?: readonly Origin[]
}

type MissingWords = Partial<ExclusionReason> | ((records: StagedRecords) => ExclusionReason)

const REQUIRED = 'The text, trimmed. A record without this text is left out.'
const OPTIONAL = 'The text, trimmed. If the text is blank, the field is left out.'
const ID = 'The id of the record, with all digits as the source writes them.'
/** Sentence for the rules of fields that contain addresses of files. */
export const SIGNED = 'A new signature in an address does not count as a change.'
export const HTML = 'The text, trimmed, including its HTML. If the text is blank, the field is left out.'

/**
 * Declares a required field whose value comes from a column. A record is left out of the sync if the column
 * has no value.
 */
export function required(column: TextColumn, clause: string, missing?: MissingWords): RequiredField<'text'> {
  return {
    ...optional(column, clause, REQUIRED),
    isMissing: ({ at }) => sql`${at(column)} is null`,
    ...(missing === undefined ? {} : { missing }),
  }
}

/**
 * Declares an optional field whose value comes from a column. The item lacks the field if the column has no
 * value or an empty list.
 */
export function optional<Type extends string | null | readonly string[]>(
  column: ColumnOf<string, Type>,
  clause: string,
  rule: string = OPTIONAL,
): Field<Type extends readonly string[] ? 'texts' : 'text'> {
  const { type } = requireColumn(column)
  const isList = type === 'ids' || type === 'texts'
  const kind = (isList ? 'texts' : 'text') as Type extends readonly string[] ? 'texts' : 'text'
  const value: Field['value'] = ({ at }) => (isList ? listField(at(column)) : at(column))
  return { kind, clause, rule, from: [{ column }], also: [], value }
}

export function uniqueId(
  from: Origin,
  clause: string,
  rule: string = ID,
  more: Partial<Pick<Field, 'also' | 'isMissing' | 'missing'>> = {},
): UniqueId {
  const { column } = from
  return {
    kind: 'text',
    column,
    clause,
    rule,
    from: [from],
    also: [],
    value: ({ at }) => at(column),
    ...more,
  }
}

/**
 * @param time the column with the instant; the function `time` makes this column and a column with the status
 */
export function instant(
  time: ColumnOf<string, Instant | null>,
  clause: string,
  rule: string,
  more: Origins & Partial<Pick<Field, 'missing'>> = {},
): RequiredField<'time'> {
  const status = { ...time, name: `${requireColumn(time).name}_status` }
  return {
    kind: 'time',
    clause,
    rule,
    from: [{ column: time }],
    also: [],
    status,
    isMissing: ({ at }) => sql`coalesce(${at(status)}, 'absent') = 'absent'`,
    value: ({ at }) => timeField(at(time)),
    ...more,
  }
}

/** @param made SQL for the value, and the columns from which the value is made */
export function computed<IsList extends boolean = false>(
  clause: string,
  rule: string,
  made: Origins & { readonly isList?: IsList } & Pick<Field, 'value'>,
): Field<IsList extends true ? 'texts' : 'text'> {
  const kind = (made.isList === true ? 'texts' : 'text') as IsList extends true ? 'texts' : 'text'
  return { kind, clause, rule, from: [], also: [], ...made }
}

/** Declares a field with a list of references to items. The field lists only items that are synced. */
export function references<Name extends Content>(
  { from, ...ids }: ReferenceIds & { readonly content: Name; readonly from: TextsColumn },
  clause: string,
  rule: string,
  also: readonly Origin[] = [],
): Field<`ids of ${Name}`> {
  const value: Field['value'] = (_, kept) => listField(kept)
  const kind = `ids of ${ids.content}` as const
  return { kind, clause, rule, from: [{ column: from }], also, references: { from, ...ids }, value }
}

/**
 * Declares a field that refers to the item with the same unique ID in another content. The item has the
 * reference only if the other item is synced.
 */
export function counterpart<Name extends Content>(
  content: Name,
  clause: string,
  rule: string,
  of: Origin,
): Field<`id of ${Name}`> {
  const value: Field['value'] = (_, kept) => sql`${kept}[1]`
  const kind = `id of ${content}` as const
  return { kind, clause, rule, from: [], also: [of], references: { content, from: null }, value }
}

export interface ExclusionReason {
  readonly why: string
  readonly todo: string
  readonly columns: readonly ColumnOf[]
}

/**
 * The staged record on which a decision was made, and the records that are joined to it, by table name. A
 * table has no key in this object if no record of the table is joined.
 */
export type StagedRecords = { readonly [Table in keyof StagingTables]?: Selectable<StagingTables[Table]> } & {
  readonly [table: string]: Readonly<Record<string, unknown>> | undefined
}

export interface Excluded {
  readonly content: Content
  readonly reason: string
  readonly records: StagedRecords
}
