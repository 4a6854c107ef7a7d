import { changeSampleEvent, makeSampleEvent, type SampleEvent } from '../../pipeline/demo/sample-event.ts'
import { sampleSourceADefaults, startSampleSourceA } from '../../pipeline/demo/sample-source-a.ts'
import { sampleSourceBDefaults, startSampleSourceB } from '../../pipeline/demo/sample-source-b.ts'

export const SOURCE_TYPES = ['a', 'b'] as const
export type SourceType = (typeof SOURCE_TYPES)[number]

/** The first sync of an event, or the second one after it has changed at the source. */
export const STORIES = ['first', 'second'] as const
export type Story = (typeof STORIES)[number]

/** Small enough that a resource takes several pages, and slow enough that kills fall between them. */
const PAGES = { pageCap: 40, latencyMs: 4 }
const EVENTS: Readonly<Record<Story, SampleEvent>> = makeEvents()

export const SECRETS = {
  SOURCE_B_API_KEY: sampleSourceBDefaults.apiKey,
  SOURCE_B_AUTHENTICATION_SECRET: sampleSourceBDefaults.authenticationSecret,
}

/** A source on loopback that tells how often each of its resources was asked for. */
export interface CountingSource {
  readonly config: Readonly<Record<string, unknown>>
  show(story: Story): void
  /** Requests so far, by resource. */
  asked(): ReadonlyMap<string, number>
  close(): Promise<void>
}

function makeEvents() {
  const first = makeSampleEvent({ sessions: 160, speakers: 100, registrants: 300 })
  return { first, second: changeSampleEvent(first) }
}

export async function startSource(type: SourceType): Promise<CountingSource> {
  const common = { timeZone: EVENTS.first.timeZone }
  if (type === 'a') {
    const server = await startSampleSourceA(EVENTS.first.a, PAGES)
    return {
      config: { ...common, type, url: server.url, eventId: sampleSourceADefaults.eventId },
      show: (story) => server.setData(EVENTS[story].a),
      asked: () => countResources(server.requests),
      close: () => server.close(),
    }
  }
  const server = await startSampleSourceB(EVENTS.first.b, {
    ...PAGES,
    creditsPerTenMinutes: Number.POSITIVE_INFINITY,
  })
  return {
    config: {
      ...common,
      type,
      url: server.url,
      eventId: sampleSourceBDefaults.eventId,
      apiKey: 'env:SOURCE_B_API_KEY',
      authenticationSecret: 'env:SOURCE_B_AUTHENTICATION_SECRET',
    },
    show: (story) => server.setData(EVENTS[story].b),
    asked: () => countResources(server.requests),
    close: () => server.close(),
  }
}

/** `/api/v1/4242/TimeSlots?…` and `/api/v1/reg-types.json?…`, by the names that the product has for them. */
function countResources(requests: readonly { readonly path: string }[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { path } of requests) {
    const last = path.split('?')[0]?.split('/').at(-1)?.replace('.json', '') ?? ''
    const resource = last
      .replace(/(?<=[a-z])[A-Z]/g, '_$&')
      .replaceAll('-', '_')
      .toLowerCase()
    if (resource !== 'token') counts.set(resource, (counts.get(resource) ?? 0) + 1)
  }
  return counts
}
