import {
  type AliasableExpression,
  AliasNode,
  ColumnNode,
  IdentifierNode,
  ReferenceNode,
  type SelectQueryNode,
} from 'kysely'
import type { Db, Tables } from './tables.ts'

/** A kysely query whose selections can be read at run time. */
export interface Selection<Row> extends AliasableExpression<Row> {
  toOperationNode(): SelectQueryNode
}

/** Compile-time check that every name of a row is a column of the table. */
type Only<Row, Table> = { readonly [Name in keyof Row]: Name extends keyof Table ? unknown : never }

/**
 * Inserts the rows that a query returns into a table. Each selection of the query goes into the column with
 * the same name.
 */
export function insertFrom<Name extends keyof Tables, Row extends Only<Row, Tables[Name]>>(
  db: Db,
  table: Name,
  rows: Selection<Row>,
) {
  const columns = namesOf(rows) as readonly (keyof Tables[Name] & string)[]
  return db.insertInto(table).columns(columns).expression(rows)
}

/** Returns the names of a query's selections, in their order. The query must not select `*`. */
export function namesOf(query: Selection<unknown>): readonly string[] {
  return (query.toOperationNode().selections ?? []).map(({ selection }) => {
    if (AliasNode.is(selection) && IdentifierNode.is(selection.alias)) return selection.alias.name
    const column = ReferenceNode.is(selection) ? selection.column : selection
    if (ColumnNode.is(column)) return column.column.name
    throw new Error(`a selection without a name of its own: ${column.kind}`)
  })
}
