import { isJsonObject } from '../../../transforms/rules/values.ts'
import {
  type ElementList,
  isRawElement,
  jsonAnswer,
  type SampleAnswer,
  type SampleRequest,
  type SampleSource,
  sliceOf,
  startSampleServer,
  toElementText,
} from './server.ts'

/** Each resource with the relations that it serves empty unless `$expand` names them. */
const relations = {
  Sessions: ['Speakers'],
  TimeSlots: [],
  Rooms: [],
  Tracks: [],
  SessionTypes: [],
  Users: ['SpeakingAt'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type SourceAResource = keyof typeof relations
export type SourceAData<E extends ElementList = ElementList> = Readonly<Record<SourceAResource, E>>

export interface SampleSourceAOptions {
  /** most elements in one answer, default 1000; `Infinity` serves everything in one */
  readonly pageCap?: number
  readonly eventId?: string
  /** `value` wraps the list as `{"value":[…],"@odata.nextLink":…}` */
  readonly envelope?: 'array' | 'value'
  readonly latencyMs?: number
}

interface Settings {
  readonly root: string
  readonly pageCap: number
  readonly envelope: 'array' | 'value'
}

const knownOptions = new Set(['$expand', '$orderby', '$top', '$skip'])

/**
 * Serves an event as Source A does: anonymous, at most `pageCap` elements an answer, `$top` and `$skip`
 * honoured, relations empty unless expanded, elements in the order of the data (`$orderby` is taken and
 * changes nothing). A query option it does not know is a 400, never quietly ignored.
 *
 * A next link appears only where the cap cut the answer short, as in OData: not where `$top` was reached.
 */
export function startSampleSourceA(
  data: SourceAData,
  options: SampleSourceAOptions = {},
): Promise<SampleSource<SourceAData>> {
  const { eventId = '4242', pageCap = 1000, envelope = 'array' } = options
  const settings: Settings = { root: `/api/v1/${encodeURIComponent(eventId)}/`, pageCap, envelope }
  return startSampleServer({
    data,
    latencyMs: options.latencyMs,
    answer: (request, current) => answerA(request, current, settings),
  })
}

function answerA(request: SampleRequest, data: SourceAData, settings: Settings): SampleAnswer {
  const { url, method } = request
  const resource = url.pathname.slice(settings.root.length)
  if (!url.pathname.startsWith(settings.root) || !isResource(resource)) {
    return refusal(404, `No HTTP resource was found that matches the request URI '${url.pathname}'.`)
  }
  if (method !== 'GET')
    return refusal(405, `The requested resource does not support http method '${method}'.`)

  const unknown = [...url.searchParams.keys()].find((name) => name.startsWith('$') && !knownOptions.has(name))
  if (unknown !== undefined) return refusal(400, `The query parameter '${unknown}' is not supported.`)
  const top = countIn(url, '$top', Number.POSITIVE_INFINITY)
  const skip = countIn(url, '$skip', 0)
  if (top === null) return refusal(400, "Invalid value for '$top': a whole number from 0 is due.")
  if (skip === null) return refusal(400, "Invalid value for '$skip': a whole number from 0 is due.")
  const expanded = (url.searchParams.get('$expand') ?? '').split(',').filter((name) => name.trim() !== '')
  const offered: readonly string[] = relations[resource]
  const strange = expanded.find((name) => !offered.includes(name.trim()))
  if (strange !== undefined) {
    return refusal(400, `Could not find a property named '${strange.trim()}' on type '${resource}'.`)
  }

  const hidden = offered.filter((name) => !expanded.some((wanted) => wanted.trim() === name))
  const take = Math.min(top, settings.pageCap)
  const next = top > settings.pageCap ? nextLink(url, skip + take, top - take) : undefined
  return { status: 200, body: bodyOf(data[resource], { skip, take, hidden, next }, settings.envelope) }
}

interface Page {
  readonly skip: number
  readonly take: number
  readonly hidden: readonly string[]
  readonly next: string | undefined
}

function* bodyOf(elements: ElementList, page: Page, envelope: 'array' | 'value'): Generator<string> {
  yield envelope === 'value' ? '{"value":[' : '['
  let written = 0
  let hasMore = false
  for (const element of sliceOf(elements, page.skip, page.take + 1)) {
    hasMore = written === page.take
    if (hasMore) break
    yield (written === 0 ? '' : ',') + toElementText(withEmptyRelations(element, page.hidden))
    written += 1
  }
  yield ']'
  if (envelope === 'array') return
  if (hasMore && page.next !== undefined) yield `,"@odata.nextLink":${JSON.stringify(page.next)}`
  yield '}'
}

/** The keys of Source A are found without regard to case; an element without the relation is left alone. */
function withEmptyRelations(element: unknown, hidden: readonly string[]): unknown {
  if (hidden.length === 0 || isRawElement(element) || !isJsonObject(element)) return element
  const names = hidden.map((name) => name.toLowerCase())
  const keys = Object.keys(element).filter((key) => names.includes(key.toLowerCase()))
  if (keys.length === 0) return element
  return { ...element, ...Object.fromEntries(keys.map((key) => [key, []])) }
}

function nextLink(url: URL, skip: number, left: number): string {
  const next = new URL(url)
  next.searchParams.set('$skip', String(skip))
  if (Number.isFinite(left)) next.searchParams.set('$top', String(left))
  return next.href
}

/** @returns the option's value, `unset` where it is not given, null where it is no count */
function countIn(url: URL, name: string, unset: number): number | null {
  const text = url.searchParams.get(name)
  if (text === null) return unset
  return /^\d{1,15}$/.test(text) ? Number(text) : null
}

function isResource(name: string): name is SourceAResource {
  return Object.hasOwn(relations, name)
}

function refusal(status: number, message: string): SampleAnswer {
  return jsonAnswer(status, { Message: message })
}
