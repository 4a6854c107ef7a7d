import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Content } from '../../sql/tables.ts'
import type { FieldKind, Platform } from '../rules/platform.ts'
import type { Instant } from './column.ts'
import { listField, timeField } from './contents.ts'
import type { ColumnOf, RecordContext, StagingTables } from './resource.ts'

/** A column that a field's value comes from; of one that is read from several keys, perhaps one of these alone. */
export interface Origin {
  readonly column: ColumnOf
  readonly key?: string
}

export interface ReferenceIds {
  readonly content: Content
  /** Column that has them; null if the item names the one with its unique ID. */
  readonly from: ColumnOf | null
  readonly namedBy?: Origin
  /** All that are named, where not only the column names them. */
  readonly compose?: (context: RecordContext, alias: string) => RawBuilder<readonly string[]>
}

/** A platform field, or the unique ID: where its value comes from, and the rule that makes it. */
export interface Field<Kind extends FieldKind = FieldKind> {
  readonly kind: Kind
  /** Clause of the specification, such as `2.2.3`; for another source, where its own documentation has the field. */
  readonly clause: string
  readonly rule: string
  /** Columns that become this field: what was noticed of them is said of it. */
  readonly from: readonly Origin[]
  /** Columns that count as well. */
  readonly also: readonly Origin[]
  readonly isMissing?: (context: RecordContext) => RawBuilder<unknown>
  /** Says that it is missing, for people; left out: in the words of the source. */
  readonly missing?: MissingWords
  readonly status?: ColumnOf
  readonly references?: ReferenceIds
  /** @param kept ids of references that are synced */
  readonly value: (context: RecordContext<never>, kept: RawBuilder<readonly string[]>) => RawBuilder<unknown>
}

/** A field without which no item exists. */
export type RequiredField<Kind extends FieldKind = FieldKind> = Field<Kind> &
  Required<Pick<Field, 'isMissing'>>

/** The unique ID, and the column that has it. */
export type UniqueId = Field<'text'> & Pick<Origin, 'column'>

/** The fields that a content may have, and those that it must have. */
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

const REQUIRED = 'The text, trimmed; without it the record is left out.'
const OPTIONAL = 'The text, trimmed; left out where it is blank.'
const ID = 'The id, digits as written.'
/** Part of the rule of an address of a file. */
export const SIGNED = 'A new signature alone is not a change.'
export const HTML = 'The text, trimmed, with its HTML; left out where it is blank.'

/** A column without which no item exists. */
export function required(column: TextColumn, clause: string, missing?: MissingWords): RequiredField<'text'> {
  return {
    ...optional(column, clause, REQUIRED),
    isMissing: ({ at }) => sql`${at(column)} is null`,
    ...(missing === undefined ? {} : { missing }),
  }
}

/** A column that is left out where it has no value, or is an empty list. */
export function optional<Type extends string | null | readonly string[]>(
  column: ColumnOf<string, Type>,
  clause: string,
  rule: string = OPTIONAL,
): Field<Type extends readonly string[] ? 'texts' : 'text'> {
  const isList = column.type === 'ids' || column.type === 'texts'
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

/** @param time one of the two columns that `time` makes; the other says how it was read */
export function instant(
  time: ColumnOf<string, Instant | null>,
  clause: string,
  rule: string,
  more: Origins & Partial<Pick<Field, 'missing'>> = {},
): RequiredField<'time'> {
  const status = { ...time, name: `${time.name}_status` }
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

/** @param made the value, and if it comes from */
export function computed<IsList extends boolean = false>(
  clause: string,
  rule: string,
  made: Origins & { readonly isList?: IsList } & Pick<Field, 'value'>,
): Field<IsList extends true ? 'texts' : 'text'> {
  const kind = (made.isList === true ? 'texts' : 'text') as IsList extends true ? 'texts' : 'text'
  return { kind, clause, rule, from: [], also: [], ...made }
}

/** A list of items, of which those that are synced are named. */
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

/** The item of another content that has the same unique ID, if it is synced. */
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

/** The record that was decided on, and those that are joined to it, as staged; none if the source has none. */
export type StagedRecords = { readonly [Table in keyof StagingTables]?: Selectable<StagingTables[Table]> } & {
  readonly [table: string]: Readonly<Record<string, unknown>> | undefined
}

export interface Excluded {
  readonly content: Content
  readonly reason: string
  readonly records: StagedRecords
}
