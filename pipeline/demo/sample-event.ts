import { writeAsA } from './sample-event-a.ts'
import { writeAsB } from './sample-event-b.ts'
import { planProgramme } from './sample-programme.ts'
import type { SourceAData } from './sample-source-a.ts'
import type { SourceBData } from './sample-source-b.ts'
import type { SampleRecord } from './sample-trap.ts'
import { sessionTrapsOfA } from './sample-traps-a-sessions.ts'
import { attendeeTrapsOfA, speakerTrapsOfA } from './sample-traps-a-users.ts'
import { attendeeTrapsOfB, speakerTrapsOfB } from './sample-traps-b-registrants.ts'
import { sessionTrapsOfB } from './sample-traps-b-sessions.ts'
import { sampleTimeZone } from './sample-words.ts'

export { registrantsOf } from './sample-registrants.ts'

/** One invented event as both sources serve it, record by record at the same index. */
export interface SampleEvent {
  readonly a: SourceAData<readonly SampleRecord[]>
  readonly b: SourceBData<readonly SampleRecord[]>
  readonly timeZone: string
  /** indexes of records that show no trap in either source: sessions, and people who only attend and do */
  readonly ordinary: { readonly sessions: readonly number[]; readonly attendees: readonly number[] }
}

export interface SampleEventOptions {
  readonly seed?: number
  readonly sessions?: number
  readonly speakers?: number
  /** everybody, speakers included; Source A's users as well as Source B's registrants */
  readonly registrants?: number
}

/**
 * Invents an event: the Tidewater Cities Forum, New York, March 2031. The same options give the same bytes.
 * Smaller than 160 sessions, 100 speakers and 100 more registrants, traps may hide each other.
 */
export function makeSampleEvent(options: SampleEventOptions = {}): SampleEvent {
  const { seed = 2031, sessions = 200, speakers = 150, registrants = 2000 } = options
  const programme = planProgramme(seed, { sessions, speakers, registrants })
  const [a, b] = [writeAsA(programme), writeAsB(programme)]
  const isOrdinary = (what: 'sessions' | 'people') => (index: number) =>
    !a.touched[what].has(index) && !b.touched[what].has(index)
  return {
    a: a.data,
    b: b.data,
    timeZone: sampleTimeZone,
    ordinary: {
      sessions: [...programme.sessions.keys()].filter(isOrdinary('sessions')),
      attendees: [...programme.people.keys()].slice(programme.speakerCount).filter(isOrdinary('people')),
    },
  }
}

const traps = [
  sessionTrapsOfA,
  speakerTrapsOfA,
  attendeeTrapsOfA,
  sessionTrapsOfB,
  speakerTrapsOfB,
  attendeeTrapsOfB,
].flatMap((list) => list.map(({ name, shows }) => [name, shows] as const))

/** Every trap in the sample event: its name, and what it shows. */
export const sampleTraps: Readonly<Record<string, string>> = Object.freeze({
  'id-digits': 'ids with 17 digits and more, which a double would round, and references to them',
  'id-text': 'ids that are strings',
  'id-zero-padded': 'ids with zeros in front, beside a record with the same number without them',
  'a-lookup-repeated-id': 'two rooms, two tracks with one id: the later counts',
  'a-type-name': 'session types with Name instead of Title',
  'list-characters': 'rooms, tracks and types with ; \\ = and other scripts',
  scripts: 'names and titles in many scripts, right to left included',
  ...Object.fromEntries(traps),
})
