import { ReadError } from '../http/read-error.ts'
import {
  type Ending,
  type PageCursor,
  type Resource,
  type Source,
  SourceMovedError,
} from '../sources/contract/source.ts'
import type { pageReader } from './page-reader.ts'

/** A resource that changes while it is read is read this often before it is given up. */
const MAX_READINGS = 3

/** What a reading from the first page to the last needs beside the source. */
export interface WholeReading {
  readonly readPage: ReturnType<typeof pageReader>
  /** Takes back all that was read, since reading begins again. */
  restart(): Promise<void>
  /** Called after each page with where reading could continue. */
  save?(cursor: PageCursor): Promise<void>
  /** Where to continue, and the pages read by then; left out: from the beginning. */
  readonly from?: PageCursor | null
  readonly pages?: number
}

/**
 * Reads a resource to its proved end, and again from its beginning where the source moved meanwhile.
 *
 * @throws ReadError naming resource and page; SourceMovedError where the source moved in each of three readings;
 *   UnprovedError where it cannot be known whether this was the end
 */
export async function readToProof(
  source: Source,
  resource: Resource,
  reading: WholeReading,
): Promise<Ending> {
  const { readPage, restart, save = async () => undefined } = reading
  let { from = null, pages = 0 } = reading
  for (let readings = 1; ; readings += 1) {
    try {
      return await source.readToEnd(
        resource,
        (url, overlap, use = 'staged') => {
          if (use === 'staged') pages += 1
          const page = use === 'staged' ? `page ${pages}` : `page ${pages - 1} again`
          return readPage(`${resource.name}, ${page}`, url, overlap, use)
        },
        save,
        from,
      )
    } catch (error) {
      if (error instanceof ReadError) {
        const message = `${resource.name}, page ${pages}: ${error.message}`
        throw new ReadError(message, { cause: error })
      }
      if (!(error instanceof SourceMovedError)) throw error
      if (readings >= MAX_READINGS) {
        throw new SourceMovedError(`the source moved in each of ${MAX_READINGS} readings: ${error.message}`)
      }
      await restart()
      from = null
      pages = 0
    }
  }
}
