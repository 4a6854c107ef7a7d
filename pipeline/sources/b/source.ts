import { z } from 'zod'
import { registrants } from '../../../transforms/source-b/resources.ts'
import { counted } from '../../../transforms/texts/counted.ts'
import { REPORT_IT } from '../../http/read-error.ts'
import {
  baseUrl,
  type ConfigOf,
  keyOptions,
  nameOrNumber,
  pathSegment,
  secretReference,
  sourceReading,
  sourceTimeZone,
} from '../../settings/values.ts'
import { atSource } from '../contract/next-link.ts'
import {
  type Ending,
  type EndProof,
  type Page,
  type PageCursor,
  type ReadPage,
  type Source,
  SourceMovedError,
  type SourceResource,
  UnfitChangesError,
  UnprovedError,
} from '../contract/source.ts'
import type { TokenSource } from '../contract/token.ts'
import { isReordered, requireSameRecords, sameOrder, unpagedOf } from '../contract/unpaged.ts'

/** The value of `source` in event-sync.yaml for `type: b`. */
export const shapeB = {
  type: z.literal('b').describe('Source B: a registration system, read with an API key.'),
  url: baseUrl()
    .describe('Address of the system, without /api.')
    .meta({ examples: ['https://source-b.example'] }),
  eventId: pathSegment()
    .describe('The event in the source, the value of event_id.')
    .meta({ examples: ['77'] }),
  apiKey: secretReference()
    .describe('API key of the source: env:NAME or file:PATH.')
    .meta({ examples: ['env:SOURCE_B_API_KEY'] }),
  authenticationSecret: secretReference()
    .describe('Authentication secret of the source: env:NAME or file:PATH.')
    .meta({ examples: ['env:SOURCE_B_AUTHENTICATION_SECRET'] }),
  speakerRegistrantType: nameOrNumber()
    .prefault('Speaker')
    .describe('Registrant type that makes a registrant a speaker: its name (case ignored) or its id.'),
  timeZone: sourceTimeZone(),
  fields: keyOptions([registrants]),
  cancelledSpeakers: z
    .enum(['keep', 'exclude'])
    .default('keep')
    .describe('Whether a speaker whose registration is cancelled stays a speaker.'),
  reading: sourceReading(),
}

export type SourceBConfig = ConfigOf<typeof shapeB>

/**
 * Maximum number of elements that the source returns in one answer. For older accounts the maximum is 200.
 */
const PAGE_SIZE = 1000

const IGNORES_PAGE = 'check whether the source, or a cache or proxy before it, ignores the page number'

/** Credits that a request for a list costs. An account has 2000 credits for ten minutes. */
const LIST_COST = 10

const PATHS: Readonly<Record<string, string>> = {
  sessions: 'sessions.json',
  registrants: 'registrants.json',
  reg_types: 'reg-types.json',
}

const count = z.union([
  z.int().nonnegative(),
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
])
const metaSchema = z.object({
  totalCount: count,
  currentPage: count.optional(),
  perPage: count.optional().catch(undefined),
})

export function urlOfB(config: SourceBConfig, path: string): URL {
  return new URL(`api/v1/${path}`, `${config.url}/`)
}

export function sourceB(config: SourceBConfig, account: string, tokens: TokenSource): Source {
  return {
    type: 'b',
    within: new URL(`${config.url}/`),
    account,
    requestCost: LIST_COST,
    readToEnd(resource, readPage, save, from) {
      const urlOf = (page: number) => pageUrl(config, resource, page)
      return readPages(urlOf, readPage, save, from, resource.search !== undefined)
    },
    authorization: async () => ({ Authorization: await tokens.header() }),
    renewAuthorization: (refused) => tokens.forget(refused.Authorization ?? ''),
  }
}

function pageUrl(config: SourceBConfig, resource: SourceResource, page: number): URL {
  const { name, keys, search, changes } = resource
  const path = PATHS[name]
  if (path === undefined) throw new Error(`source b has no resource ${name}`)
  const url = urlOfB(config, path)
  url.searchParams.set('event_id', config.eventId)
  // The source returns other fields than id and name only if the request names them.
  url.searchParams.set('fields', keys.join(','))
  url.searchParams.set('page', String(page))
  url.searchParams.set('per-page', String(PAGE_SIZE))
  if (search !== undefined) {
    // The time has the same format as in records. With a `T` in the middle of the time, the source would find
    // nothing.
    const isIds = 'ids' in search
    const text = isIds ? `id=*in*${search.ids.join('|')}` : `${changes?.key}>=${search.changedSince}`
    url.searchParams.set('search', text)
    url.searchParams.set('sort', 'id')
  }
  return url
}

