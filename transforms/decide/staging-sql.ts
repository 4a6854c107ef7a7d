import type { Content } from '../../sql/tables.ts'
import { SQL_TYPES, shownKeys } from '../declare/column.ts'
import type { DeclaredContent } from '../declare/content.ts'
import type { ColumnOf, Resource } from '../declare/resource.ts'
import { type AnyTransform, contentsNeeding } from '../declare/source.ts'
import { withAnd } from '../texts/with-and.ts'
import { columnOfField, DECLARED_FIELDS, type PlatformField } from './platform-fields.ts'

/** SQL defaults of a new column, for rows that were staged before the column existed. */
const BEFORE = { flag: 'false', text: "''", id: "''", instant: 'now()', texts: "'{}'", ids: "'{}'" } as const

/** The columns that the tables of all resources have; `custom` only if items are made from the resource. */
export const STAGED_COLUMNS = [
  'integration_id',
  'source_id',
  'marks',
  'doc',
  'version_hash',
  'valid_from_run',
  'valid_to_run',
  'custom',
] as const

const COMMON = `marks text[] not null,
  doc jsonb not null,
  version_hash bytea not null,
  valid_from_run uuid not null,
  valid_to_run uuid,`

/**
 * Makes the SQL that creates the staged tables of a source, one table for each resource. The SQL only adds
 * tables and columns, so running it again does no harm.
 */
export function stagingSql(source: string, transform: AnyTransform) {
  return transform.resources.map((resource) => {
    const table = nameOf(resource)
    const columns = Object.values(resource.columns)
    const contents = transform.contents.filter(({ records }) => records === resource)
    const comments = [resource.id, ...columns].map((column) =>
      comment(`column staging.${table}.${column.name}`, meaningOf(column, transform)),
    )
    const text = `create table if not exists staging.${table} (
  integration_id text collate "C" not null,
  source_id text collate "C" not null,
  ${columns.map((column) => `${definitionOf(column)},\n  `).join('')}${COMMON}
  primary key (integration_id, source_id, valid_from_run),
  constraint ${table}_not_empty check (valid_to_run > valid_from_run)
);
create unique index if not exists ${table}_current on staging.${table} (integration_id, source_id) where valid_to_run is null;
create index if not exists ${table}_by_run on staging.${table} (integration_id, valid_from_run);
${columns.map((column) => addColumn(table, column)).join('\n')}
${
  contents.length === 0
    ? ''
    : customColumn(
        table,
        contents.map(({ content }) => content),
        namesPeople(resource, transform),
      )
}
${comment(`table staging.${table}`, `Records of the resource ${resource.name} of Source ${titleOf(source)}. ${useOf(resource, transform)}.`)}
${commonComments(table, namesPeople(resource, transform)).join('\n')}
${comments.join('\n')}
insert into migration.sources (source, stated_reasons) values (${literal(source)}, ${texts(transform.attested)})
on conflict on constraint sources_pkey do update set stated_reasons = excluded.stated_reasons;
select migration.staging_changed(${literal(table)}, ${literal(source)}, ${literal(resource.name)}, ${texts(contents.map(({ content }) => content))}, ${texts(contentsNeeding(transform, resource))});
`
    return { table, text }
  })
}

function definitionOf({ name, type, isNullable, oneOf }: ColumnOf, before = ''): string {
  const check = oneOf === null ? '' : ` check (${name} in (${oneOf.map(literal).join(', ')}))`
  return `${name} ${SQL_TYPES[type]}${isNullable ? '' : ' not null'}${before}${check}`
}

/** Makes SQL that adds a column to a table, in case the table is older than the column's declaration. */
function addColumn(table: string, column: ColumnOf): string {
  const { name, type, isNullable, oneOf } = column
  const before = isNullable ? '' : ` default ${oneOf === null ? BEFORE[type] : literal(oneOf[0] ?? '')}`
  const added = `alter table staging.${table} add column if not exists ${definitionOf(column, before)};`
  // The column's default is only for existing rows and is dropped afterwards; every new row has a value.
  return isNullable ? added : `${added}\nalter table staging.${table} alter column ${name} drop default;`
}

