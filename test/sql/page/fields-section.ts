import { SOURCES } from '../../../pipeline/sources/registry.ts'
import type { Dictionary } from '../../../sql/dictionary.ts'
import type { Content } from '../../../sql/tables.ts'
import { type FieldOrigin, lineageOf } from '../../../transforms/decide/lineage.ts'
import { code, markdownTable } from './markdown.ts'

const CONTENTS: readonly Content[] = ['agenda', 'speakers', 'attendees']

/**
 * Makes the table of platform fields: for each field the clause of the specification, the source, the staged
 * columns and the rule.
 *
 * @throws if a staged column is not in the database
 */
export function fieldsSection(dictionary: Dictionary): string {
  const columns = new Set(
    dictionary.schemas.flatMap((schema) =>
      schema.relations.flatMap((relation) =>
        relation.columns.map((column) => `${schema.name}.${relation.name}.${column.name}`),
      ),
    ),
  )
  const parts = Object.entries(SOURCES).flatMap(([source, { transform }]) =>
    CONTENTS.map((content) => {
      const rows = lineageOf(transform, content).map(({ field, clause, from, rule }) => {
        for (const { column } of from) {
          if (!columns.has(column)) throw new Error(`${content}.${field}: there is no column ${column}`)
        }
        return [
          code(field),
          clause.replace(/^spec /, ''),
          unique(from.map(atSource)).join('<br>') || '–',
          unique(from.map(({ column }) => code(column.replace(/^staging\./, '')))).join('<br>') || '–',
          rule,
        ]
      })
      return `### ${content} from Source ${source.toUpperCase()}\n\n${markdownTable(
        ['platform field', 'spec', 'at the source', 'in staging', 'rule'],
        rows,
      )}`
    }),
  )
  return parts.join('\n\n')
}

function atSource({ resource, path, option }: FieldOrigin): string {
  return `${resource} ${code(path)}${option === undefined ? '' : `, or the key in ${code(option)}`}`
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)]
}