/**
 * Reads a resource page by page, until as many elements were read as the source declares. Every page must
 * declare the same total number. If an answer is a bare array, it is treated as one page if a header declares
 * the total or names a next page. A bare array without such a header is treated as the whole resource. A
 * second answer in another order must confirm it.
 *
 * Every page except the last must have as many records as the first page. If the source changed the page size
 * during the reading, page 2 would not begin where page 1 ended. If the source declares a page size, this
 * size must also stay the same.
 *
 * If the source declares no total, the end is an empty page after which another page is empty, or the last page that is named by a link or by
 * the number of pages. Without a total, a deletion during the reading could shift an unread record to a page
 * that was already read. Nobody would notice that the record is missing. To detect this, the previous page is
 * read again after each page. If the total contradicts the number of pages, the total is ignored.
 *
 * If a page has a record twice, the total may count the record once, and is then reached too early. The page
 * after the last one then proves the end.
 *
 * @param needsTotal true if an answer without a total proves nothing, for example the answer to a search
 * @throws SourceMovedError if the total changes or is not reached; UnfitChangesError if a needed total is
 *   missing; UnprovedError if links lead to more records than the total
 */
async function readPages(
  urlOf: (page: number) => URL,
  readPage: ReadPage,
  save: (cursor: PageCursor) => Promise<void>,
  from: PageCursor | null,
  needsTotal: boolean,
): Promise<Ending> {
  const start = from === null ? await readStart(urlOf, readPage, needsTotal) : startFrom(from)
  if ('proof' in start) return start
  const { declared } = start
  let progress = start
  let leadsBeyond = false

  async function requireUnmoved(before: Progress): Promise<void> {
    const again = await readPage(urlOf(before.pages), null, 'compared')
    if (!isSame(again, before)) throw new SourceMovedError(`page ${before.pages} changed after it was read`)
  }

  while (goesOn(progress)) {
    await save(progress)
    const number = progress.pages + 1
    if (declared !== null && progress.read >= declared) {
      const beyond = await readPage(urlOf(number), null, 'compared')
      if (beyond.elements === 0) break
      requireOther(beyond, progress)
      leadsBeyond = true
    } else if (progress.form === 'array' && number === 2) {
      requireOther(await readPage(urlOf(number), null, 'compared'), progress)
    }
    const page = await readPage(urlOf(number), null)
    if (page.elements === 0) {
      if (declared === null) {
        await requireUnmoved(progress)
        await requireEmptyAfter(number, urlOf, readPage)
        return { proof: 'empty page', declared }
      }
      throw new SourceMovedError(`page ${number} is empty after ${progress.read} of ${declared} records`)
    }
    const { totalCount, currentPage = number, perPage } = metaOf(page)
    if (declared !== null && totalCount !== declared)
      throw new SourceMovedError(`the total changed from ${declared} to ${totalCount}`)
    // If a page after the last page is requested, the source returns its last page again.
    if (currentPage !== number)
      throw new SourceMovedError(`page ${currentPage} was returned instead of page ${number}`)
    // Pages that are all the same might never end.
    if (isSame(page, progress))
      throw new SourceMovedError(`page ${number} is page ${progress.pages} again: ${IGNORES_PAGE}`)
    const { size } = progress
    if (perPage !== progress.perPage)
      throw new SourceMovedError(`the size of pages changed from ${progress.perPage} to ${perPage}`)
    if (progress.elements !== size || page.elements > size)
      throw new SourceMovedError(
        `pages are not all of one size: page 1 has ${counted(size, 'record')}, page ${progress.pages} ${progress.elements}, page ${number} ${page.elements}`,
      )
    if (declared === null) await requireUnmoved(progress)
    const upTo = pagesNamed(page, urlOf(number), number) ?? progress.upTo
    progress = { ...progress, ...progressAfter(page, progress, number), upTo }
  }
  if (declared === null) return { proof: 'last link', declared }
  if (leadsBeyond) {
    const seen = `the source declares ${counted(declared, 'record')}, but its links led to ${progress.read}`
    throw new UnprovedError(seen, REPORT_IT)
  }
  if (progress.read > declared) {
    throw new SourceMovedError(`${counted(progress.read, 'record')} read, but ${declared} declared`)
  }
  return { proof: progress.twice === 0 ? 'total met' : await endBeyond(progress), declared }

  /** Proves the end by the page after the last. @throws UnprovedError if this page has further records */
  async function endBeyond({ pages, twice }: Progress): Promise<EndProof> {
    const number = pages + 1
    const beyond = await readPage(urlOf(number), null, 'compared')
    if (beyond.elements === 0) return 'empty page'
    const { currentPage = number } = metaOf(beyond)
    if (currentPage === pages || isSame(beyond, progress)) return 'last link'
    const seen = `${counted(twice, 'record')} came again on its own page, and more records follow the declared total`
    throw new UnprovedError(seen, REPORT_IT)
  }
}

/**
 * Checks that no records follow an empty page. A source that filters the records of each page can have an empty
 * page before the last one.
 *
 * @throws SourceMovedError if records follow
 */
async function requireEmptyAfter(number: number, urlOf: (page: number) => URL, readPage: ReadPage) {
  const next = await readPage(urlOf(number + 1), null, 'compared')
  if (next.elements > 0)
    throw new SourceMovedError(`page ${number} is empty, but page ${number + 1} has records`)
}

