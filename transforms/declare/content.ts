import { type AliasableExpression, type RawBuilder, sql } from 'kysely'
import type { Content, Db } from '../../sql/tables.ts'
import { PLATFORM, type Platform, type PlatformKind } from '../rules/platform.ts'
import { withAnd } from '../texts/with-and.ts'
import {
  type Decision,
  type DecisionWithFields,
  detailOf,
  droppedWarning,
  evaluatedOnce,
  fieldsOf,
  type MappedTable,
  type Scope,
  syncedOf,
  warningIf,
  warningsAsFields,
} from './contents.ts'
import { CUSTOM_COLUMN, platformName, stagedName } from './custom-fields.ts'
import type {
  ExclusionReason,
  Field,
  FieldsOf,
  Origin,
  ReferenceIds,
  StagedRecords,
  UniqueId,
} from './field.ts'
import { isReasonOfSource, type SourceReason } from './reasons.ts'
import { type ColumnOf, type RecordContext, type Resource, requireColumn } from './resource.ts'

interface ExclusionCondition<Options> {
  readonly reason: SourceReason | `missing_required:${string}`
  /** Makes the SQL of the condition; returns null if the options switch this exclusion off. */
  readonly when: (context: RecordContext<Options>) => RawBuilder<unknown> | null
}

/** A reason for leaving a record out, with an explanation and advice for the organiser. */
export type Exclusion<Options> = ExclusionCondition<Options> & {
  /**
   * True if the record itself states the reason, such as a cancellation. A removal for a reason that the
   * record itself states is not called inferred.
   */
  readonly isAttested?: boolean
} & (
    | ExclusionReason
    | { readonly explanation: (records: StagedRecords, options: Options) => ExclusionReason }
  )

/**
 * Lookup records that are joined to the records of a content. Each record of the content is joined to at most
 * one lookup record.
 */
export interface Lookup<Name extends string = string> {
  readonly resource: Resource
  /** Column with the id of the joined record, in the table of the content's records. */
  readonly by: ColumnOf<string, string | null>
  /** Platform field that is left out if no lookup record has the id. */
  readonly dangling?: Name
}

/**
 * Declares how the records of one resource become the items of one content. Everything else about the items
 * of the content is derived from this declaration.
 */
export interface DeclaredContent<Options> {
  readonly content: Content
  readonly resource: string
  readonly records: Resource
  readonly lookups: Readonly<Record<string, Lookup>>
  readonly beside: readonly Resource[]
  readonly unique: ColumnOf
  readonly uniqueId: UniqueId
  readonly fields: Readonly<Record<string, Field>>
  readonly exclusions: readonly Exclusion<Options>[]
  /**
   * A column in which other records refer to records of this content. A platform field lists the referring
   * records.
   */
  readonly namedBy: Origin | null
  /**
   * Tables from which the platform fields are read, which are the table of the records and the lookup tables.
   */
  readonly mapped: readonly MappedTable[]
  /** Selects every current record with its decision. */
  decisions(db: Db, scope: Scope<Options>): AliasableExpression<Decision>
  /**
   * Selects every current record with its decision, platform fields and detail. Before this query runs, the
   * table `content_decisions` must have the decisions of all contents.
   */
  decisionsWithFields(db: Db, scope: Scope<Options>): AliasableExpression<DecisionWithFields>
}

interface Declaration<Options, Fields, Name extends string>
  extends Pick<DeclaredContent<Options>, 'uniqueId'>,
    Partial<Pick<DeclaredContent<Options>, 'unique' | 'beside'>> {
  readonly fields: Fields
  readonly lookups?: Readonly<Record<string, Lookup<Name>>>
  /** Alias that SQL uses for the table of the record. */
  readonly alias: string
  /**
   * Exclusions in their order. The exclusions in `exclude` are tested before missing required fields are
   * tested.
   */
  readonly exclude?: readonly Exclusion<Options>[]
  readonly excludeLast?: readonly Exclusion<Options>[]
}

/**
 * The arguments that declare a content. The name of the content determines which platform fields must be
 * declared.
 */
export type ContentDeclaration<Options> = {
  [Name in Content]: [
    name: Name,
    records: Resource,
    declaration: Declaration<Options, FieldsOf<Name>, keyof Platform[Name] & string>,
  ]
}[Content]

/**
 * Declares a content of a source.
 *
 * @throws Error if the declaration contradicts itself or the platform's fields; the message says how
 */
