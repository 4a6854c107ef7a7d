import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../sql/tables.ts'

interface Line {
  readonly line: string
}

/**
 * Lists all database objects that the migrations and views have created. The list is sorted, so that every
 * engine and version leads to the same text. For a view only its columns are listed: versions of PostgreSQL
 * print its query differently, and `sql/views` contains the query anyway.
 */
export async function dumpSchema(db: Kysely<Tables>): Promise<string> {
  const lines = [
    '-- Made by `npm run dictionary` from a migrated database; a test fails where the two differ.',
    '',
  ]
  for (const [title, part] of PARTS) {
    const { rows } = await part.execute(db)
    lines.push(`-- ${title}`, '', ...rows.map(({ line }) => line), '')
  }
  return `${lines.join('\n').trimEnd()}\n`
}

/** Condition for all schemas that do not belong to the engine. */
const OURS = sql`namespace.nspname not in ('public', 'information_schema') and namespace.nspname not like 'pg\\_%'`

const SCHEMAS = sql<Line>`
  select format('create schema %I;', nspname) as line
  from pg_namespace as namespace
  where ${OURS}
  order by nspname collate "C"`

const TABLES = sql<Line>`
  select
    format(E'create table %I.%I (\n%s\n);\n', nspname, relname, string_agg(
      format('  %I %s%s%s%s', attname, format_type(atttypid, atttypmod),
        case when attcollation not in (0, (select oid from pg_collation where collname = 'default')) then
          (select format(' collate %I', collname) from pg_collation where oid = attcollation)
        end,
        case when attnotnull then ' not null' end,
        (select ' default ' || pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = attrelid and adnum = attnum)),
      E',\n' order by attnum)) as line
  from pg_class as relation
  join pg_namespace as namespace
    on namespace.oid = relnamespace
  join pg_attribute
    on attrelid = relation.oid and attnum > 0 and not attisdropped
  where ${OURS} and relkind in ('r', 'p')
  group by nspname, relname
  order by nspname collate "C", relname collate "C"`

/**
 * PostgreSQL 18 also lists `not null` as a constraint. Constraints of the kind `not null` are left out,
 * because the list of columns shows which columns may be null.
 */
const CONSTRAINTS = sql<Line>`
  select
    format('alter table %I.%I add constraint %I %s;', nspname, relname, conname, pg_get_constraintdef(rule.oid)) as line
  from pg_constraint as rule
  join pg_class as relation
    on relation.oid = conrelid
  join pg_namespace as namespace
    on namespace.oid = relnamespace
  where ${OURS} and contype <> 'n'
  order by nspname collate "C", relname collate "C", conname collate "C"`

const INDEXES = sql<Line>`
  select pg_get_indexdef(indexrelid) || ';' as line
  from pg_index
  join pg_class as relation
    on relation.oid = indexrelid
  join pg_namespace as namespace
    on namespace.oid = relnamespace
  where ${OURS} and not exists (select from pg_constraint where conindid = indexrelid)
  order by nspname collate "C", relname collate "C"`

const VIEWS = sql<Line>`
  select
    format(E'view %I.%I (\\n%s\\n)\\n', nspname, relname, string_agg(
      format('  %I %s', attname, format_type(atttypid, atttypmod)), E',\\n' order by attnum)) as line
  from pg_class as relation
  join pg_namespace as namespace
    on namespace.oid = relnamespace
  join pg_attribute
    on attrelid = relation.oid and attnum > 0
  where ${OURS} and relkind in ('v', 'm')
  group by nspname, relname
  order by nspname collate "C", relname collate "C"`

const FUNCTIONS = sql<Line>`
  select rtrim(pg_get_functiondef(function.oid), E'\n') || E';\n' as line
  from pg_proc as function
  join pg_namespace as namespace
    on namespace.oid = pronamespace
  where ${OURS}
  order by nspname collate "C", proname collate "C", pg_get_function_identity_arguments(function.oid) collate "C"`

/**
 * Objects of kinds that the product does not use. Objects of these kinds are listed too, so that the test
 * fails if such an object is added.
 */
const OTHERS = sql<Line>`
  with others as (
    select 'trigger' as kind, relnamespace as schema, relname || '.' || tgname as name
    from pg_trigger
    join pg_class as relation
      on relation.oid = tgrelid
    where not tgisinternal
    union all
    select case relkind when 'S' then 'sequence' else 'relation ' || relkind::text end, relnamespace, relname
    from pg_class
    where relkind not in ('r', 'p', 'v', 'm', 'i', 'I', 't')
    union all
    select 'type', typnamespace, typname
    from pg_type
    where typtype in ('e', 'd', 'r')
  )
  select format('%s %I.%s', kind, nspname, name) as line
  from others
  join pg_namespace as namespace
    on namespace.oid = schema
  where ${OURS}
  order by kind collate "C", name collate "C"`

const COMMENTS = sql<Line>`
  with ours as (
    select oid, nspname as schema from pg_namespace as namespace where ${OURS}
  ),
  relations as (
    select relation.oid, schema, relname as name, case when relkind in ('v', 'm') then 'view' else 'table' end as kind
    from pg_class as relation
    join ours
      on ours.oid = relnamespace
    where relkind in ('r', 'p', 'v', 'm')
  ),
  described as (
    select schema, '' as name, 0 as place, format('schema %I', schema) as object,
      obj_description(oid, 'pg_namespace') as comment
    from ours
    union all
    select schema, name, 0, format('%s %I.%I', kind, schema, name), obj_description(oid, 'pg_class')
    from relations
    union all
    select schema, name, attnum, format('column %I.%I.%I', schema, name, attname), col_description(oid, attnum)
    from relations
    join pg_attribute
      on attrelid = relations.oid and attnum > 0 and not attisdropped
    union all
    select schema, proname, 0,
      format('function %I.%I(%s)', schema, proname, pg_get_function_identity_arguments(function.oid)),
      obj_description(function.oid, 'pg_proc')
    from pg_proc as function
    join ours
      on ours.oid = pronamespace
  )
  select format('comment on %s is %L;', object, comment) as line
  from described
  order by schema collate "C", name collate "C", place, object collate "C"`

const PARTS = [
  ['Schemas', SCHEMAS],
  ['Tables', TABLES],
  ['Constraints', CONSTRAINTS],
  ['Indexes', INDEXES],
  ['Views: their queries are in sql/views', VIEWS],
  ['Functions', FUNCTIONS],
  ['Triggers, sequences, types', OTHERS],
  ['Comments', COMMENTS],
] as const
