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
 * Reads page after page, each beginning with the last element of the one before, to the page that holds that
 * element alone; or along the links, if the source gives them.
 *
 * Links lead only as far as `$top` elements, so a chain of links that ends there proves nothing. A link that skips
 * elements is asked to skip one less, so that its page overlaps too. After a single element, a page that overlaps would
 * be the same request again, so the one after it is asked for.
 *
 * @param pageSize records that are asked for at a time: it may have become less meanwhile
 * @param save called before each page that overlaps, with the progress so far
 * @param from such progress, to continue from
 * @throws SourceMovedError where a page does not begin with that element
 * @throws UnprovedError for a source that ignores `$skip` and may have cut its answer
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
 * Progress of reading: elements read, those of the first chain, the first and the last identity, and hashes of the identities
 * of the first page, sorted and in their order (empty where an older version saved it).
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

/** More than any event holds: a source that still gives elements ignores `$skip`. */
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
 * Proves that a source that ignores `$skip` gave all that it has: true if the same elements come in another order when that is asked for:
 * an answer that is cut short would have others then, and one that ignores the query the same order. A single element has one order
 * only.
 */
function endOfUnpaged({ read, firstRead, ids, order }: Progress, descending: Page): Ending {
  const first = { elements: firstRead, ids, order }
  requireSameRecords(first, read === firstRead ? descending : null, 'the source ignores $skip')
  if (!isReordered(first, descending)) throw sameOrder(first, 'the source ignores $skip', '$orderby')
  return { proof: 'unpaged array', declared: null }
}

/** A page and the pages that its links lead to. */
interface PageChain {
  /** New elements; the one that overlaps with the chain before does not count. */
  readonly elements: number
  readonly last: string | null
  /** True if links led to the end of the resource, not only of what was asked for. */
  readonly isWhole: boolean
}

/** Links that lead to more pages without an element than this are given up. */
const MAX_EMPTY_PAGES = 100

/** @param overlapping elements of the page that came before it as well */
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
 * A link changed so that its page begins one element earlier, with the last one read; null where the link does not count elements,
 * but leads on from one (`$skiptoken`), so that a change before it moves nothing.
 */
function overlappedUrl(link: URL, pageSize: number): URL | null {
  const skip = Number(link.searchParams.get('$skip') ?? 0)
  if (!Number.isSafeInteger(skip) || skip < 1) return null
  const url = new URL(link)
  url.searchParams.set('$skip', String(skip - 1))
  const top = Number(link.searchParams.get('$top') ?? pageSize)
  // A source that refuses large pages would refuse one that is larger by one.
  if (top < pageSize) url.searchParams.set('$top', String(top + 1))
  return url
}

/** Links are followed within the resource only, and at `source.url` even if they name another host. */
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
