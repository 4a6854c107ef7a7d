import { sql } from 'kysely'
import type { Db } from './tables.ts'

export interface Dictionary {
  readonly schemas: readonly DescribedSchema[]
}

export interface DescribedSchema {
  readonly name: string
  readonly meaning: string
  readonly relations: readonly DescribedRelation[]
  readonly functions: readonly DescribedFunction[]
}

export interface DescribedRelation {
  readonly name: string
  readonly kind: 'table' | 'view'
  readonly meaning: string
  /** Primary key of a table; for a view, the columns that its comment names as the key. */
  readonly key: readonly string[]
  readonly columns: readonly DescribedColumn[]
}

export interface DescribedColumn {
  readonly name: string
  readonly type: string
  readonly meaning: string
  readonly personal: boolean
  /** All values that the column can have; empty if its comment does not list them. */
  readonly values: readonly string[]
  /** The column to which this column leads, together with `integration_id`. */
  readonly joins: ColumnReference | null
}

export interface ColumnReference {
  readonly schema: string
  readonly relation: string
  readonly column: string
}

export interface DescribedFunction {
  readonly name: string
  readonly takes: string
  readonly returns: string
  readonly meaning: string
  readonly personal: boolean
}

type ColumnRow = Pick<DescribedColumn, 'name' | 'type' | 'meaning'>
type RelationRow = Omit<DescribedRelation, 'columns'> & { readonly columns: readonly ColumnRow[] }
type FunctionRow = Omit<DescribedFunction, 'personal'>

/** The dictionary as the query returns it: comments are not parsed yet. */
interface DictionaryRow {
  readonly schemas: readonly (Pick<DescribedSchema, 'name' | 'meaning'> & {
    readonly relations: readonly RelationRow[]
    readonly functions: readonly FunctionRow[]
  })[]
}

/** The product's database schemas; schemas for readers come first. */
const SCHEMAS = ['published', 'staging', 'sync', 'incoming', 'migration'] as const

/** Text at the end of a database comment, for a column or function that may contain personal values. */
const PERSONAL = ' Personal.'

/**
 * Reads the dictionary (tables and columns with comments) of a database whose schema is up to date. The
 * tables of schema `incoming` are left out, because they belong to runs in progress.
 */
export async function readDictionary(db: Db): Promise<Dictionary> {
  const { rows } = await sql<{ dictionary: DictionaryRow }>`
    with ours as (
      select namespace.oid, namespace.nspname as name, wanted.place
      from unnest(${sql.val([...SCHEMAS])}::text[]) with ordinality as wanted (name, place)
      join pg_namespace as namespace
        on namespace.nspname = wanted.name
    ),
    relations as (
      select
        relation.relnamespace as schema,
        relation.relname as name,
        jsonb_build_object(
          'name', relation.relname,
          'kind', case relation.relkind when 'v' then 'view' else 'table' end,
          'meaning', coalesce(obj_description(relation.oid, 'pg_class'), ''),
          'key', coalesce((
            select jsonb_agg(attribute.attname order by position.place)
            from pg_constraint as key
            cross join lateral unnest(key.conkey) with ordinality as position (number, place)
            join pg_attribute as attribute
              on attribute.attrelid = relation.oid
              and attribute.attnum = position.number
            where key.conrelid = relation.oid
              and key.contype = 'p'
          ), '[]'),
          'columns', (
            select jsonb_agg(
              jsonb_build_object(
                'name', attribute.attname,
                'type', format_type(attribute.atttypid, attribute.atttypmod),
                'meaning', coalesce(col_description(relation.oid, attribute.attnum), '')
              )
              order by attribute.attnum
            )
            from pg_attribute as attribute
            where attribute.attrelid = relation.oid
              and attribute.attnum > 0
              and not attribute.attisdropped
          )
        ) as described
      from pg_class as relation
      join ours
        on ours.oid = relation.relnamespace
      where relation.relkind in ('r', 'v')
        and ours.name <> 'incoming'
    ),
    functions as (
      select
        function.pronamespace as schema,
        function.proname as name,
        jsonb_build_object(
          'name', function.proname,
          'takes', pg_get_function_arguments(function.oid),
          'returns', pg_get_function_result(function.oid),
          'meaning', coalesce(obj_description(function.oid, 'pg_proc'), '')
        ) as described
      from pg_proc as function
      join ours
        on ours.oid = function.pronamespace
    )
    select jsonb_build_object('schemas', jsonb_agg(
      jsonb_build_object(
        'name', ours.name,
        'meaning', coalesce(obj_description(ours.oid, 'pg_namespace'), ''),
        'relations', coalesce((
          select jsonb_agg(described order by relations.name collate "C") from relations where schema = ours.oid
        ), '[]'),
        'functions', coalesce((
          select jsonb_agg(described order by functions.name collate "C", described ->> 'takes' collate "C") from functions where schema = ours.oid
        ), '[]')
      )
      order by ours.place
    )) as dictionary
    from ours`.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error('the database has no schema of the product')
  return parseComments(row.dictionary)
}

function parseComments({ schemas }: DictionaryRow): Dictionary {
  return {
    schemas: schemas.map((schema) => ({
      ...schema,
      relations: schema.relations.map(parseRelation),
      functions: schema.functions.map(parsePersonal),
    })),
  }
}

function parsePersonal<Commented extends { readonly meaning: string }>(described: Commented) {
  const personal = described.meaning.endsWith(PERSONAL)
  const meaning = personal ? described.meaning.slice(0, -PERSONAL.length) : described.meaning
  return { ...described, meaning, personal }
}

/** Text at the end of the comment of a view, because views have no primary key. */
const KEY = / Key: (?<columns>[a-z_]+(?:, [a-z_]+)*)\.$/

function parseRelation(relation: RelationRow): DescribedRelation {
  const columns = KEY.exec(relation.meaning)?.groups?.columns
  return {
    ...relation,
    meaning: relation.meaning.replace(KEY, ''),
    key: columns?.split(', ') ?? relation.key,
    columns: relation.columns.map(parsePersonal).map((column) => ({
      ...column,
      values: valuesIn(column.meaning),
      joins: joinIn(column),
    })),
  }
}

/** Text at the end of the comment of a column that has only these values. */
const VALUES = / One of: (?<values>[a-z_ ]+(?:, [a-z_ ]+)*)\.$/

function valuesIn(meaning: string): readonly string[] {
  return VALUES.exec(meaning)?.groups?.values?.split(', ') ?? []
}

/** A comment such as `Unique ID of the session; joins published.agenda.unique_id.` */
const JOINS = /; joins (?<schema>\w+)\.(?<relation>\w+)(?:\.(?<column>\w+))?\.$/

function joinIn({ name, meaning }: ColumnRow): ColumnReference | null {
  const { schema, relation, column = name } = JOINS.exec(meaning)?.groups ?? {}
  return schema === undefined || relation === undefined ? null : { schema, relation, column }
}
