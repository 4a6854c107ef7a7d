import {
  changedSampleEvent,
  type SampleEvent,
  type SampleRecord,
  sampleEvent,
} from '../../pipeline/demo/sample-event.ts'
import { sourceAt } from './place.ts'
import { startSampleSourceA } from './sample-source/a.ts'
import { startSampleSourceB } from './sample-source/b.ts'

/**
 * The two states of a sample event: at its first sync, and at its second sync, after changes at the source.
 */
export const STORIES = ['first', 'second'] as const
export type Story = (typeof STORIES)[number]
export type SourceType = 'a' | 'b'
export type Stories = Readonly<Record<Story, SampleEvent>>

/** A sample event on loopback, before and after its change. */
export interface ServedEvent {
  /** The block `source` of event-sync.yaml; it refers to environment variables of `place.ts`. */
  readonly config: Readonly<Record<string, unknown>>
  show(story: Story): void
  readonly requests: readonly { readonly path: string }[]
  close(): Promise<void>
}

/**
 * Page size and response time of a source, and the credits (units of Source B's rate limit) of ten minutes.
 */
interface Pages {
  readonly pageCap: number
  readonly latencyMs: number
  readonly creditsPerTenMinutes: number
}

export async function serveEvent(type: 'a' | 'b', events: Stories, pages: Pages): Promise<ServedEvent> {
  const { timeZone } = events.first
  if (type === 'a') {
    const { url, requests, setData, close } = await startSampleSourceA(events.first.a, pages)
    const show = (story: Story) => setData(events[story].a)
    return { config: { ...sourceAt(type, url), timeZone }, show, requests, close }
  }
  const { url, requests, setData, close } = await startSampleSourceB(events.first.b, pages)
  const show = (story: Story) => setData(events[story].b)
  return { config: { ...sourceAt(type, url), timeZone }, show, requests, close }
}

const COPIES = 12
/** Number of copies of the sample event that differ in the second sync. */
const CHANGED = 3

/**
 * Returns a large event made of many copies of the sample event; each copy has its own ids and e-mail
 * addresses.
 */
export function largeEvents(): Stories {
  const copies = (event: SampleEvent) => Array.from({ length: COPIES }, (_, copy) => numbered(event, copy))
  const [first, changed] = [copies(sampleEvent), copies(changedSampleEvent)]
  return { first: joined(first), second: joined([...changed.slice(0, CHANGED), ...first.slice(CHANGED)]) }
}

function joined(events: readonly SampleEvent[]): SampleEvent {
  const { a, b } = sampleEvent
  const Sessions = events.flatMap((event) => event.a.Sessions)
  const Users = events.flatMap((event) => event.a.Users)
  const sessions = events.flatMap((event) => event.b.sessions)
  const registrants = events.flatMap((event) => event.b.registrants)
  return { ...sampleEvent, a: { ...a, Sessions, Users }, b: { ...b, sessions, registrants } }
}

/**
 * Number of added people: some without special cases, some who are added later, and some who change their
 * name.
 */
const PEOPLE = 36
const NEW_PEOPLE = 7
const RENAMED = { from: 11, to: 20 }

/**
 * Returns the sample event with more changes: enough for several small batches in each sync.
 *
 * @param number each number makes a different event
 */
export function smallEvents(number = 0): Stories {
  const withPeople = (
    event: SampleEvent,
    people: <Record>(list: readonly Record[], name: string) => Record[],
  ) => ({
    ...event,
    a: { ...event.a, Users: people(event.a.Users, 'LastName') },
    b: { ...event.b, registrants: people(event.b.registrants, 'last_name') },
  })
  return {
    first: withPeople(numbered(sampleEvent, number), (list) => list.slice(0, PEOPLE - NEW_PEOPLE)),
    second: withPeople(numbered(changedSampleEvent, number), (list, name) =>
      list.slice(0, PEOPLE).map((one, index) => {
        const isRenamed = index >= RENAMED.from && index < RENAMED.to
        return isRenamed ? { ...one, [name]: `Renamed-${index}` } : one
      }),
    ),
  }
}

/**
 * Gives new ids to a copy of the event. In the sample event, only ids of sessions and people have four
 * digits.
 */
function numbered({ a, b, ...event }: SampleEvent, copy: number): SampleEvent {
  // Only the first copy has a record without an id, because each such record is quarantined as unreadable.
  const idOfNobody = copy === 0 ? null : `nobody ${copy}`
  const renumber = (records: readonly SampleRecord[]): readonly SampleRecord[] =>
    JSON.parse(
      JSON.stringify(records)
        .replace(/\b[57]0\d\d\b/g, (id) => String(Number(id) + 10_000 * copy))
        .replace('"Id":null', `"Id":${JSON.stringify(idOfNobody)}`),
    )
  return {
    ...event,
    a: { ...a, Sessions: renumber(a.Sessions), Users: renumber(a.Users) },
    b: { ...b, sessions: renumber(b.sessions), registrants: renumber(b.registrants) },
  }
}
