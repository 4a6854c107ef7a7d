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

/** Columns of a registrant and the platform fields they become for an attendee. Source: spec 2.8. */
const FIELD_OF_REGISTRANT = {
  source_id: 'uniqueId',
  first_name: 'firstName',
  last_name: 'lastName',
  email: 'emailAddress',
  job_title: 'title',
  company: 'company',
  bio: 'biography',
  mobile_phone: 'phone',
  session_ids: 'personalAgenda',
}

/**
 * Says which registrants are synced as attendees: those who are not cancelled and have what is required.
 *
 * grain: current registrant of the integration. Source: spec 2.8.
 */
export function attendeesCore(db: Kysely<Tables>, scope: Scope<OptionsB>) {
  return db
    .selectFrom('staging.b_registrants as registrant')
    .where('registrant.integration_id', '=', scope.integrationId)
    .where('registrant.valid_to_run', 'is', null)
    .select([
      'registrant.source_id',
      'registrant.source_id as unique_id',
      'registrant.first_name',
      'registrant.last_name',
      'registrant.email',
      'registrant.job_title',
      'registrant.company',
      'registrant.bio',
      'registrant.mobile_phone',
      'registrant.session_ids',
      'registrant.marks',
    ])
    .select((eb) =>
      eb
        .case()
        .when('registrant.cancelled_at', 'is not', null)
        .then('cancelled')
        .when('registrant.first_name', 'is', null)
        .then('missing_required:firstName')
        .when('registrant.last_name', 'is', null)
        .then('missing_required:lastName')
        .when('registrant.email', 'is', null)
        .then('missing_required:emailAddress')
        .end()
        .as('reason'),
    )
}

/** Attendees of Source B. Source: spec 2.8. */
export const attendees: ContentTransform<OptionsB> = {
  content: 'attendees',
  resource: 'registrants',
  mapped: [{ table: 'staging.b_registrants', fieldOf: FIELD_OF_REGISTRANT, lists: ['session_ids'] }],

  verdicts: (db, scope) =>
    db.selectFrom(attendeesCore(db, scope).as('registrant')).select(['source_id', 'unique_id', 'reason']),

  outcomes(db, scope) {
    const synced = syncedOf(sql`registrant.session_ids`, 'agenda', scope, sql`registrant.reason`).as(
      'session_ids',
    )
    return db
      .selectFrom(attendeesCore(db, scope).as('registrant'))
      .crossJoinLateral(workedOut(db, [synced]).as('synced'))
      .select([
        'registrant.source_id',
        'registrant.unique_id',
        'registrant.reason',
        detailOf(
          marksAsFields(sql`registrant.marks`, FIELD_OF_REGISTRANT),
          droppedMark(
            'personalAgenda',
            sql`registrant.session_ids`,
            sql`synced.session_ids`,
            sql`registrant.reason`,
          ),
        ).as('detail'),
        sql`case when registrant.reason is null then ${fieldsOf({
          firstName: sql`registrant.first_name`,
          lastName: sql`registrant.last_name`,
          emailAddress: sql`registrant.email`,
          title: sql`registrant.job_title`,
          company: sql`registrant.company`,
          biography: sql`registrant.bio`,
          phone: sql`registrant.mobile_phone`,
          personalAgenda: listField(sql`synced.session_ids`),
        })} end`.as('fields'),
      ])
  },
}
