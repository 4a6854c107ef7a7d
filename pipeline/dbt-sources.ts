import type { DescribedColumn, DescribedRelation, Dictionary } from '../sql/dictionary.ts'

/** Schemas that readers may build on, and the view and column that tell how old their data is. */
const READ: Readonly<Record<string, { readonly view: string; readonly loadedAt: string }>> = {
  published: { view: 'runs', loadedAt: 'finished_at' },
  staging: { view: 'runs', loadedAt: 'staged_at' },
}

/** Ages of the last run, in hours, from which dbt says something. */
export interface Ages {
  readonly warnAfter: number
  readonly errorAfter: number
}

/** The part of dbt's format that is used here. */
export interface DbtSources {
  readonly version: 2
  readonly sources: readonly {
    readonly name: string
    readonly schema: string
    readonly description: string
    readonly tables: readonly DbtTable[]
  }[]
}

interface DbtTable {
  readonly name: string
  readonly description: string
  readonly config?: DbtFreshness
  readonly columns: readonly DbtColumn[]
}

interface DbtFreshness {
  readonly loaded_at_field: string
  readonly freshness: { readonly warn_after: DbtAge; readonly error_after: DbtAge }
}

interface DbtAge {
  readonly count: number
  readonly period: 'hour'
}

interface DbtColumn {
  readonly name: string
  readonly description: string
  readonly data_type: string
  readonly config?: { readonly meta: { readonly personal: true } }
}

/**
 * The content of a `sources.yml`: a source a schema, with all tables, views and columns in it.
 *
 * Source: docs.getdbt.com, "Source properties": freshness, its column and meta stand under `config` from dbt 1.10 on.
 */
export function dbtSources({ schemas }: Dictionary, ages: Ages): DbtSources {
  return {
    version: 2,
    sources: schemas.flatMap(({ name, meaning, relations }) => {
      const age = READ[name]
      if (age === undefined) return []
      const tables = relations.map((relation) => ({
        ...toTable(relation),
        ...(relation.name === age.view ? { config: freshness(age.loadedAt, ages) } : {}),
      }))
      return [{ name, schema: name, description: meaning, tables }]
    }),
  }
}

function toTable({ name, meaning, columns }: DescribedRelation): DbtTable {
  return { name, description: meaning, columns: columns.map(toColumn) }
}

function toColumn({ name, meaning, type, personal }: DescribedColumn): DbtColumn {
  const column = { name, description: meaning, data_type: type }
  return personal ? { ...column, config: { meta: { personal } } } : column
}

function freshness(loadedAt: string, { warnAfter, errorAfter }: Ages): DbtFreshness {
  return {
    loaded_at_field: loadedAt,
    freshness: {
      warn_after: { count: warnAfter, period: 'hour' },
      error_after: { count: errorAfter, period: 'hour' },
    },
  }
}
