import { ReadError } from '../read-error.ts'
import { type Ending, type Page, type ReadPage, SourceMovedError } from '../source.ts'

/** Most elements that the source gives in one answer; asking for more truncates silently. */
export const PAGE_SIZE = 1000

/**
 * Reads page after page, each beginning with the last element of the one before, to the page that holds that
 * element alone; or along the links, where the source gives them.
 *
 * Links lead only as far as `$top` elements, so a chain of links that ends there proves nothing. After a single
 * element, a page that overlaps would be the same request again, so the one after it is asked for.
 *
 * @throws SourceMovedError where a page does not begin with that element
 * @throws ReadError for a source that ignores `$skip` and so may have cut its answer
 * Source: spec-gaps, "OData v3 style".
 */
export async function readPages(urlOf: (skip: number) => URL, readPage: ReadPage): Promise<Ending> {
  const first = await readChain(urlOf(0), null, readPage)
  if (first.elements === 0) return { proof: 'empty page', declared: null }
  if (first.isWhole) return { proof: 'last link', declared: null }
  const ignoresSkip = () => isSkipIgnored(urlOf, readPage)
  // Where all that came bears one id, an overlap would be found in any answer.
  if (first.elements > 1 && first.first === first.last && (await ignoresSkip())) return endOfUnpaged(first)

  let read = first.elements
  let { last } = first
  for (;;) {
    let chain: Chain
    try {
      chain = await readChain(urlOf(read === 1 ? 1 : read - 1), last, readPage)
    } catch (error) {
      if (!(error instanceof SourceMovedError)) throw error
      if (read === 1 && error.first === null) return { proof: 'empty page', declared: null }
      if (error.first === first.first && (await ignoresSkip())) return endOfUnpaged(first, read)
      throw error
    }
    if (read === 1) {
      if (chain.elements === 0 && (await ignoresSkip())) return endOfUnpaged(first)
      throw new SourceMovedError('the page after the only element begins with it')
    }
    if (chain.elements === 0) return { proof: 'overlap', declared: null }
    if (chain.isWhole) return { proof: 'last link', declared: null }
    read += chain.elements
    last = chain.last
  }
}

/** Skips more than any event holds: what comes all the same comes whatever is skipped. */
const FAR_BEYOND = 1_000_000_000
const NO_ELEMENT = '\0'

async function isSkipIgnored(urlOf: (skip: number) => URL, readPage: ReadPage): Promise<boolean> {
  try {
    await readPage(urlOf(FAR_BEYOND), NO_ELEMENT)
  } catch (error) {
    if (error instanceof SourceMovedError) return error.first !== null
    throw error
  }
  return true
}

/** All that a source gives, whatever is skipped, is all it has only if it gave less than was asked for. */
function endOfUnpaged(first: Chain, read: number = first.elements): Ending {
  if (read === first.elements && read < PAGE_SIZE) return { proof: 'unpaged array', declared: null }
  throw new ReadError('the source ignores $skip, so its answer may be cut short', { retryable: false })
}

/** A page and the pages that its links lead to. */
interface Chain {
  /** New elements; the one that overlaps with the chain before does not count. */
  readonly elements: number
  readonly first: string | null
  readonly last: string | null
  /** Whether links led to the end of the resource, rather than to the end of what was asked for. */
  readonly isWhole: boolean
}

async function readChain(firstUrl: URL, overlap: string | null, readPage: ReadPage): Promise<Chain> {
  const seen = new Set([firstUrl.href])
  const { first, ...page } = await readPage(firstUrl, overlap)
  let { elements, last } = page
  let url = nextUrlOf(page.members, firstUrl)
  while (url !== null) {
    if (seen.has(url.href)) {
      throw new ReadError('the next link leads to a page that was read before', { retryable: false })
    }
    seen.add(url.href)
    const next = await readPage(url, null)
    elements += next.elements
    last = next.last ?? last
    url = nextUrlOf(next.members, url)
  }
  const given = elements + (overlap === null ? 0 : 1)
  return { elements, first, last, isWhole: seen.size > 1 && given < PAGE_SIZE }
}

/** Links lead on within the resource; anywhere else, neither the run nor its credentials follow. */
function nextUrlOf(members: Page['members'], from: URL): URL | null {
  const link = members['@odata.nextLink'] ?? members['odata.nextLink']
  if (typeof link !== 'string' || link === '') return null
  const next = URL.parse(link, from.href)
  if (
    next === null ||
    next.origin !== from.origin ||
    next.pathname !== from.pathname ||
    next.username !== ''
  ) {
    throw new ReadError('the next link leads to another resource or another host', { retryable: false })
  }
  return next
}
