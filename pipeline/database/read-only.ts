import type { QueryPage } from '../../sql/database.ts'
import * as statements from '../../sql/statements.ts'

/** An answer as both drivers give it, its values as text. */
interface TextResult {
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[]
  readonly rows: readonly (readonly (string | null)[])[]
}

/**
 * Reads the rows of a query page by page, within a transaction that is read-only.
 *
 * @param ask sends one prepared statement, so that several statements in one text are refused
 */
export async function* pagesOf(
  query: string,
  ask: (text: string) => Promise<TextResult>,
): AsyncGenerator<QueryPage> {
  const pageOf = async (text: string): Promise<QueryPage> => {
    const { fields, rows } = await ask(text)
    return {
      columns: fields.map(({ name }) => name),
      types: fields.map(({ dataTypeID }) => dataTypeID),
      rows,
    }
  }
  if (statements.isExplain(query)) return yield await pageOf(query)
  await ask(statements.declareCursor(query))
  for (;;) {
    const page = await pageOf(statements.fetchPage)
    yield page
    if (page.rows.length === 0) return
  }
}