export function content<Options = unknown>(
  ...[name, records, declaration]: ContentDeclaration<Options>
): DeclaredContent<Options> {
  const { alias, lookups = {}, beside = [], uniqueId, unique = uniqueId.column } = declaration
  const fields = declaration.fields as Readonly<Record<string, Field>>
  const { exclude = [], excludeLast = [] } = declaration
  const all = { uniqueId, ...fields }
  if (uniqueId.column !== records.id)
    throw new Error(
      `${name} must have the id of the record, ${records.table}.${records.id.name}, as its unique ID, and has ${uniqueId.column.table}.${uniqueId.column.name}`,
    )
  requireSound(name, [records, ...Object.values(lookups).map(({ resource }) => resource), ...beside], all)
  const exclusions = [...exclude, ...excludeLast]
  for (const [index, { reason }] of exclusions.entries()) {
    if (!isReasonOfSource(reason))
      throw new Error(
        `${name} has the reason "${reason}", which the product does not know; a reason of your own is written as "source_reason:NAME", with a name of a-z, 0-9 and _`,
      )
    if (exclusions.findIndex((one) => one.reason === reason) < index)
      throw new Error(`${name} has the reason "${reason}" twice; make one exclusion of them`)
  }
  const mapped = mappedTables(records, lookups, all)
  const columns = usedColumns(records, lookups, all)
  const isOwn = (column: ColumnOf) => requireColumn(column).table === records.table

  function joined({ table }: ColumnOf): string {
    const found = Object.entries(lookups).find(([, { resource }]) => resource.table === table)
    if (found === undefined) throw new Error(`${table} is joined to no record of ${name}`)
    return found[0]
  }
  function inside<Type>(column: ColumnOf<string, Type>): RawBuilder<Type> {
    return sql.ref(`${isOwn(column) ? alias : joined(column)}.${column.name}`)
  }
  function nameOutside(column: ColumnOf): string {
    return `${isOwn(column) ? '' : `${joined(column)}_`}${column.name}`
  }
  /** Refers to a column in SQL outside of the statement that joins the tables. */
  function outside<Type>(column: ColumnOf<string, Type>): RawBuilder<Type> {
    return sql.ref(`${alias}.${nameOutside(column)}`)
  }
  requireOneOfEach(
    [...WORKING_ALIASES, alias, ...Object.keys(lookups)],
    (one) =>
      `${name} uses the alias "${one}" twice; the aliases ${withAnd(WORKING_ALIASES)} belong to the product, so choose another name for the alias or the lookup`,
  )
  requireOneOfEach(
    [
      ...columns.map(nameOutside),
      ...Object.keys(lookups).flatMap((joinedAs) => OF_LOOKUP.map((column) => `${joinedAs}_${column}`)),
    ],
    (one) =>
      `${name} would have two columns "${one}", because columns of a lookup get its name as prefix; rename the lookup or the column`,
  )
  const reason = sql.ref<string | null>(`${alias}.reason`)
  const decision = [
    sql.ref<string>(`${alias}.source_id`).as('source_id'),
    sql.ref<string | null>(`${alias}.unique_id`).as('unique_id'),
    reason.as('reason'),
  ] as const

  const customColumn: ColumnOf = { ...records.id, name: CUSTOM_COLUMN }

  function core(db: Db, { integrationId, options, custom }: Scope<Options>) {
    const used = hasFields(custom?.[name]) ? [...columns, customColumn] : columns
    const at = { at: inside, options, integrationId }
    const of = (table: string, column: string) => sql.ref(`${table}.${column}`)
    const from = db.selectFrom(sql.table(records.table).as<string>(alias))
    const withLookups = Object.entries(lookups).reduce(
      (query, [joinedAs, { resource, by }]) =>
        query.leftJoin(sql.table(resource.table).as<string>(joinedAs), (join) =>
          join
            .on(of(joinedAs, 'integration_id'), '=', of(alias, 'integration_id'))
            .on(of(joinedAs, 'source_id'), '=', inside(by))
            .on(of(joinedAs, 'valid_to_run'), 'is', null),
        ),
      from,
    )
    const ofLookups = Object.keys(lookups).flatMap((joinedAs) =>
      OF_LOOKUP.map((column) => of(joinedAs, column).as(`${joinedAs}_${column}`)),
    )
    return withLookups
      .where(of(alias, 'integration_id'), '=', integrationId)
      .where(of(alias, 'valid_to_run'), 'is', null)
      .select([
        of(alias, 'source_id').as('source_id'),
        inside(unique).as('unique_id'),
        of(alias, 'marks').as('marks'),
        ...used.map((column) => inside(column).as(nameOutside(column))),
        ...ofLookups,
        reasonOf([...exclude, ...missing(all), ...excludeLast], at).as('reason'),
      ])
  }

  /**
   * Finds the flags and ids that exclusions read, with the keys of each. A warning about a column of an
   * exclusion names the key, because no platform field is made from the column.
   */
  function keysRead(context: RecordContext<Options>): Readonly<Record<string, string>> {
    const keys: Record<string, string> = {}
    const at: typeof context.at = (column) => {
      const [key = column.name] = column.keys
      const isKey = column.type === 'id' && key !== records.id.keys[0]
      if (isOwn(column) && (column.type === 'flag' || isKey))
        keys[column.name] = typeof key === 'string' ? key : key.key
      return context.at(column)
    }
    for (const { when } of exclusions) when({ ...context, at })
    return keys
  }

  function decisionsWithFields(db: Db, scope: Scope<Options>): AliasableExpression<DecisionWithFields> {
    const context = { at: outside, options: scope.options, integrationId: scope.integrationId }
    const lists = Object.entries(fields).flatMap(([field, { references }]) =>
      references === undefined ? [] : [{ field, ...references }],
    )
    const composed = lists.filter(({ compose }) => compose !== undefined)
    const idsOf = ({ field, compose, from }: ReferenceIds & { readonly field: string }) =>
      compose !== undefined
        ? sql.ref<readonly string[]>(`named.${field}`)
        : from === null
          ? sql<readonly string[]>`array[${sql.ref(`${alias}.unique_id`)}]`
          : outside(from)
    const read = db.selectFrom(core(db, scope).as(alias))
    const named =
      composed.length === 0
        ? read
        : read.crossJoinLateral(
            evaluatedOnce(
              db,
              composed.map((list) => (list.compose?.(context, alias) ?? idsOf(list)).as(list.field)),
            ).as('named'),
          )
    const synced =
      lists.length === 0
        ? named
        : named.crossJoinLateral(
            evaluatedOnce(
              db,
              lists.map((list) =>
                syncedOf(idsOf(list), list.content, scope, reason, list.from !== null).as(list.field),
              ),
            ).as('synced'),
          )
    const kept = (field: string) => sql.ref<readonly string[]>(`synced.${field}`)
    const own = Object.keys(scope.custom?.[name] ?? {}).map(
      (field) => [stagedName(name, field), platformName(field)] as const,
    )
    const warnings = [
      ...mapped.map(({ table, fieldOf }) =>
        warningsAsFields(
          outside({ ...records.id, table, name: 'marks' }),
          table === records.table
            ? { ...keysRead(context), ...fieldOf, ...Object.fromEntries(own) }
            : fieldOf,
        ),
      ),
      ...Object.entries(fields).flatMap(([field, { status }]) =>
        status === undefined
          ? []
          : [warningIf(sql`${outside(status)} = 'ambiguous'`, `ambiguous_time:${field}`)],
      ),
      ...Object.entries(lookups).flatMap(([joinedAs, { by, dangling }]) =>
        dangling === undefined
          ? []
          : [
              warningIf(
                sql`${outside(by)} is not null and ${sql.ref(`${alias}.${joinedAs}_source_id`)} is null`,
                `dangling_reference:${dangling}`,
              ),
            ],
      ),
      ...lists.map((list) => droppedWarning(list.field, idsOf(list), kept(list.field), reason)),
    ]
    const values = Object.fromEntries(
      Object.entries(fields).map(([field, { value }]) => [
        field,
        value(context as RecordContext<never>, kept(field)),
      ]),
    )
    if (own.length > 0) values.custom = sql`${outside(customColumn)} -> ${sql.lit(name)}`
    return synced.select([
      ...decision,
      detailOf(...warnings).as('detail'),
      sql`case when ${reason} is null then ${fieldsOf(values)} end`.as('fields'),
    ])
  }

  return {
    content: name,
    resource: records.name,
    records,
    lookups,
    beside,
    unique,
    uniqueId,
    fields,
    mapped,
    exclusions,
    namedBy: Object.values(fields).find(({ references }) => references?.namedBy)?.references?.namedBy ?? null,
    decisions: (db, scope) => db.selectFrom(core(db, scope).as(alias)).select(decision),
    decisionsWithFields,
  }
}