function customColumn(table: string, contents: readonly Content[], hasPeople: boolean): string {
  const of = withAnd(contents)
  const personal = hasPeople && !contents.includes('agenda') ? ' Personal.' : ''
  const words = `Custom fields of ${of} from event-sync.yaml, by content and name; null if the record has none.${personal}`
  return `alter table staging.${table} add column if not exists custom jsonb;
${comment(`column staging.${table}.custom`, words)}`
}

function commonComments(table: string, hasPeople: boolean): readonly string[] {
  const personal = hasPeople ? ' Personal.' : ''
  const of = (column: string, words: string) => comment(`column staging.${table}.${column}`, words)
  return [
    of('integration_id', 'Id of the integration that read the record.'),
    of('marks', 'Warnings about values of the record, as warning:column, for example not_text:title.'),
    of(
      'doc',
      `Record as received. The product drops U+0000 and replaces lone surrogates by U+FFFD, because jsonb cannot store them.${personal}`,
    ),
    of(
      'version_hash',
      'SHA-256 of the record, the version of the record parser, the columns, and the options that affect these columns.',
    ),
    of('valid_from_run', 'First run that read this version of the record.'),
    of(
      'valid_to_run',
      'First run that no longer read this version of the record; null while the version is current.',
    ),
  ]
}

function namesPeople({ table }: Resource, { people, contents }: AnyTransform): boolean {
  const fields = contents.flatMap((content) => Object.values(content.fields))
  return (
    table === people.table ||
    fields.some(({ references }) => references?.content !== 'agenda' && references?.from?.table === table)
  )
}

function useOf(resource: Resource, { contents }: AnyTransform): string {
  const become = contents.filter(({ records }) => records === resource)
  if (become.length > 0)
    return `The records of this table become items of ${withAnd(become.map(({ content }) => content))}`
  const served = contents.filter(({ lookups, beside }) =>
    [...Object.values(lookups).map((lookup) => lookup.resource), ...beside].includes(resource),
  )
  return served.length > 0
    ? `The product looks up records of this table to make items of ${withAnd(served.map(({ content }) => content))}`
    : 'No item is made from records of this table'
}

function meaningOf(column: ColumnOf, transform: AnyTransform): string {
  const keys = shownKeys(column).map((key) =>
    typeof key === 'string' ? key : `${key.key} (source.fields.${key.option})`,
  )
  const named = keys.length === 0 ? '' : `From key${keys.length === 1 ? '' : 's'} ${keys.join(', ')}`
  const meaning =
    column.meaning === '' && column.name === 'source_id'
      ? 'the id of the record, with all digits as the source writes them'
      : column.meaning
  const joined = joinOf(column, transform)
  const parts = [
    [named, meaning].filter((part) => part !== '').join(': '),
    ...fieldsOf(column, transform),
    ...(joined === null ? [] : [joined]),
  ]
  const isPersonal = transform.people.table === column.table && !column.isPlain
  return `${parts.join('. ')}.${isPersonal ? ' Personal.' : ''}`
}

/**
 * Lists the platform fields that are made from a column, for example as `Platform field: description of
 * speakers`.
 */
function fieldsOf(column: ColumnOf, { contents }: AnyTransform): readonly string[] {
  const isUsed = ({ records, lookups }: DeclaredContent<never>) =>
    [records, ...Object.values(lookups).map(({ resource }) => resource)].some(
      ({ table }) => table === column.table,
    )
  const users = contents.filter(isUsed)
  const contentsOf = new Map<string, Content[]>()
  for (const { content, fields } of users) {
    for (const [field, { from }] of Object.entries(fields)) {
      const isSource = from.some(
        (origin) => origin.column.table === column.table && origin.column.name === column.name,
      )
      if (isSource) contentsOf.set(field, [...(contentsOf.get(field) ?? []), content])
    }
  }
  const all = [...contentsOf].map(([field, of]) =>
    of.length === users.length ? field : `${field} of ${withAnd(of)}`,
  )
  return all.length === 0 ? [] : [`Platform field: ${all.join(', ')}`]
}

