import { HttpFault } from '../../http/read-error.ts'
import { type Page, type ReadPage, SourceMovedError } from '../contract/source.ts'

/**
 * Page sizes that the product requests, from the largest to the smallest. To a page size that is too large, a
 * source may answer 400, or silently return fewer records.
 */
const SIZES = [1000, 500, 250, 100, 50]
const [LARGEST = 1000] = SIZES

/**
 * Makes the page size, which all resources of a source share. The first page size is the largest. If the
 * source refuses it, the first smaller size that the source accepts is used from then on.
 */
export function makePageSize() {
  let size = LARGEST

  return {
    current: () => size,
    /** Sentences for the report about a smaller page size. */
    notes: (): readonly string[] =>
      size === LARGEST
        ? []
        : [`the source refused $top=${LARGEST} with 400, so it was read in pages of ${size} records`],
    /**
     * Returns a function that reads a page as `readPage` does. If the source answers 400, it reads the page
     * again with a smaller size. The size in links that the source itself gives is not changed.
     *
     * @throws HttpFault of the first attempt if the source refuses every size, because the size is then not
     *   the cause
     */
    reading:
      (readPage: ReadPage): ReadPage =>
      async (url, ...rest): Promise<Page> => {
        let refusal: HttpFault | null = null
        const isOurs = url.searchParams.get('$top') === String(size)
        for (const fewer of isOurs ? SIZES.filter((one) => one <= size) : [size]) {
          const asked = new URL(url)
          if (isOurs) asked.searchParams.set('$top', String(fewer))
          try {
            const page = await readPage(asked, ...rest)
            size = fewer
            return page
          } catch (error) {
            if (error instanceof SourceMovedError) size = fewer
            if (!isOurs || !isRefusal(error)) throw error
            refusal ??= error
          }
        }
        throw withHint(refusal)
      },
  }
}

function isRefusal(error: unknown): error is HttpFault {
  return error instanceof HttpFault && error.status === 400
}

function withHint(refusal: HttpFault | null): unknown {
  if (refusal === null) return new Error('no size of a page was tried')
  const { what, kind, status } = refusal
  const hint = 'check source.eventId, source.version and source.fields; smaller pages were refused too'
  return new HttpFault(what, { kind, status, hint, cause: refusal })
}