/** Aliases that the SQL of each content uses besides those of the declaration. */
const WORKING_ALIASES = ['named', 'synced'] as const
/** Columns of each lookup record that the SQL of a content uses besides the declared columns. */
const OF_LOOKUP = ['source_id', 'marks'] as const

function requireOneOfEach(names: readonly string[], messageOf: (name: string) => string): void {
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice !== undefined) throw new Error(messageOf(twice))
}

function requireSound(
  name: Content,
  resources: readonly Resource[],
  fields: Readonly<Record<string, Field>>,
): void {
  const platform = Object.entries<PlatformKind>(PLATFORM[name])
  for (const [field, { kind, isRequired }] of platform) {
    const declared = fields[field]
    if (declared === undefined && isRequired)
      throw new Error(`${name} lacks "${field}", without which there is no item`)
    if (declared === undefined) continue
    if (declared.kind !== kind)
      throw new Error(`${field} of ${name} is declared as "${declared.kind}" and must be "${kind}"`)
    if (isRequired && declared.isMissing === undefined)
      throw new Error(`${field} of ${name} must be required: there is no item without it`)
  }
  for (const [field, { references }] of Object.entries(fields)) {
    const wide = [references?.from, references?.namedBy?.column].find(
      (column) => column && column.type !== 'ids',
    )
    if (wide)
      throw new Error(
        `${field} of ${name} is made of ${wide.table}.${wide.name}, which must be a column of ids: their length is bounded`,
      )
  }
  const tables = resources.map(({ table }) => table)
  for (const [field, { from, also }] of Object.entries(fields)) {
    if (field !== 'uniqueId' && !platform.some(([known]) => known === field)) {
      throw new Error(
        `${name} has no platform field "${field}"; a field of your own is configured under "fields"`,
      )
    }
    const strange = [...from, ...also].find(({ column }) => !tables.includes(column.table))?.column
    if (strange !== undefined) {
      throw new Error(
        `${field} of ${name} is made of ${strange.table}.${strange.name}, whose resource is not among its records, "lookups" and "beside"`,
      )
    }
  }
}

