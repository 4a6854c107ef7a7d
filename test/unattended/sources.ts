import { makeSampleEvent } from '../../pipeline/demo/sample-event.ts'
import { changeSampleEvent } from '../../pipeline/demo/sample-event-change.ts'
import { sampleSourceADefaults, startSampleSourceA } from '../../pipeline/demo/sample-source-a.ts'
import { sampleSourceBDefaults, startSampleSourceB } from '../../pipeline/demo/sample-source-b.ts'
import { cutEvents } from '../kills/small-events.ts'

/** How an event is at the source: as it was first, and after it has changed. */
export type Story = 'first' | 'second'

/** One event, served by one of the two sources; several integrations read it. */
export interface ServedEvent {
  /** What an integration's `source` says. */
  readonly config: Readonly<Record<string, unknown>>
  show(story: Story): void
  requests(): number
  close(): Promise<void>
}

export const CREDENTIALS = {
  SOURCE_B_API_KEY: sampleSourceBDefaults.apiKey,
  SOURCE_B_AUTHENTICATION_SECRET: sampleSourceBDefaults.authenticationSecret,
}

const SPEAKERS = 100
/** Several pages each, and slow enough that workers die in the middle of them. */
const PAGES = { pageCap: 12, latencyMs: 15 }
/** A budget that is told and shared, and not so small that a proof waits ten minutes for the next. */
const CREDITS = 1_000_000

/** Serves so many small events, by turns as Source A and as Source B. */
export async function serveEvents(count: number): Promise<readonly ServedEvent[]> {
  return Promise.all(Array.from({ length: count }, (_, place) => serveEvent(place)))
}

async function serveEvent(place: number): Promise<ServedEvent> {
  const first = makeSampleEvent({ seed: 2031 + place, sessions: 160, speakers: SPEAKERS, registrants: 300 })
  const events = cutEvents(first, changeSampleEvent(first), SPEAKERS)
  const common = { timeZone: first.timeZone }
  if (place % 2 === 0) {
    const server = await startSampleSourceA(events.first.a, PAGES)
    return {
      config: { ...common, type: 'a', url: server.url, eventId: sampleSourceADefaults.eventId },
      show: (story) => server.setData(events[story].a),
      requests: () => server.requests.length,
      close: () => server.close(),
    }
  }
  const server = await startSampleSourceB(events.first.b, { ...PAGES, creditsPerTenMinutes: CREDITS })
  return {
    config: {
      ...common,
      type: 'b',
      url: server.url,
      eventId: sampleSourceBDefaults.eventId,
      apiKey: 'env:SOURCE_B_API_KEY',
      authenticationSecret: 'env:SOURCE_B_AUTHENTICATION_SECRET',
    },
    show: (story) => server.setData(events[story].b),
    requests: () => server.requests.length,
    close: () => server.close(),
  }
}
