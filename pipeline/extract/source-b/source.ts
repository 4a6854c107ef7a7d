import { z } from 'zod'
import { ReadError } from '../read-error.ts'
import {
  type Ending,
  type Page,
  type Place,
  type ReadPage,
  type Resource,
  type Source,
  SourceMovedError,
} from '../source.ts'
import type { SourceBConfig } from './config.ts'
import { readRegistrantWith, readRegType, readSessionIn } from './records.ts'
import type { TokenSource } from './token.ts'

/** Most elements that the source gives in one answer. */
const PAGE_SIZE = 200

/** Credits that a list takes of the 2000 in ten minutes. Source: spec-gaps, "2000 credits per 10 minutes". */
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
const metaSchema = z.object({ totalCount: count, currentPage: count.optional() })

/** Address of an endpoint of Source B. Source: spec 4, 9. */
export function urlOfB(config: SourceBConfig, path: string): URL {
  return new URL(`api/v1/${path}`, `${config.url}/`)
}

/** Source B: a registration system with a fixed v1 API. Source: spec 2.5 to 2.8, 4, 5.1. */
export function sourceB(config: SourceBConfig, tokens: TokenSource): Source {
  return {
    type: 'b',
    resources: resourcesOf(config),
    within: new URL(`${config.url}/`),
    requestCost: LIST_COST,
    readToEnd: (resource, readPage, save, from) =>
      readPages((page) => pageUrl(config, resource.name, page), readPage, save, from),
    authorization: async () => ({ Authorization: await tokens.header() }),
    renewAuthorization: (refused) => tokens.forget(refused.Authorization ?? ''),
  }
}

function resourcesOf(config: SourceBConfig): readonly Resource[] {
  const timeZone = config.timeZone ?? null
  return [
    {
      name: 'sessions',
      table: 'staging.b_sessions',
      columns: [
        'name',
        'description',
        'start_time',
        'start_time_status',
        'end_time',
        'end_time_status',
        'time_zone',
      ],
      shapedBy: [timeZone],
      contents: ['agenda'],
      neededFor: ['agenda'],
      read: readSessionIn(timeZone),
    },
    {
      name: 'registrants',
      table: 'staging.b_registrants',
      columns: [
        'first_name',
        'last_name',
        'email',
        'job_title',
        'company',
        'bio',
        'mobile_phone',
        'twitter_handle',
        'reg_type_id',
        'reg_type_value',
        'reg_type_folded',
        'session_ids',
        'cancelled_at',
      ],
      shapedBy: [config.fields],
      contents: ['speakers', 'attendees'],
      neededFor: ['speakers', 'attendees'],
      read: readRegistrantWith(config.fields),
    },
    {
      name: 'reg_types',
      table: 'staging.b_reg_types',
      columns: ['name', 'name_folded'],
      shapedBy: [],
      contents: [],
      neededFor: ['speakers'],
      read: readRegType,
    },
  ]
}

/** Fields other than id and name come only when they are named. Source: spec-gaps, "event_id". */
function fieldsOf(config: SourceBConfig, resource: string): readonly string[] {
  if (resource === 'sessions') {
    return ['id', 'name', 'description', 'date', 'start_time', 'end_time', 'timezone']
  }
  if (resource === 'reg_types') return ['id', 'name']
  const named = ['first_name', 'last_name', 'job_title', 'company', 'bio', 'mobile_phone', 'twitter_handle']
  return ['id', config.fields.email, ...named, 'reg_type_id', 'session_ids', 'cancelled_at']
}

function pageUrl(config: SourceBConfig, resource: string, page: number): URL {
  const path = PATHS[resource]
  if (path === undefined) throw new Error(`source b has no resource ${resource}`)
  const url = urlOfB(config, path)
  url.searchParams.set('event_id', config.eventId)
  url.searchParams.set('fields', fieldsOf(config, resource).join(','))
  url.searchParams.set('page', String(page))
  url.searchParams.set('per-page', String(PAGE_SIZE))
  return url
}

/**
 * Reads page after page until as many elements were read as the source declares, which must be the same count
 * on every page. A bare array is one page.
 *
 * Where no count is declared an empty page is the end. Then nothing else would show that a record went meanwhile and
 * another slipped past the border of two pages, so after each page the one before it is asked for again.
 *
 * @throws SourceMovedError where the count changes or is not met
 * Source: spec-gaps, "Envelope".
 */
async function readPages(
  urlOf: (page: number) => URL,
  readPage: ReadPage,
  save: (place: Place) => Promise<void>,
  from: Place | null,
): Promise<Ending> {
  const start = from === null ? await readStart(urlOf(1), readPage) : placeSchema.parse(from)
  if ('proof' in start) return start
  const { declared } = start
  let standing = start

  async function requireUnmoved(before: Standing): Promise<void> {
    const again = await readPage(urlOf(before.pages), null, 'compared')
    if (!isSame(again, before)) throw new SourceMovedError(`page ${before.pages} is not what it was`)
  }

  while (declared === null || standing.read < declared) {
    await save(standing)
    const number = standing.pages + 1
    const page = await readPage(urlOf(number), null)
    if (page.elements === 0) {
      if (declared === null) {
        await requireUnmoved(standing)
        return { proof: 'empty page', declared }
      }
      throw new SourceMovedError(`page ${number} is empty after ${standing.read} of ${declared} records`)
    }
    const { totalCount = null, currentPage = number } = metaOf(page) ?? {}
    if (totalCount !== declared)
      throw new SourceMovedError(`the total changed from ${declared} to ${totalCount}`)
    // Past its end the source gives its last page again.
    if (currentPage !== number)
      throw new SourceMovedError(`page ${currentPage} came where ${number} was asked for`)
    if (isSame(page, standing)) {
      throw new ReadError('the page before came again, so the end is not known', { retryable: false })
    }
    if (declared === null) await requireUnmoved(standing)
    standing = standingAfter(page, standing.read, number, declared)
  }
  if (standing.read > declared) {
    throw new SourceMovedError(`${standing.read} records where ${declared} were declared`)
  }
  return { proof: 'total met', declared }
}

/** Where reading stands: pages and records read, and the page that came last. */
const placeSchema = z.object({
  pages: z.int(),
  read: z.int(),
  declared: z.int().nullable(),
  elements: z.int(),
  first: z.string().nullable(),
  last: z.string().nullable(),
})
type Standing = z.output<typeof placeSchema>

async function readStart(url: URL, readPage: ReadPage): Promise<Standing | Ending> {
  const page = await readPage(url, null)
  if (page.form === 'array') return { proof: 'unpaged array', declared: null }
  const declared = metaOf(page)?.totalCount ?? null
  if (declared === null && page.elements === 0) return { proof: 'empty page', declared }
  return standingAfter(page, 0, 1, declared)
}

/** Whether two pages hold as many records, and begin and end with the same. */
function isSame(one: Pick<Page, 'elements' | 'first' | 'last'>, other: typeof one): boolean {
  return one.first === other.first && one.last === other.last && one.elements === other.elements
}

function standingAfter(page: Page, read: number, pages: number, declared: number | null): Standing {
  const { elements, first, last } = page
  return { pages, read: read + elements, declared, elements, first, last }
}

function metaOf(page: Page): z.infer<typeof metaSchema> | null {
  const meta = metaSchema.safeParse(page.members._meta)
  return meta.success ? meta.data : null
}
