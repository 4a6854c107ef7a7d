import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../sql/tables.ts'
import {
  type ContentTransform,
  detailOf,
  droppedMark,
  fieldsOf,
  listField,
  marksAsFields,
  type Scope,
  syncedOf,
  workedOut,
} from '../content.ts'
import type { OptionsB } from './options.ts'

/** Columns of a registrant and the platform fields they become for a speaker. Source: spec 2.7. */
const FIELD_OF_REGISTRANT = {
  source_id: 'uniqueId',
  first_name: 'firstName',
  last_name: 'lastName',
  job_title: 'title',
  company: 'company',
  bio: 'description',
  twitter_handle: 'twitter',
  session_ids: 'sessionIds',
}

/**
 * Says which registrants are speakers and which of these are synced.
 *
 * grain: current registrant of the integration. The name of the type is the record's own, else that of the
 * registrant type with its id, else the bare text itself.
 * Source: spec 2.5, 2.7; spec-gaps, "Speakers, B", "Cancelled speakers".
 */
export function speakersCore(db: Kysely<Tables>, scope: Scope<OptionsB>) {
  const { integrationId, options } = scope
  const wanted = options.speakerRegistrantType.trim()
  return db
    .selectFrom('staging.b_registrants as registrant')
    .leftJoin('staging.b_reg_types as type', (join) =>
      join
        .onRef('type.integration_id', '=', 'registrant.integration_id')
        .onRef('type.source_id', '=', 'registrant.reg_type_id')
        .on('type.valid_to_run', 'is', null),
    )
    .where('registrant.integration_id', '=', integrationId)
    .where('registrant.valid_to_run', 'is', null)
    .select([
      'registrant.source_id',
      'registrant.source_id as unique_id',
      'registrant.first_name',
      'registrant.last_name',
      'registrant.job_title',
      'registrant.company',
      'registrant.bio',
      'registrant.twitter_handle',
      'registrant.session_ids',
      'registrant.marks',
    ])
    .select((eb) => {
      const typeName = eb
        .case()
        .when('registrant.reg_type_value', 'is', null)
        .then(eb.fn.coalesce('type.name_folded', 'registrant.reg_type_folded'))
        .else(eb.ref('registrant.reg_type_folded'))
        .end()
      const isSpeaker = eb.or([
        eb(typeName, '=', wanted.toLowerCase()),
        eb('registrant.reg_type_id', '=', wanted),
      ])
      const cancelled =
        options.cancelledSpeakers === 'exclude' ? [eb('registrant.cancelled_at', 'is not', null)] : []
      return eb
        .case()
        .when(eb.or([...cancelled, eb.lit(false)]))
        .then('cancelled')
        .when(isSpeaker)
        .then(
          eb
            .case()
            .when('registrant.first_name', 'is', null)
            .then('missing_required:firstName')
            .when('registrant.last_name', 'is', null)
            .then('missing_required:lastName')
            .end(),
        )
        .else('not_a_speaker')
        .end()
        .as('reason')
    })
}

/** Speakers of Source B. Source: spec 2.7. */
export const speakers: ContentTransform<OptionsB> = {
  content: 'speakers',
  resource: 'registrants',
  mapped: [{ table: 'staging.b_registrants', fieldOf: FIELD_OF_REGISTRANT, lists: ['session_ids'] }],

  verdicts: (db, scope) =>
    db.selectFrom(speakersCore(db, scope).as('registrant')).select(['source_id', 'unique_id', 'reason']),

  outcomes(db, scope) {
    const synced = [
      syncedOf(sql`registrant.session_ids`, 'agenda', scope, sql`registrant.reason`).as('session_ids'),
      syncedOf(sql`array[registrant.unique_id]`, 'attendees', scope, sql`registrant.reason`).as(
        'attendee_ids',
      ),
    ] as const
    return db
      .selectFrom(speakersCore(db, scope).as('registrant'))
      .crossJoinLateral(workedOut(db, synced).as('synced'))
      .select([
        'registrant.source_id',
        'registrant.unique_id',
        'registrant.reason',
        detailOf(
          marksAsFields(sql`registrant.marks`, FIELD_OF_REGISTRANT),
          droppedMark(
            'sessionIds',
            sql`registrant.session_ids`,
            sql`synced.session_ids`,
            sql`registrant.reason`,
          ),
          droppedMark(
            'attendeeId',
            sql`array[registrant.unique_id]`,
            sql`synced.attendee_ids`,
            sql`registrant.reason`,
          ),
        ).as('detail'),
        sql`case when registrant.reason is null then ${fieldsOf({
          firstName: sql`registrant.first_name`,
          lastName: sql`registrant.last_name`,
          title: sql`registrant.job_title`,
          company: sql`registrant.company`,
          description: sql`registrant.bio`,
          sessionIds: listField(sql`synced.session_ids`),
          attendeeId: sql`synced.attendee_ids[1]`,
          twitter: sql`registrant.twitter_handle`,
        })} end`.as('fields'),
      ])
  },
}
