/**
 * Reads rows page by page; no page is empty. It reads the next page while the caller works on the current
 * one, so that database and process work at the same time.
 *
 * @param read reads at most `size` rows after a cursor; a shorter page is the last one
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
        // An error is thrown where `next` is awaited. Without this it would be unhandled if the caller stops
        // before.
        next.catch(() => undefined)
      }
      if (end !== undefined) yield page
      if (isLast) return
    }
  } finally {
    // A caller that stops early may close the database next, so the query in progress must end first.
    await next.catch(() => undefined)
  }
}
