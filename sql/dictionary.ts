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
  readonly key: readonly string[]
  readonly columns: readonly DescribedColumn[]
}

export interface DescribedColumn {
  readonly name: string
  readonly type: string
  readonly meaning: string
  readonly personal: boolean
}

export interface DescribedFunction {
  readonly name: string
  readonly takes: string
  readonly returns: string
  readonly meaning: string
  readonly personal: boolean
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
  const { rows } = await sql<{ dictionary: Dictionary }>`
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
          select jsonb_agg(described order by functions.name collate "C") from functions where schema = ours.oid
        ), '[]')
      )
      order by ours.place
    )) as dictionary
    from ours`.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error('the database has no schema of the product')
  return markPersonal(row.dictionary)
}

function markPersonal({ schemas }: Dictionary): Dictionary {
  const marked = <Described extends { readonly meaning: string }>(described: Described) => {
    const personal = described.meaning.endsWith(PERSONAL)
    const meaning = personal ? described.meaning.slice(0, -PERSONAL.length) : described.meaning
    return { ...described, meaning, personal }
  }
  return {
    schemas: schemas.map((schema) => ({
      ...schema,
      relations: schema.relations.map((relation) => ({ ...relation, columns: relation.columns.map(marked) })),
      functions: schema.functions.map(marked),
    })),
  }
}
