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
 * Reads a resource page by page. Each page overlaps with the previous page: its first element must be the
 * last element of the previous page. If a page contains only this element, the end of the resource is proved.
 * If the source gives links to next pages, the product follows these links.
 *
 * The links of Source A only lead through the first `$top` elements. If a chain of links ends there, that
 * does not prove the end of the resource. If a link has `$skip`, the number is lowered by one, so that the
 * page of the link also overlaps. If there is only one element, the overlapping page would be the same
 * request again. The page after this element is then requested instead.
 *
 * @param pageSize returns the number of records to request; the number may become smaller during the reading
 * @param save called before each overlapping page, with the progress so far
 * @param from saved progress of an earlier reading; null to begin with the first page
 * @throws SourceMovedError if a page does not begin with the last element of the previous page
 * @throws UnprovedError if the source ignores `$skip` and its answer may be incomplete
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
  // If all elements have the same id, any page would seem to overlap, so the product checks that the source
  // does not ignore `$skip`.
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
 * Progress of a reading. The progress contains the number of elements that were read, and how many came from
 * the first chain of links. The progress also contains the ids of the first and last element, and two hashes
 * of the ids on the first page. One hash covers the sorted ids. The other hash covers the ids in their order.
 * The hashes are empty if an older version of the product saved the progress.
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

/**
 * A number that is larger than the number of elements of any event. If a source returns elements after
 * skipping this number, it ignores `$skip`.
 */
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
 * Proves that a source that ignores `$skip` has returned all its elements. If the opposite order is
 * requested, the source must return the same elements in another order. If the first answer was cut off, the
 * second answer has other elements. If the source ignores the requested order, the order stays the same. For
 * a single element, the order is not compared.
 */
function endOfUnpaged({ read, firstRead, ids, order }: Progress, descending: Page): Ending {
  const first = { elements: firstRead, ids, order }
  requireSameRecords(first, read === firstRead ? descending : null, 'the source ignores $skip')
  if (!isReordered(first, descending)) throw sameOrder(first, 'the source ignores $skip', '$orderby')
  return { proof: 'unpaged array', declared: null }
}

/** A page, and the pages to which its links lead. */
interface PageChain {
  /** Number of new elements. The element that overlaps with the previous pages is not counted. */
  readonly elements: number
  readonly last: string | null
  /**
   * True if the links led to the end of the resource. False if they may have led only to the end of the first
   * `$top` elements.
   */
  readonly isWhole: boolean
}

/**
 * Maximum number of empty pages in a row to which links may lead. If links lead to more empty pages, the read
 * fails.
 */
const MAX_EMPTY_PAGES = 100

/**
 * Reads the pages to which the links of a page lead.
 *
 * @param overlapping number of elements of `page` that the previous page also had
 */
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
 * null if the link has no `$skip`, but continues after a given element (`$skiptoken`). If the source changes
 * before that element, the pages of such links do not shift.
 */
function overlappedUrl(link: URL, pageSize: number): URL | null {
  const skip = Number(link.searchParams.get('$skip') ?? 0)
  if (!Number.isSafeInteger(skip) || skip < 1) return null
  const url = new URL(link)
  url.searchParams.set('$skip', String(skip - 1))
  const top = Number(link.searchParams.get('$top') ?? pageSize)
  // A page that already has the maximum size is not made larger, because the source might refuse the request.
  if (top < pageSize) url.searchParams.set('$top', String(top + 1))
  return url
}

/**
 * Returns the link to the next page. The link must lead to the same resource. The request is sent to
 * `source.url` even if the link names another host.
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
