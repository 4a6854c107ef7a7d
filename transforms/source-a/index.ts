import { sql } from 'kysely'
import type { SourceTransform } from '../source-transform.ts'
import { agenda } from './agenda.ts'
import { attendees } from './attendees.ts'
import { groundsOfA } from './grounds.ts'
import { lineageOfA } from './lineage.ts'
import type { OptionsA } from './options.ts'
import { peopleOfA } from './people.ts'
import { speakers } from './speakers.ts'

/** What the records of Source A become on the platform. Source: spec 2.2 to 2.4. */
export const transformA: SourceTransform<OptionsA> = {
  contents: [agenda, speakers, attendees],
  attested: ['not_published', 'one_to_one_meeting'],
  sessionSpeakers: (db, { integrationId }) =>
    db
      .selectFrom('staging.a_sessions as session')
      .innerJoinLateral(
        sql<{ user_id: string }>`unnest(session.speaker_ids)`.as<'named'>(sql`named (user_id)`),
        (join) => join.onTrue(),
      )
      .where('session.integration_id', '=', integrationId)
      .where('session.valid_to_run', 'is', null)
      .select(['session.source_id as session_id', 'named.user_id']),
  lineage: lineageOfA,
  people: peopleOfA,
  grounds: groundsOfA,
}
