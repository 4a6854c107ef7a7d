import type { QueryPage } from '../../sql/database.ts'

/** Only queries can be in a cursor. */
export const declareCursor = (query: string): string => `declare page_by_page no scroll cursor for ${query}`

/** Returns whether a query asks for a plan, which cannot be in a cursor. */
const isExplain = (query: string): boolean => /^(\s|--.*\n)*explain\b/i.test(query)

/** An answer as both drivers give it, its values as text. */
interface TextResult {
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[]
  readonly rows: readonly (readonly (string | null)[])[]
}

/** Rows of a page at first, and at most; a page is about as long as this, since all of it is in memory. */
const FIRST_ROWS = 100
const MOST_ROWS = 1000
const PAGE_LENGTH = 4_194_304

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

function lengthOf(row: readonly (string | null)[]): number {
  return row.reduce((sum, value) => sum + (value?.length ?? 0), 1)
}
