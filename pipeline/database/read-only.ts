import type { Database, QueryPage } from '../../sql/database.ts'

/**
 * Declares a cursor for a query. PostgreSQL accepts only queries in this statement, so nothing can be
 * changed.
 */
export const declareCursor = (query: string): string => `declare page_by_page no scroll cursor for ${query}`

/** Returns true if a query is an EXPLAIN. PostgreSQL does not accept EXPLAIN in a cursor. */
const isExplain = (query: string): boolean => /^(\s|--.*\n)*explain\b/i.test(query)

/** The part of an answer that both database drivers return. Values are texts. */
interface TextResult {
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[]
  readonly rows: readonly (readonly (string | null)[])[]
}

/**
 * Number of rows on the first page. The constants below are the maximum number of rows on a page, and the
 * approximate maximum length of a page in characters. A page of rows is in memory as a whole.
 */
const FIRST_ROWS = 100
const MOST_ROWS = 1000
const PAGE_LENGTH = 4_194_304

/**
 * Reads the rows of a query page by page in a read-only transaction.
 *
 * @param ask sends a prepared statement, so that the server rejects a text with several statements
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
  if (isExplain(query)) return yield await pageOf(query)
  await ask(declareCursor(query))
  for (let count = FIRST_ROWS; ; ) {
    const page = await pageOf(`fetch ${count} from page_by_page`)
    yield page
    if (page.rows.length === 0) return
    const length = page.rows.reduce((sum, row) => sum + lengthOf(row), 0)
    count = Math.max(1, Math.min(MOST_ROWS, Math.floor((PAGE_LENGTH * page.rows.length) / length)))
  }
}

/** Returns all rows of a query whose result is small. Values are text. */
export async function rowsOf(database: Pick<Database, 'readOnly'>, query: string) {
  const all: (readonly (string | null)[])[] = []
  for await (const { rows } of database.readOnly(query)) all.push(...rows)
  return all
}

function lengthOf(row: readonly (string | null)[]): number {
  return row.reduce((sum, value) => sum + (value?.length ?? 0), 1)
}
