import { makeSampleEvent, type SampleEvent } from '../../pipeline/demo/sample-event.ts'
import { changeSampleEvent } from '../../pipeline/demo/sample-event-change.ts'
import type { FaultOrder } from '../../pipeline/demo/sample-platform/faults.ts'
import { sampleSourceADefaults, startSampleSourceA } from '../../pipeline/demo/sample-source-a.ts'
import { sampleSourceBDefaults, startSampleSourceB } from '../../pipeline/demo/sample-source-b.ts'
import { cutEvents } from './small-events.ts'

export const SOURCE_TYPES = ['a', 'b'] as const
export type SourceType = (typeof SOURCE_TYPES)[number]

/** The first sync of an event, or the second one after it has changed at the source. */
export const STORIES = ['first', 'second'] as const
export type Story = (typeof STORIES)[number]

/** Small enough that a resource takes several pages, and slow enough that kills fall between them. */
const PAGES = { pageCap: 40, latencyMs: 4 }
const SPEAKERS = 100
const WHOLE: Readonly<Record<Story, SampleEvent>> = makeEvents()
const SMALL: Readonly<Record<Story, SampleEvent>> = cutEvents(WHOLE.first, WHOLE.second, SPEAKERS)

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
  const first = makeSampleEvent({ sessions: 160, speakers: SPEAKERS, registrants: 300 })
  return { first, second: changeSampleEvent(first) }
}

/** @param size of the event: `small` where each of its items is a matter of its own */
export async function startSource(type: SourceType, size: 'whole' | 'small'): Promise<CountingSource> {
  const events = size === 'whole' ? WHOLE : SMALL
  const common = { timeZone: events.first.timeZone }
  if (type === 'a') {
    const server = await startSampleSourceA(events.first.a, PAGES)
    return {
      config: { ...common, type, url: server.url, eventId: sampleSourceADefaults.eventId },
      show: (story) => server.setData(events[story].a),
      asked: () => countResources(server.requests),
      close: () => server.close(),
    }
  }
  const server = await startSampleSourceB(events.first.b, {
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
    show: (story) => server.setData(events[story].b),
    asked: () => countResources(server.requests),
    close: () => server.close(),
  }
}

/**
 * Items of the small event that the platform never takes, so that batches are refused and sent again operation by
 * operation: two people in the first sync, of whom nothing else speaks, and a removal in the second.
 */
export function refusedItems(type: SourceType): Readonly<Record<Story, readonly FaultOrder[]>> {
  const { first, second } = SMALL
  const people = type === 'a' ? first.a.Users.map(({ Id }) => Id) : first.b.registrants.map(({ id }) => id)
  const gone =
    type === 'a'
      ? second.a.Sessions.find(({ Enabled }) => Enabled === false)?.Id
      : second.b.registrants.find((one) => first.b.registrants.includes(one) === false && one.cancelled_at)
          ?.id
  const refuse = (uniqueId: unknown): FaultOrder => ({
    fault: 'refuseBatch',
    uniqueId: String(uniqueId),
    count: 'always',
  })
  return {
    first: [
      refuse(people.at(-2)),
      { fault: 'failOperation', uniqueId: String(people.at(-1)), retryable: true, count: 'always' },
    ],
    second: [refuse(gone)],
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
