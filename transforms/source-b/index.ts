import type { SourceTransform } from '../source-transform.ts'
import { agenda } from './agenda.ts'
import { attendees } from './attendees.ts'
import { groundsOfB } from './grounds.ts'
import { lineageOfB } from './lineage.ts'
import type { OptionsB } from './options.ts'
import { peopleOfB } from './people.ts'
import { speakers } from './speakers.ts'

/** What the records of Source B become on the platform. Source: spec 2.6 to 2.8. */
export const transformB: SourceTransform<OptionsB> = {
  contents: [agenda, speakers, attendees],
  attested: ['cancelled', 'not_a_speaker'],
  // Sessions of Source B name nobody; registrants name their sessions.
  sessionSpeakers: null,
  lineage: lineageOfB,
  people: peopleOfB,
  grounds: groundsOfB,
}
