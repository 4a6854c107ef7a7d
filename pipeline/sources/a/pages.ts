import { z } from 'zod'
import { REPORT_IT, ReadError } from '../../http/read-error.ts'
import { atSource, shownLink } from '../contract/next-link.ts'
import {
  type Ending,
  type Page,
  type PageCursor,
  type ReadPage,
  SourceMovedError,
} from '../contract/source.ts'
import { isReordered, requireSameRecords, sameOrder, unpagedOf } from '../contract/unpaged.ts'

/**
 * Reads page after page. Each page overlaps with the one before: its first element must be the last element
 * of that page. The end is proved by a page that holds only this element. If the source gives links, they are
 * followed.
 *
 * Links lead only to the first `$top` elements, so a chain of links that ends there proves nothing. If a link
 * has a `$skip`, it is changed to skip one element less, so that its page overlaps too. After a single
 * element, the overlapping page would be the same request again, so the page after that element is read.
 *
 * @param pageSize returns the number of records to ask for; it may shrink during the reading
 * @param save called with the progress so far before each page that overlaps
 * @param from saved progress to continue from; null to begin at the start
 * @throws SourceMovedError if a page does not begin with the last element of the page before
 * @throws UnprovedError if the source ignores `$skip` and may have cut its answer short
 */
export async function readPages(
  urlOf: (skip: number) => URL,
  readPage: ReadPage,
  pageSize: () => number,
  save: (cursor: PageCursor) => Promise<void> = async () => undefined,
  from: PageCursor | null = null,
): Promise<Ending> {
  const ignoresSkip = () => isSkipIgnored(urlOf, readPage)
  const unpaged = async (progress: Progress) => endOfUnpaged(progress, await readDescending(urlOf, readPage))
  const start = from === null ? await readStart(urlOf(0), readPage, pageSize) : cursorSchema.parse(from)
  if ('proof' in start) return start
  // If all elements have the same id, any answer would seem to overlap.
  if (start.read > 1 && start.first === start.last && (await ignoresSkip())) return unpaged(start)

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
      if (error.first === start.first && (await ignoresSkip())) return unpaged({ ...start, read })
      throw error
    }
    if (read === 1) {
      if (page.elements === 0 && (await ignoresSkip())) return unpaged(start)
      throw new SourceMovedError('the page after the only record begins with that record again')
    }
    const chain = await followLinks(url, page, 1, readPage, pageSize)
    if (chain.elements === 0) return { proof: 'overlap', declared: null }
    if (chain.isWhole) return { proof: 'last link', declared: null }
    read += chain.elements
    last = chain.last
  }
}

/**
 * Progress of reading: the number of elements read, the number in the first chain of links, the identities of
 * the first and the last element, and two hashes of the identities of the first page, sorted and in their
 * order. The hashes are empty in progress that an older version saved.
 */
const cursorSchema = z.object({
  read: z.int(),
  firstRead: z.int(),
  first: z.string().nullable(),
  last: z.string().nullable(),
  ids: z.string().default(''),
  order: z.string().default(''),
})
type Progress = z.output<typeof cursorSchema>

async function readStart(url: URL, readPage: ReadPage, pageSize: () => number): Promise<Progress | Ending> {
  const page = await readPage(url, null)
  const { elements, last, isWhole } = await followLinks(url, page, 0, readPage, pageSize)
  if (elements === 0) return { proof: 'empty page', declared: null }
  if (isWhole) return { proof: 'last link', declared: null }
  const { ids, order } = unpagedOf(page)
  return {
    read: elements,
    firstRead: elements,
    first: page.first,
    last,
    ids,
    order,
  }
}

/** More elements than any event has. A source that returns elements after so many ignores `$skip`. */
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

function readDescending(urlOf: (skip: number) => URL, readPage: ReadPage): Promise<Page> {
  const url = urlOf(0)
  url.searchParams.set('$orderby', 'Id desc')
  return readPage(url, null, 'compared')
}

/**
 * Proves that a source that ignores `$skip` returned all its elements: asked for the opposite order, it must
 * return the same elements in another order. An answer that is cut short would have other elements, and an
 * answer that ignores the query would have the same order. The order of a single element does not matter.
 */
function endOfUnpaged({ read, firstRead, ids, order }: Progress, descending: Page): Ending {
  const first = { elements: firstRead, ids, order }
  requireSameRecords(first, read === firstRead ? descending : null, 'the source ignores $skip')
  if (!isReordered(first, descending)) throw sameOrder(first, 'the source ignores $skip', '$orderby')
  return { proof: 'unpaged array', declared: null }
}

/** A page and the pages that its links lead to. */
interface PageChain {
  /** New elements; the element that overlaps with the previous chain does not count. */
  readonly elements: number
  readonly last: string | null
  /** True if the links led to the end of the resource, not only to the end of the `$top` elements. */
  readonly isWhole: boolean
}

/** The read fails if links lead to more empty pages in a row than this. */
const MAX_EMPTY_PAGES = 100

/** @param overlapping the number of elements of `page` that were already on the page before it */
async function followLinks(
  firstUrl: URL,
  page: Page,
  overlapping: 0 | 1,
  readPage: ReadPage,
  pageSize: () => number,
): Promise<PageChain> {
  const seen = new Set([firstUrl.href])
  let { elements, last } = page
  let link = nextUrlOf(page.members, firstUrl)
  let emptyPages = 0
  while (link !== null) {
    const overlapped = last === null ? null : overlappedUrl(link, pageSize())
    const url = overlapped ?? link
    if (seen.has(link.href) || seen.has(url.href)) {
      throw new ReadError('the next link leads to a page that was read before', { hint: REPORT_IT })
    }
    seen.add(url.href)
    const next = await readPage(url, overlapped === null ? null : last)
    emptyPages = next.elements === 0 ? emptyPages + 1 : 0
    if (emptyPages > MAX_EMPTY_PAGES) {
      throw new ReadError(`next links led to more than ${MAX_EMPTY_PAGES} pages without a record`, {
        hint: REPORT_IT,
      })
    }
    elements += next.elements
    last = next.last ?? last
    link = nextUrlOf(next.members, firstUrl, url)
  }
  return { elements, last, isWhole: seen.size > 1 && elements + overlapping < pageSize() }
}

/**
 * Changes a link so that its page begins one element earlier, with the last element that was read. Returns
 * null if the link has no `$skip`, but continues after a given element (`$skiptoken`): then a change at the
 * source before that element moves nothing.
 */
function overlappedUrl(link: URL, pageSize: number): URL | null {
  const skip = Number(link.searchParams.get('$skip') ?? 0)
  if (!Number.isSafeInteger(skip) || skip < 1) return null
  const url = new URL(link)
  url.searchParams.set('$skip', String(skip - 1))
  const top = Number(link.searchParams.get('$top') ?? pageSize)
  // A page of the largest size is not made larger: the source might refuse it.
  if (top < pageSize) url.searchParams.set('$top', String(top + 1))
  return url
}

/**
 * Returns the next link. Links may lead only within the resource; they are sent to `source.url` even if they
 * name another host.
 */
function nextUrlOf(members: Page['members'], resource: URL, page = resource): URL | null {
  const link = members['@odata.nextLink'] ?? members['odata.nextLink']
  if (typeof link !== 'string' || link === '') return null
  const next = atSource(link, resource, page)
  if (next === null) {
    const what = 'the next link leads to another resource or another host'
    throw new ReadError(`${what} (${shownLink(link, page)})`, { hint: REPORT_IT })
  }
  return next
}