function hasFields(fields: Readonly<Record<string, unknown>> | undefined): boolean {
  return fields !== undefined && Object.keys(fields).length > 0
}

/**
 * Returns the conditions for missing required fields, in the order of the fields, with the unique ID last.
 */
function missing({
  uniqueId,
  ...fields
}: Readonly<Record<string, Field>>): readonly ExclusionCondition<unknown>[] {
  return [...Object.entries(fields), ['uniqueId', uniqueId] as const].flatMap(([name, field]) =>
    field?.isMissing === undefined ? [] : { reason: `missing_required:${name}`, when: field.isMissing },
  )
}

function reasonOf<Options>(
  conditions: readonly ExclusionCondition<Options>[],
  context: RecordContext<Options>,
): RawBuilder<string | null> {
  const cases = conditions.flatMap(({ reason, when }) => {
    const condition = when(context)
    return condition === null ? [] : [sql`when ${condition} then ${sql.lit(reason)}`]
  })
  return cases.length === 0 ? sql`null::text` : sql`case ${sql.join(cases, sql` `)} end`
}

function mappedTables(
  records: Resource,
  lookups: Readonly<Record<string, Lookup>>,
  fields: Readonly<Record<string, Field>>,
): readonly MappedTable[] {
  const resources = [records, ...Object.values(lookups).map(({ resource }) => resource)]
  return resources.flatMap(({ table, id, columns }) => {
    const fieldOf: Record<string, string> = {}
    const lists: string[] = []
    for (const { name, type } of [id, ...Object.values(columns)]) {
      const field = Object.entries(fields).find(([, { from }]) =>
        from.some(({ column }) => column.table === table && column.name === name),
      )
      if (field === undefined) continue
      fieldOf[name] = field[0]
      if (type === 'ids' || type === 'texts') lists.push(name)
    }
    return Object.keys(fieldOf).length === 0 ? [] : [{ table: table as MappedTable['table'], fieldOf, lists }]
  })
}

/**
 * Returns the columns that the statement with the joined tables reads, except columns that every staged table
 * has.
 */
function usedColumns(
  records: Resource,
  lookups: Readonly<Record<string, Lookup>>,
  fields: Readonly<Record<string, Field>>,
): readonly ColumnOf[] {
  const tables = [records.table, ...Object.values(lookups).map(({ resource }) => resource.table)]
  const named = [
    ...Object.values(lookups).map(({ by }) => by),
    ...Object.values(fields).flatMap(({ from, status }) => [
      ...from.map(({ column }) => column),
      ...(status === undefined ? [] : [status]),
    ]),
  ]
  const used = new Map(named.map((column) => [`${column.table}.${column.name}`, column]))
  return [...used.values()].filter(({ table, name }) => name !== 'source_id' && tables.includes(table))
}
