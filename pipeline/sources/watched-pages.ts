import { HttpFault, ReadError } from '../http/read-error.ts'
import { type Ending, type ReadPage, SourceMovedError } from './contract/source.ts'

/** Status codes by which a source says that it has no such page. */
const NO_SUCH_PAGE: ReadonlySet<number> = new Set([400, 404, 410, 416, 422])

/**
 * Watches the pages that `readToEnd` of a source outside this package reads. A page that could not be read, or
 * that nobody waited for, would be missing in the list, whatever proof of the end the code returns.
 */
export function watchedPages(title: string, readPage: ReadPage) {
  let isReading = false
  let failure: unknown = null
  /** Number of records on the last page; null if no page was read. */
  let elements: number | null = null
  const mistake = (what: string, hint: string) => new ReadError(`\`readToEnd\` of ${title} ${what}`, { hint })

  return {
    readPage: (async (...page) => {
      if (isReading) {
        failure = mistake('requested a page before the page before was read', AWAIT)
        throw failure
      }
      isReading = true
      try {
        const read = await readPage(...page)
        elements = read.elements
        return read
      } catch (error) {
        if (saysNoSuchPage(error)) elements = 0
        else failure ??= error
        throw error
      } finally {
        isReading = false
      }
    }) satisfies ReadPage,
    /**
     * Checks that `readToEnd` has read all pages that it requested, and that its proof fits the last page.
     *
     * @throws the error of a page that could not be read, which `readToEnd` must not hide
     */
    requireAllRead({ proof, declared }: Ending): void {
      if (failure !== null) throw failure
      if (isReading) throw mistake('returned before all its pages were read', AWAIT)
      if (proof === 'total met' && declared === null)
        throw mistake('returned `total met` without a total', 'return {proof, declared}, with a number')
      if (proof === 'empty page' && (elements ?? 0) > 0)
        throw mistake('returned `empty page`, but its last page has records', 'read until a page is empty')
    },
  }
}

const AWAIT = 'await each call of `readPage` before the next, and before `readToEnd` returns'

function saysNoSuchPage(error: unknown): boolean {
  if (error instanceof HttpFault) return error.status !== null && NO_SUCH_PAGE.has(error.status)
  return error instanceof SourceMovedError
}
