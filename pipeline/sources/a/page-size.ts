import { HttpFault } from '../../http/read-error.ts'
import { type Page, type ReadPage, SourceMovedError } from '../contract/source.ts'

/** Records that are asked for at a time; a source may refuse many with 400, but gives fewer silently. */
const SIZES = [1000, 500, 250, 100, 50]
const [LARGEST = 1000] = SIZES

/** Makes the size of the pages that a source takes, for all of its resources: it starts with the largest; the first smaller one that the source takes after a refusal is used from then on. */
export function makePageSize() {
  let size = LARGEST

  return {
    current: () => size,
    /** Sentences for the report. */
    notes: (): readonly string[] =>
      size === LARGEST
        ? []
        : [`the source refused $top=${LARGEST} with 400, so it was read in pages of ${size} records`],
    /**
     * Reads a page as `readPage` does, and again with fewer records if the source answers 400. Links of the source are not changed.
     *
     * @throws HttpFault the first one, if no size helps: then the cause is another
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
