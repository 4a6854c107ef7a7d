/**
 * Reads rows page by page, none of them empty. The next page is read while one is written, so that database and process work at the same time.
 *
 * @param read the rows after a place, `size` at most; fewer are the last
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
        // Reported where it is awaited, unless writing the page before fails first.
        next.catch(() => undefined)
      }
      if (end !== undefined) yield page
      if (isLast) return
    }
  } finally {
    // A person who stops here may close the database next.
    await next.catch(() => undefined)
  }
}