/** Returns true if another page must be read. */
function goesOn({ declared, read, pages, upTo }: Progress): boolean {
  const isNamed = upTo !== null && pages < upTo
  return declared === null ? upTo === null || isNamed : read < declared || isNamed
}

/**
 * Checks that a page that may not exist is not just the previous page again. The records of such a page must
 * not be read twice.
 *
 * @throws UnprovedError if it is the previous page again
 */
function requireOther(page: Page, progress: Progress): void {
  const { currentPage = progress.pages + 1 } = metaOf(page)
  if (currentPage === progress.pages + 1 && !isSame(page, progress)) return
  const seen = `the source names a page ${progress.pages + 1}, but gives page ${progress.pages} again`
  throw new UnprovedError(seen, REPORT_IT)
}

/**
 * Returns the number of the last page, as far as an answer names it by a link to the next page or by the
 * number of pages. Returns null if the answer names no page.
 */
function pagesNamed({ said }: Page, url: URL, number: number): number | null {
  const link = said.next === null ? null : atSource(said.next, url)
  // Only the page number of the link is used, because the link may lack the event and the fields of the
  // request.
  const next = Number(link?.searchParams.get('page') ?? 0)
  const named = Math.max(said.pages ?? 0, next === number + 1 ? next : 0)
  return named > 1 ? named : null
}

/** Progress of a reading: the number of pages and records that were read, and data about the last page. */
const cursorSchema = z.object({
  pages: z.int(),
  read: z.int(),
  /** Number of records on page 1. */
  size: z.int(),
  /** Number of records on a page, as the source declares it; null if it does not declare this number. */
  perPage: z.int().nullable(),
  declared: z.int().nullable(),
  /** Number of the last page that an answer has named; null if no answer has named a page. */
  upTo: z.int().nullable(),
  form: z.string(),
  elements: z.int(),
  /** How often a record came again on its own page, with the same values. */
  twice: z.int(),
  first: z.string().nullable(),
  last: z.string().nullable(),
})
type Progress = z.output<typeof cursorSchema>

/**
 * Returns the saved progress of a reading.
 *
 * @throws SourceMovedError if another version of the product saved it, so that the reading begins again
 */
function startFrom(cursor: PageCursor): Progress {
  const progress = cursorSchema.safeParse(cursor)
  if (!progress.success) throw new SourceMovedError('another version of event-sync began this reading')
  return progress.data
}

async function readStart(
  urlOf: (page: number) => URL,
  readPage: ReadPage,
  needsTotal: boolean,
): Promise<Progress | Ending> {
  const page = await readPage(urlOf(1), null)
  const { totalCount, perPage } = metaOf(page)
  const { elements: size, form, said } = page
  const isContradicted =
    totalCount !== null &&
    said.pages !== null &&
    said.pages > 1 &&
    (said.pages - 1) * (perPage ?? size) >= totalCount
  const declared = isContradicted ? null : totalCount
  const upTo = pagesNamed(page, urlOf(1), 1)
  if (declared === null && needsTotal) throw new UnfitChangesError('the answer declares no total')
  if (declared === null && upTo === null) {
    if (form === 'array') return readReordered(page, urlOf(1), readPage)
    if (size === 0) {
      await requireEmptyAfter(1, urlOf, readPage)
      return { proof: 'empty page', declared }
    }
  }
  return { ...progressAfter(page, { read: 0, twice: 0 }, 1), size, perPage, declared, upTo, form }
}

/**
 * Proves that one list is the whole resource. A second answer in another order must have the same records.
 */
async function readReordered(page: Page, url: URL, readPage: ReadPage): Promise<Ending> {
  const seen = 'the source gives one list without a total'
  const first = unpagedOf(page)
  // The list may already be in one of these two orders. If the list has one of these orders, only the answer
  // in the other order proves that it is complete.
  for (const sort of ['-id', 'id']) {
    url.searchParams.set('sort', sort)
    const again = await readPage(url, null, 'compared')
    requireSameRecords(first, again, seen)
    if (isReordered(first, again)) return { proof: 'unpaged array', declared: null }
  }
  throw sameOrder(first, seen, 'sort')
}

/**
 * Returns true if two pages have the same number of records, the same first record and the same last record.
 */
function isSame(one: Pick<Page, 'elements' | 'first' | 'last'>, other: typeof one): boolean {
  return one.first === other.first && one.last === other.last && one.elements === other.elements
}

function progressAfter(page: Page, before: Pick<Progress, 'read' | 'twice'>, pages: number) {
  const { elements, first, last } = page
  return { pages, read: before.read + elements, twice: before.twice + page.twice, elements, first, last }
}

/** Reads the total and the page size that a page declares. A header can also declare the total. */
function metaOf({ members, said }: Page) {
  const meta = metaSchema.safeParse(members._meta)
  if (!meta.success) return { totalCount: said.total, currentPage: undefined, perPage: null }
  const { totalCount, currentPage, perPage = null } = meta.data
  return { totalCount, currentPage, perPage }
}
