import type { pageReader } from './page-reader.ts'
import { ReadError } from './read-error.ts'
import { type Ending, type Place, type Resource, type Source, SourceMovedError } from './source.ts'

/** A resource is read this often before it is given up as one that keeps moving. */
const MAX_READINGS = 3

/** What a reading from the first page to the last needs beside the source. */
export interface WholeReading {
  readonly readPage: ReturnType<typeof pageReader>
  /** Takes back all that was read, since reading begins anew. */
  restart(): Promise<void>
  /** Told after each page where reading could go on. */
  save(place: Place): Promise<void>
  /** Such a place, and the pages read by then; null and 0 to begin at the beginning. */
  readonly from: Place | null
  readonly pages: number
}

/**
 * Has a source read a resource to its proved end, and again from its beginning where it moved meanwhile.
 *
 * @throws ReadError naming resource and page; SourceMovedError where the source moved in each of three readings
 */
export async function readToProof(
  source: Source,
  resource: Resource,
  reading: WholeReading,
): Promise<Ending> {
  let { from, pages } = reading
  for (let readings = 1; ; readings += 1) {
    try {
      return await source.readToEnd(
        resource,
        (url, overlap, use = 'staged') => {
          if (use === 'staged') pages += 1
          const page = use === 'staged' ? `page ${pages}` : `page ${pages - 1} again`
          return reading.readPage(`${resource.name}, ${page}`, url, overlap, use)
        },
        reading.save,
        from,
      )
    } catch (error) {
      if (error instanceof ReadError) {
        const message = `${resource.name}, page ${pages}: ${error.message}`
        throw new ReadError(message, { retryable: false, cause: error })
      }
      if (!(error instanceof SourceMovedError)) throw error
      if (readings >= MAX_READINGS) {
        throw new SourceMovedError(`the source moved in each of ${MAX_READINGS} readings: ${error.message}`)
      }
      await reading.restart()
      from = null
      pages = 0
    }
  }
}
