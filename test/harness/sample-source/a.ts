import { isJsonObject } from '../../../transforms/rules/values.ts'
import {
  isRawElement,
  jsonAnswer,
  listText,
  type SampleAnswer,
  type SampleRequest,
  type SampleSource,
  startSampleServer,
} from './server.ts'

/** Each resource with the relation that it serves empty unless `$expand` names it. */
const relations = {
  Sessions: 'Speakers',
  TimeSlots: null,
  Rooms: null,
  Tracks: null,
  SessionTypes: null,
  Users: 'SpeakingAt',
} as const

export type SourceAResource = keyof typeof relations
export type SourceAData = Readonly<Record<SourceAResource, readonly unknown[]>>

export interface SampleSourceAOptions {
  /** most elements in one answer, default 1000; `Infinity` serves everything in one */
  readonly pageCap?: number
  /** `value` wraps the list as `{"value":[…],"@odata.nextLink":…}` */
  readonly envelope?: 'array' | 'value'
  readonly latencyMs?: number
}

const ROOT = '/api/v1/4242/'
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
  return startSampleServer({
    data,
    latencyMs: options.latencyMs,
    answer: (request, current) => answerA(request, current, options),
  })
}

function answerA(
  { url, method }: SampleRequest,
  data: SourceAData,
  { pageCap = 1000, envelope = 'array' }: SampleSourceAOptions,
): SampleAnswer {
  const resource = url.pathname.slice(ROOT.length)
  if (!url.pathname.startsWith(ROOT) || !isResource(resource))
    return refusal(404, `No HTTP resource was found that matches the request URI '${url.pathname}'.`)
  if (method !== 'GET')
    return refusal(405, `The requested resource does not support http method '${method}'.`)

  const { searchParams } = url
  const unknown = [...searchParams.keys()].find((name) => name.startsWith('$') && !knownOptions.has(name))
  if (unknown !== undefined) return refusal(400, `The query parameter '${unknown}' is not supported.`)
  const [top, skip] = [countIn(url, '$top', Number.POSITIVE_INFINITY), countIn(url, '$skip', 0)]
  if (top === null || skip === null) return refusal(400, 'A whole number from 0 is due.')
  const relation = relations[resource]
  const expanded = searchParams.get('$expand')
  if (expanded !== null && expanded !== relation)
    return refusal(400, `Could not find a property named '${expanded}' on type '${resource}'.`)

  const elements = data[resource]
  const end = skip + Math.min(top, pageCap)
  const shown = elements.slice(skip, end)
  const list = listText(
    relation === null || expanded !== null ? shown : shown.map((one) => without(one, relation)),
  )
  if (envelope === 'array') return { status: 200, body: list }
  const hasMore = end < elements.length && top > pageCap
  const next = hasMore ? `,"@odata.nextLink":${JSON.stringify(nextLink(url, end, top - pageCap))}` : ''
  return { status: 200, body: `{"value":${list}${next}}` }
}

/** The keys of Source A are found without regard to case; an element without the relation is left alone. */
function without(element: unknown, relation: string): unknown {
  if (isRawElement(element) || !isJsonObject(element)) return element
  const key = Object.keys(element).find((name) => name.toLowerCase() === relation.toLowerCase())
  return key === undefined ? element : { ...element, [key]: [] }
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
