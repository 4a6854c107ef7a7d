import type {
  DescribedColumn,
  DescribedRelation,
  DescribedSchema,
  Dictionary,
} from '../../../sql/dictionary.ts'
import { code, markdownTable, shortType } from './markdown.ts'

/** Makes the list of every schema, table, view, column and function with its comment. */
export function dictionarySection({ schemas }: Dictionary): string {
  return schemas.map(schemaSection).join('\n\n')
}

function schemaSection(schema: DescribedSchema): string {
  const shared = sharedColumns(schema)
  return [
    `### Schema ${code(schema.name)}`,
    schema.meaning,
    ...(shared.length === 0
      ? []
      : [
          `Every table of ${code(schema.name)} has the columns of this list. If a column has another meaning in a table, the table lists this column again.`,
          columnTable(shared),
        ]),
    ...schema.relations.map((relation) => relationSection(schema, relation, shared)),
    ...(schema.functions.length === 0 ? [] : [functionSection(schema)]),
  ].join('\n\n')
}

/**
 * Returns columns that all tables of a schema have and whose comment is equal in at least three of these
 * tables.
 */
function sharedColumns({ relations }: DescribedSchema): readonly DescribedColumn[] {
  const tables = relations.filter(({ kind }) => kind === 'table')
  const [first] = tables
  if (first === undefined || tables.length < 3) return []
  return first.columns.filter(({ name }) => {
    const named = tables.flatMap(({ columns }) => columns.filter((column) => column.name === name))
    return (
      named.length === tables.length &&
      named.filter(({ meaning }) => meaning === named[0]?.meaning).length > 2
    )
  })
}

function relationSection(
  schema: DescribedSchema,
  relation: DescribedRelation,
  shared: readonly DescribedColumn[],
): string {
  const like = schema.relations.find(({ name }) => relation.name === `${name}_by_run`)
  const known = like?.columns ?? (relation.kind === 'table' ? shared : [])
  const own = relation.columns.filter((column) => !known.some((other) => isSame(column, other)))
  const before = like === undefined ? [] : [`Columns of ${code(`${schema.name}.${like.name}`)}, and:`]
  const key = relation.key.length === 0 ? '' : ` Key: ${relation.key.map(code).join(', ')}.`
  return [
    `#### ${schema.name}.${relation.name}`,
    `${relation.kind === 'view' ? 'View. ' : ''}${relation.meaning}${key}`,
    ...before,
    columnTable(own),
  ].join('\n\n')
}

function isSame(one: DescribedColumn, other: DescribedColumn): boolean {
  return (['name', 'type', 'meaning', 'personal'] as const).every((key) => one[key] === other[key])
}

function columnTable(columns: readonly DescribedColumn[]): string {
  const rows = columns.map(({ name, type, meaning, personal }) => [
    code(name),
    shortType(type),
    meaning,
    personal ? 'personal' : '',
  ])
  return markdownTable(['column', 'type', 'meaning', 'personal'], rows)
}

function functionSection({ name: schema, functions }: DescribedSchema): string {
  return [
    `#### Functions of ${schema}`,
    markdownTable(
      ['function', 'meaning', 'personal'],
      functions.map(({ name, takes, meaning, personal }) => [
        code(`${schema}.${name}(${takes})`),
        meaning,
        personal ? 'personal' : '',
      ]),
    ),
  ].join('\n\n')
}
