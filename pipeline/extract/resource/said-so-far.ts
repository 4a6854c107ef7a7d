import { z } from 'zod'
import { counted } from '../../../transforms/texts/counted.ts'
import { shownLink } from '../../sources/contract/next-link.ts'
import type { Said } from '../../sources/contract/said.ts'
import {
  type Ending,
  type Page,
  type PageCursor,
  SourceMovedError,
  UnprovedError,
} from '../../sources/contract/source.ts'

const ANOTHER_PROOF =
  'let `readToEnd` read until a page is empty or has no next link, and return `empty page` or `last link`'

/** The part of a reading's saved progress that this file defines. */
const savedSchema = z.object({ saidRecords: z.int(), recordsRead: z.int() })

const LEAVES_OUT = 'check whether the source, or a proxy before it, leaves records out'

/**
 * Remembers the numbers of records and pages that the answers of a source state. At the end they are compared
 * with the numbers that were read. A stated number that is smaller than the number read proves nothing, so it
 * is ignored.
 *
 * @param from saved progress of a reading that is continued; null for a new reading
 * @param pages number of pages that were read before
 */
export function saidSoFar(from: PageCursor | null, pages: number) {
  const saved = savedSchema.safeParse(from)
  let { saidRecords, recordsRead } = saved.success ? saved.data : { saidRecords: 0, recordsRead: 0 }
  let pagesRead = pages
  let saidPages = 0
  let hasChanged = false
  let last: Said | null = null

  return {
    add({ elements, said }: Pick<Page, 'elements' | 'said'>, use: 'staged' | 'compared'): void {
      if (said.records !== null) {
        hasChanged ||= saidRecords > 0 && said.records !== saidRecords
        saidRecords = Math.max(saidRecords, said.records)
      }
      saidPages = Math.max(saidPages, said.pages ?? 0)
      // If a link leads to an empty page, that page is the last answer.
      if (use === 'staged' || elements === 0) last = said
      if (use === 'compared') return
      recordsRead += elements
      pagesRead += 1
    },
    withCursor: (cursor: PageCursor): PageCursor => ({ ...cursor, saidRecords, recordsRead }),
    /**
     * Checks that the reading is as long as the source stated, in its answers or at its end.
     *
     * @param twice how often a record came again on its own page. A total that counts such a record once is
     *   reached too early, so such a reading needs another proof than its total
     * @param hint advice if the reading is too short
     * @throws UnprovedError if the source stated more records than were read; SourceMovedError if pages
     *   stated different numbers of records, because another reading may succeed
     */
    requireEnd({ proof, declared }: Ending, twice = 0, hint = LEAVES_OUT): void {
      saidRecords = Math.max(saidRecords, declared ?? 0)
      if (saidRecords > recordsRead) {
        const seen = `the source declares ${counted(saidRecords, 'record')}, but gave ${recordsRead}`
        throw hasChanged ? new SourceMovedError(seen) : new UnprovedError(seen, hint)
      }
      if (proof === 'total met' && twice > 0 && saidRecords > recordsRead - twice) {
        const seen = `the source declares ${counted(saidRecords, 'record')}, but gave ${recordsRead - twice} and ${twice} of them again on the same page`
        throw new UnprovedError(seen, ANOTHER_PROOF)
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
