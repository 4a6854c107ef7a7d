import { answerA, PLAIN_A, type WireA } from '../source-answers.ts'
import { elementsOf, jsonAnswer, type SampleSource, startSampleServer } from './server.ts'

export type SourceAResource = 'Sessions' | 'TimeSlots' | 'Rooms' | 'Tracks' | 'SessionTypes' | 'Users'
export type SourceAData = Readonly<Record<SourceAResource, readonly unknown[]>>

export interface SampleSourceAOptions {
  /** Maximum number of elements in one answer; default: 1000. */
  readonly pageCap?: number
  /** Form of the answer: with `value`, the list is wrapped as `{"value":[…],"@odata.nextLink":…}`. */
  readonly envelope?: 'array' | 'value'
  readonly latencyMs?: number
}

/** Starts a server that answers as Source A does. Records are served in the order of the data. */
export function startSampleSourceA(
  data: SourceAData,
  { pageCap = 1000, envelope = 'array', latencyMs }: SampleSourceAOptions = {},
): Promise<SampleSource<SourceAData>> {
  const wire: WireA = {
    ...PLAIN_A,
    paging: envelope === 'value' ? 'next' : 'skip',
    wrapped: envelope === 'value',
    nextBy: '$skip',
    endsAtTop: true,
    cap: pageCap,
  }
  return startSampleServer({
    data,
    latencyMs,
    answer({ url, method }, current) {
      const [, resource = ''] = /^\/api\/v1\/4242\/(\w+)$/.exec(url.pathname) ?? []
      const list = new Map(Object.entries(current)).get(resource)
      return method === 'GET' && list !== undefined
        ? { status: 200, body: answerA(url, resource, { elements: elementsOf(list), wire }) }
        : jsonAnswer(404, { Message: `There is no ${url.pathname}.` })
    },
  })
}