function joinOf(column: ColumnOf, { contents }: AnyTransform): string | null {
  const isThis = (other: ColumnOf | null) => other?.table === column.table && other.name === column.name
  for (const { lookups, fields } of contents) {
    const lookup = Object.values(lookups).find(({ by }) => isThis(by))
    if (lookup !== undefined) return `Joins ${nameOf(lookup.resource)}.source_id`
    for (const { references } of Object.values(fields)) {
      const target = contents.find(({ content }) => content === references?.content)
      if (target !== undefined && isThis(references?.from ?? null)) {
        return `Joins ${nameOf(target.records)}.${target.unique.name}`
      }
    }
  }
  return null
}

function nameOf({ table }: Resource): string {
  return table.replace('staging.', '')
}

/**
 * Returns the title of a source, for example `A` for source `a`. A source name of several letters stays
 * unchanged.
 */
function titleOf(source: string): string {
  return source.length === 1 ? source.toUpperCase() : source
}

function comment(on: string, words: string): string {
  return `comment on ${on} is ${literal(words)};`
}

function texts(values: readonly string[]): string {
  return `array[${values.map(literal).join(', ')}]::text[]`
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/**
 * Matches a placeholder in an SQL file of `sql/views`, such as `{{values of speakers}}` or `{{values of
 * agenda until endTime}}`.
 */
const PLACEHOLDER = /\{\{(\w+) of (\w+)(?: (until|after) (\w+))?\}\}/g

export type FieldComments = Readonly<Record<Content, Readonly<Record<string, string>>>>

/** Replaces the placeholders in an SQL file with SQL for the declared platform fields. */
export function withDeclared(text: string, words: FieldComments): string {
  const fill = (_: string, kind: string, content: Content, part?: string, border?: string) => {
    const all = DECLARED_FIELDS[content]
    const at = all.findIndex(({ name }) => name === border) + 1
    const fields = part === 'until' ? all.slice(0, at) : all.slice(at)
    switch (kind) {
      case 'values':
        return fields.map((field) => `${sqlOf(field)} as ${columnOfField(field.name)}`).join(',\n  ')
      case 'comments':
        return fields.map((field) => commentOn(content, field, words[content][field.name])).join('\n')
      case 'texts':
        return namesIn(fields.filter(({ isList }) => !isList))
      case 'lists':
        return namesIn(fields.filter(({ isList }) => isList))
      default:
        throw new Error(`no SQL is known for ${kind} of ${content}`)
    }
  }
  return text.replaceAll(PLACEHOLDER, fill)
}

function namesIn(fields: readonly PlatformField[]): string {
  return `array[${fields.map(({ name }) => `'${name}'`).join(', ')}]`
}

function sqlOf({ name, isList, isTime }: PlatformField): string {
  if (isList) return `array(select jsonb_array_elements_text(item.fields -> '${name}'))`
  return isTime ? `(item.fields ->> '${name}')::timestamptz` : `item.fields ->> '${name}'`
}

function commentOn(content: Content, field: PlatformField, words = field.name): string {
  const { name, sources, refersTo, isList } = field
  const what = words.replace(/\.$/, '')
  const only = sources.length === 1 ? ` (only from Source ${sources[0]?.toUpperCase()})` : ''
  const join = refersTo === null ? '' : `. Joins published.${refersTo}.unique_id`
  const isPersonal = refersTo === null ? content !== 'agenda' : refersTo !== 'agenda'
  const ends = [
    ...(isList ? ['The array is empty if the item has no value.'] : []),
    ...(isPersonal ? ['Personal.'] : []),
  ]
  const text = [`${what}. Platform field: ${name}${only}${join}.`, ...ends].join(' ')
  return `comment on column published.${content}.${columnOfField(field.name)} is '${text.replaceAll("'", "''")}';`
}
