import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { configSchema } from '../../../pipeline/config/config.ts'
import { readableResources } from '../../../pipeline/sources/contract/read-record.ts'
import type { SourceResource } from '../../../pipeline/sources/contract/source.ts'
import { sourceTypeOf } from '../../../pipeline/sources/registry.ts'
import { isPersonalColumn, lineageOf } from '../../../transforms/decide/lineage.ts'
import { PLATFORM_FIELDS, REQUIRED_FIELDS } from '../../../transforms/decide/platform-fields.ts'
import type { StagingTables } from '../../../transforms/declare/resource.ts'
import type { JsonObject } from '../../../transforms/rules/values.ts'
import { EXAMPLES } from '../../sources/examples.ts'
import { ALL_CONTENTS, type Items, useTransform } from '../../support/decide.ts'
import { engines } from '../../support/engines.ts'
import type { StagedRows } from '../../support/staged.ts'
import { useDatabase } from '../../support/use-database.ts'

const SOURCES = Object.entries(EXAMPLES).map(([name, example]) => {
  const source = { ...example.source, url: 'https://source.example' }
  const options = configSchema.shape.integrations.element.shape.source.parse(source)
  const { transform } = sourceTypeOf(options)
  const resources = readableResources(transform, options)
  return { name, example, resources, transform, options }
})

/** Returns the staged columns of a record, as its parser reads them. */
function read(resource: SourceResource, record: JsonObject): Record<string, unknown> {
  const parser = resource.read(record)
  if ('message' in parser) return { source_id: parser.message }
  const values = Object.entries(parser.values).map(([column, { value }]) => [column, value])
  return { source_id: parser.sourceId.value, ...Object.fromEntries(values) }
}

describe.each(SOURCES)('source $name', ({ name, example, resources, ...rest }) => {
  const { full, standIns = {} } = example
  const lineage = ALL_CONTENTS.flatMap((content) => lineageOf(rest.transform, content))
  const resourceOf = (column: string) => {
    const resource = resources.find(({ table }) => column.startsWith(`${table}.`))
    if (resource === undefined) throw new Error(`no resource has ${column}`)
    return resource
  }

  test('each entry of the lineage has its own clause, a rule, and an origin', () => {
    for (const { clause, rule, from } of lineage) {
      expect([clause, rule]).not.toContain('')
      expect(from).not.toEqual([])
    }
    const clauses = lineage.map(({ clause }) => clause)
    expect(clauses).toEqual([...new Set(clauses)])
  })

  test('if a record lacks the value at the path of an origin, the column of this origin gets another value', () => {
    const origins = lineage.flatMap(({ from }) => from)
    for (const { column, resource, path } of origins) {
      const record = full[resource] ?? {}
      const key = path.replace('$.', '')
      const { [key]: value, ...without } = record
      expect(value, `${resource} ${path}`).toBeDefined()
      const staged = column.split('.').at(-1) ?? ''
      const of = (one: JsonObject) => read(resourceOf(column), one)[staged]
      const stoodInFor = standIns[`${resource} ${path}`]?.replace('$.', '')
      const alone = Object.fromEntries(Object.entries(record).filter(([one]) => one !== stoodInFor))
      const neither = Object.fromEntries(Object.entries(without).filter(([one]) => one !== stoodInFor))
      expect(of(neither), `${resource} ${path} ${column}`).not.toEqual(of(alone))
    }
  })

  test('if an option can change the path of an origin, the origin names this option', () => {
    const named = lineage.flatMap(({ from }) =>
      from.flatMap(({ path, option }) => (option ? [[path, option]] : [])),
    )
    const fields: Readonly<Record<string, string>> = 'fields' in rest.options ? rest.options.fields : {}
    const keys = Object.entries(fields)
    expect(new Map(named as [string, string][])).toEqual(
      new Map(keys.map(([key, path]) => [`$.${path}`, `source.fields.${key}`])),
    )
  })

  describe.each(engines)('on %s', (engine) => {
    const transform = useTransform(engine, rest.transform)
    const database = useDatabase(engine)
    let items: Items
    beforeAll(async () => {
      const rows: Record<string, unknown[]> = {}
      for (const resource of resources) {
        rows[resource.table] = [read(resource, full[resource.name] ?? {})]
      }
      items = await transform(rows as StagedRows, rest.options)
    })

    test.each(ALL_CONTENTS)(
      'every field that a record of %s can fill has one entry in the lineage, and other fields have none',
      (content) => {
        const [[uniqueId, fields] = ['', {}]] = Object.entries(items[content])
        expect(uniqueId).not.toBe('')
        const told = lineageOf(rest.transform, content).map(({ field }) => field)
        expect(told.toSorted()).toEqual(['uniqueId', ...Object.keys(fields)].toSorted())
        const known = ['uniqueId', ...PLATFORM_FIELDS[content]]
        expect(told.filter((field) => !known.includes(field))).toEqual([])
        for (const field of REQUIRED_FIELDS[content]) expect(told).toContain(field)
      },
    )

    test('every column is in the catalog, and lineage and catalog agree on which columns can contain values of a person', async () => {
      const { rows } = await sql<{ name: string; comment: string }>`
        select table_schema || '.' || table_name || '.' || column_name as name,
          col_description((table_schema || '.' || table_name)::regclass, ordinal_position) as comment
        from information_schema.columns
        where table_schema = 'staging'`.execute(database().kysely)
      const comments = new Map(rows.map((row) => [row.name, row.comment]))
      const told = new Set(lineage.flatMap(({ from }) => from.map(({ column }) => column)))
      expect([...told].filter((column) => !comments.has(column))).toEqual([])
      const staged = rows.filter(({ name: column }) => column.startsWith(`staging.${name}_`))
      const personal = staged.filter(({ comment }) => comment.endsWith('Personal.')).map((row) => row.name)
      const hidden = [...told].filter((column) => {
        const [schema, table, field = ''] = column.split('.')
        return isPersonalColumn(rest.transform, [`${schema}.${table}` as keyof StagingTables, field])
      })
      // Ids that are e-mail addresses are recognised by their form, and documents are never shown as a whole.
      const apart = (column: string) => /\.(?:source_id|doc|custom)$/.test(column)
      expect(hidden.toSorted()).toEqual(personal.filter((column) => !apart(column)).toSorted())
    })
  })
})
