import { z } from 'zod'
import { isBelow } from '../below.ts'
import { ReadError } from '../read-error.ts'
import { type Ending, type Page, type Place, type ReadPage, SourceMovedError } from '../source.ts'

/** Most elements that the source gives in one answer; asking for more truncates silently. */
export const PAGE_SIZE = 1000

/**
 * Reads page after page, each beginning with the last element of the one before, to the page that holds that
 * element alone; or along the links, where the source gives them.
 *
 * Links lead only as far as `$top` elements, so a chain of links that ends there proves nothing. A link that skips
 * elements is asked for one less, so that its page overlaps too. After a single element, a page that overlaps would
 * be the same request again, so the one after it is asked for.
 *
 * @param save told before each page that overlaps where reading stands
 * @param from such a standing, to go on from
 * @throws SourceMovedError where a page does not begin with that element
 * @throws ReadError for a source that ignores `$skip` and so may have cut its answer
 * Source: spec-gaps, "OData v3 style".
 */
export async function readPages(
  urlOf: (skip: number) => URL,
  readPage: ReadPage,
  save: (place: Place) => Promise<void> = async () => undefined,
  from: Place | null = null,
): Promise<Ending> {
  const ignoresSkip = () => isSkipIgnored(urlOf, readPage)
  const start = from === null ? await readStart(urlOf(0), readPage) : placeSchema.parse(from)
  if ('proof' in start) return start
  // Where all that came bears one id, an overlap would be found in any answer.
  if (start.read > 1 && start.first === start.last && (await ignoresSkip())) return endOfUnpaged(start)

  let { read, last } = start
  for (;;) {
    await save({ ...start, read, last })
    const url = urlOf(read === 1 ? 1 : read - 1)
    let page: Page
    try {
      page = await readPage(url, last)
    } catch (error) {
      if (!(error instanceof SourceMovedError)) throw error
      if (read === 1 && error.first === null) return { proof: 'empty page', declared: null }
      if (error.first === start.first && (await ignoresSkip())) return endOfUnpaged(start, read)
      throw error
    }
    if (read === 1) {
      if (page.elements === 0 && (await ignoresSkip())) return endOfUnpaged(start)
      throw new SourceMovedError('the page after the only element begins with it')
    }
    const chain = await followLinks(url, page, 1, readPage)
    if (chain.elements === 0) return { proof: 'overlap', declared: null }
    if (chain.isWhole) return { proof: 'last link', declared: null }
    read += chain.elements
    last = chain.last
  }
}

/** Where reading stands: elements read, those of them that came first, and who they begin and end with. */
const placeSchema = z.object({
  read: z.int(),
  firstRead: z.int(),
  first: z.string().nullable(),
  last: z.string().nullable(),
})
type Standing = z.output<typeof placeSchema>

async function readStart(url: URL, readPage: ReadPage): Promise<Standing | Ending> {
  const page = await readPage(url, null)
  const { elements, last, isWhole } = await followLinks(url, page, 0, readPage)
  if (elements === 0) return { proof: 'empty page', declared: null }
  if (isWhole) return { proof: 'last link', declared: null }
  return { read: elements, firstRead: elements, first: page.first, last }
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
function endOfUnpaged({ firstRead }: Standing, read: number = firstRead): Ending {
  if (read === firstRead && read < PAGE_SIZE) return { proof: 'unpaged array', declared: null }
  throw new ReadError('the source ignores $skip, so its answer may be cut short', { retryable: false })
}

/** A page and the pages that its links lead to. */
interface Chain {
  /** New elements; the one that overlaps with the chain before does not count. */
  readonly elements: number
  readonly last: string | null
  /** Whether links led to the end of the resource, rather than to the end of what was asked for. */
  readonly isWhole: boolean
}

/** @param overlapping elements of the page that came before it as well */
async function followLinks(
  firstUrl: URL,
  page: Page,
  overlapping: 0 | 1,
  readPage: ReadPage,
): Promise<Chain> {
  const seen = new Set([firstUrl.href])
  let { elements, last } = page
  let link = nextUrlOf(page.members, firstUrl)
  while (link !== null) {
    const overlapped = last === null ? null : overlappedUrl(link)
    const url = overlapped ?? link
    if (seen.has(link.href) || seen.has(url.href)) {
      throw new ReadError('the next link leads to a page that was read before', { retryable: false })
    }
    seen.add(url.href)
    const next = await readPage(url, overlapped === null ? null : last)
    elements += next.elements
    last = next.last ?? last
    link = nextUrlOf(next.members, url)
  }
  return { elements, last, isWhole: seen.size > 1 && elements + overlapping < PAGE_SIZE }
}

/**
 * The address of a link whose page begins with one element more, the last one read; null where the link does not
 * count elements. Such a link leads on from an element (`$skiptoken`) rather than from a number of them, so that
 * what comes and goes before it moves nothing.
 */
function overlappedUrl(link: URL): URL | null {
  const skip = Number(link.searchParams.get('$skip') ?? 0)
  if (!Number.isSafeInteger(skip) || skip < 1) return null
  const url = new URL(link)
  url.searchParams.set('$skip', String(skip - 1))
  const top = link.searchParams.get('$top')
  if (top !== null) url.searchParams.set('$top', String(Number(top) + 1))
  return url
}

/** Links lead on within the resource; anywhere else, neither the run nor its credentials follow. */
function nextUrlOf(members: Page['members'], from: URL): URL | null {
  const link = members['@odata.nextLink'] ?? members['odata.nextLink']
  if (typeof link !== 'string' || link === '') return null
  const next = URL.parse(link, from.href)
  if (next === null || !isBelow(next, from)) {
    throw new ReadError('the next link leads to another resource or another host', { retryable: false })
  }
  return next
}
