/**
 * Reads rows page by page, and never yields an empty page. While the caller works on a page, the query for
 * the next page already runs. In this way the database and this process work in parallel.
 *
 * @param read returns at most `size` rows after a cursor; a page with fewer rows is the last page
 */
export async function* readPages<Row, Cursor>(
  start: Cursor,
  size: number,
  read: (after: Cursor) => Promise<readonly Row[]>,
  cursorOf: (row: Row) => Cursor,
): AsyncGenerator<readonly Row[]> {
  let next = read(start)
  try {
    for (;;) {
      const page = await next
      const end = page.at(-1)
      const isLast = end === undefined || page.length < size
      if (!isLast) {
        next = read(cursorOf(end))
        // `await next` below throws the error of the query for the next page. The empty handler prevents an
        // unhandled rejection if the caller stops before `await next`.
        next.catch(() => undefined)
      }
      if (end !== undefined) yield page
      if (isLast) return
    }
  } finally {
    // A caller that stops early may close the database, so this function first waits for the running query.
    await next.catch(() => undefined)
  }
}
