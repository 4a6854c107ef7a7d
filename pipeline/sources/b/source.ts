import { z } from 'zod'
import { registrants } from '../../../transforms/source-b/resources.ts'
import { counted } from '../../../transforms/texts/counted.ts'
import { REPORT_IT, ReadError } from '../../http/read-error.ts'
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

/** The key `source` of event-sync.yaml for `type: b`. */
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

/** The most elements that the source returns in one answer; in older accounts it returns 200. */
const PAGE_SIZE = 1000

/** Credits that a request for a list costs, of the 2000 per ten minutes. */
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
  // The source returns fields other than id and name only if the request names them.
  url.searchParams.set('fields', keys.join(','))
  url.searchParams.set('page', String(page))
  url.searchParams.set('per-page', String(PAGE_SIZE))
  if (search !== undefined) {
    // The time has the format of the records: with a `T` the source finds nothing.
    const isIds = 'ids' in search
    const text = isIds ? `id=*in*${search.ids.join('|')}` : `${changes?.key}>=${search.changedSince}`
    url.searchParams.set('search', text)
    url.searchParams.set('sort', 'id')
  }
  return url
}

/**
 * Reads page after page until the number of elements read is the count that the source declares. Every page
 * must declare the same count. A bare array is treated as a page if a header declares the count or names a
 * next page. Otherwise it is taken as the whole resource, and a second answer in another order must confirm
 * it.
 *
 * Every page but the last must hold as many records as the first: if the source changed the page size during
 * the reading, page 2 would not begin where page 1 ended. A page size that the source declares must stay the
 * same too.
 *
 * If the source declares no count, the end is an empty page, or the last page that links or a number of pages
 * name. In that case a record may be deleted during the reading, and another one moves to a page that was
 * already read, unnoticed. So after each page the page before it is read again. A count that contradicts the
 * number of pages is ignored.
 *
 * @param needsTotal true if an answer without a count proves nothing, for example the answer to a search
 * @throws SourceMovedError if the count changes or is not reached; UnfitChangesError if a needed count is
 *   missing; UnprovedError if links lead beyond the count
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
        return { proof: 'empty page', declared }
      }
      throw new SourceMovedError(`page ${number} is empty after ${progress.read} of ${declared} records`)
    }
    const { totalCount, currentPage = number, perPage } = metaOf(page)
    if (declared !== null && totalCount !== declared)
      throw new SourceMovedError(`the total changed from ${declared} to ${totalCount}`)
    // For a page after the last one, the source returns its last page again.
    if (currentPage !== number)
      throw new SourceMovedError(`page ${currentPage} was returned instead of page ${number}`)
    if (isSame(page, progress)) {
      throw new ReadError('the page before was returned again, so the end is unknown', {
        hint: REPORT_IT,
      })
    }
    const { size } = progress
    if (perPage !== progress.perPage)
      throw new SourceMovedError(`the size of pages changed from ${progress.perPage} to ${perPage}`)
    if (progress.elements !== size || page.elements > size)
      throw new SourceMovedError(
        `pages are not all of one size: page 1 has ${counted(size, 'record')}, page ${progress.pages} ${progress.elements}, page ${number} ${page.elements}`,
      )
    if (declared === null) await requireUnmoved(progress)
    const upTo = pagesNamed(page, urlOf(number), number) ?? progress.upTo
    progress = { ...progress, ...progressAfter(page, progress.read, number), upTo }
  }
  if (declared === null) return { proof: 'last link', declared }
  if (leadsBeyond) {
    const seen = `the source declares ${counted(declared, 'record')}, but its links led to ${progress.read}`
    throw new UnprovedError(seen, REPORT_IT)
  }
  if (progress.read > declared) {
    throw new SourceMovedError(`${counted(progress.read, 'record')} read, but ${declared} declared`)
  }
  return { proof: 'total met', declared }
}

/** Returns whether another page must be read. */
function goesOn({ declared, read, pages, upTo }: Progress): boolean {
  const isNamed = upTo !== null && pages < upTo
  return declared === null ? upTo === null || isNamed : read < declared || isNamed
}

/**
 * Checks that a page that may not exist is not the page before it once more, whose records must not be read
 * twice.
 *
 * @throws UnprovedError if it is
 */
function requireOther(page: Page, progress: Progress): void {
  const { currentPage = progress.pages + 1 } = metaOf(page)
  if (currentPage === progress.pages + 1 && !isSame(page, progress)) return
  const seen = `the source names a page ${progress.pages + 1}, but gives page ${progress.pages} again`
  throw new UnprovedError(seen, REPORT_IT)
}

/**
 * Returns the last page number that an answer names, by a link to the next page or by the number of pages;
 * null if it names none.
 */
function pagesNamed({ said }: Page, url: URL, number: number): number | null {
  const link = said.next === null ? null : atSource(said.next, url)
  // Only its page number is used: the link may lack the event and the fields to ask for.
  const next = Number(link?.searchParams.get('page') ?? 0)
  const named = Math.max(said.pages ?? 0, next === number + 1 ? next : 0)
  return named > 1 ? named : null
}

/** Progress of reading: pages and records read, and the last page. */
const cursorSchema = z.object({
  pages: z.int(),
  read: z.int(),
  /** Records of page 1. */
  size: z.int(),
  /** The declared number of records of a page; null if the source does not state it. */
  perPage: z.int().nullable(),
  declared: z.int().nullable(),
  /** The last page that the answers named; null if they named none. */
  upTo: z.int().nullable(),
  form: z.string(),
  elements: z.int(),
  first: z.string().nullable(),
  last: z.string().nullable(),
})
type Progress = z.output<typeof cursorSchema>

/** @throws SourceMovedError if another version saved the progress, so that reading begins again */
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
    if (size === 0) return { proof: 'empty page', declared }
  }
  return { ...progressAfter(page, 0, 1), size, perPage, declared, upTo, form }
}

/** Proves that one list is the whole resource: an answer in another order must have the same records. */
async function readReordered(page: Page, url: URL, readPage: ReadPage): Promise<Ending> {
  const seen = 'the source gives one list without a total'
  const first = unpagedOf(page)
  // The list may already be in one of these orders; then only the other one proves it.
  for (const sort of ['-id', 'id']) {
    url.searchParams.set('sort', sort)
    const again = await readPage(url, null, 'compared')
    requireSameRecords(first, again, seen)
    if (isReordered(first, again)) return { proof: 'unpaged array', declared: null }
  }
  throw sameOrder(first, seen, 'sort')
}

/** Returns whether two pages have the same number of records and the same first and last one. */
function isSame(one: Pick<Page, 'elements' | 'first' | 'last'>, other: typeof one): boolean {
  return one.first === other.first && one.last === other.last && one.elements === other.elements
}

function progressAfter({ elements, first, last }: Page, read: number, pages: number) {
  return { pages, read: read + elements, elements, first, last }
}

/** Reads the count and the page size that a page declares. A header may also declare the count. */
function metaOf({ members, said }: Page) {
  const meta = metaSchema.safeParse(members._meta)
  if (!meta.success) return { totalCount: said.total, currentPage: undefined, perPage: null }
  const { totalCount, currentPage, perPage = null } = meta.data
  return { totalCount, currentPage, perPage }
}
