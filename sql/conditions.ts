import { type Expression, expressionBuilder, type SelectQueryBuilder, type SqlBool } from 'kysely'
import type { RunKey } from './tables.ts'

/** A kysely query that can be filtered by these columns. */
interface Filterable<Column, Query> {
  readonly where: (column: Column, operator: '=', value: string) => Query
}

/** Restricts a query to the rows of a run: `query.$call(ofRun(run))`. */
export function ofRun({ integrationId, runId }: RunKey) {
  return <Query extends Filterable<'integration_id' | 'run_id', Query>>(query: Query): Query =>
    query.where('integration_id', '=', integrationId).where('run_id', '=', runId)
}

export function notExists(query: Expression<unknown>): Expression<SqlBool> {
  const { exists, not } = expressionBuilder()
  return not(exists(query))
}

/** Counts the rows of a query that has no selections yet. */
export async function countRows<Schema, Table extends keyof Schema>(
  query: SelectQueryBuilder<Schema, Table, object>,
): Promise<number> {
  const row = await query.select((eb) => eb.fn.countAll<string>().as('count')).executeTakeFirstOrThrow()
  return Number((row as { readonly count: string }).count)
}
