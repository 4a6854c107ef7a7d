import { z } from 'zod'
import { counted } from '../../../transforms/texts/counted.ts'
import { shownLink } from '../../sources/contract/next-link.ts'
import type { Said } from '../../sources/contract/said.ts'
import { type Page, type PageCursor, SourceMovedError, UnprovedError } from '../../sources/contract/source.ts'

/** Its part of the progress that is saved. */
const savedSchema = z.object({ saidRecords: z.int(), recordsRead: z.int() })

/**
 * Keeps what the pages of a reading say of how much there is, to compare it with what was read. A smaller number than was read proves
 * nothing, so it changes nothing.
 *
 * @param from saved progress of a reading that is continued; null if it begins
 * @param pages pages read by then
 */
export function saidSoFar(from: PageCursor | null, pages: number) {
  const saved = savedSchema.safeParse(from)
  let { saidRecords, recordsRead } = saved.success ? saved.data : { saidRecords: 0, recordsRead: 0 }
  let pagesRead = pages
  let saidPages = 0
  let hasChanged = false
  let last: Said | null = null

  return {
    add({ elements, said }: Page, use: 'staged' | 'compared'): void {
      if (said.records !== null) {
        hasChanged ||= saidRecords > 0 && said.records !== saidRecords
        saidRecords = Math.max(saidRecords, said.records)
      }
      saidPages = Math.max(saidPages, said.pages ?? 0)
      // A link that led to nothing has been followed to its end.
      if (use === 'staged' || elements === 0) last = said
      if (use === 'compared') return
      recordsRead += elements
      pagesRead += 1
    },
    withCursor: (cursor: PageCursor): PageCursor => ({ ...cursor, saidRecords, recordsRead }),
    /**
     * @throws UnprovedError if the source says that there is more than was read; SourceMovedError if it said something else on another
     *   page, so that it may be whole when it is read again
     */
    requireEnd(): void {
      const hint = 'check whether the source, or a proxy before it, leaves records out'
      if (saidRecords > recordsRead) {
        const seen = `the source declares ${counted(saidRecords, 'record')}, but gave ${recordsRead}`
        throw hasChanged ? new SourceMovedError(seen) : new UnprovedError(seen, hint)
      }
      if (saidPages > pagesRead) {
        throw new UnprovedError(`the source declares ${saidPages} pages, but gave ${pagesRead}`, hint)
      }
      if (last !== null && last.more !== null) {
        const address = last.next === null ? '' : `, ${shownLink(last.next)}`
        const seen = `the last answer says that there are more records (${last.more}${address})`
        throw new UnprovedError(seen, hint)
      }
    },
  }
}
