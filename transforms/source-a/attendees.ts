import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../sql/tables.ts'
import { type ContentTransform, detailOf, fieldsOf, marksAsFields, type Scope } from '../content.ts'
import type { OptionsA } from './options.ts'

/** Columns of a user and the platform fields they become for an attendee. Source: spec 2.4. */
const FIELD_OF_USER = {
  source_id: 'uniqueId',
  first_name: 'firstName',
  last_name: 'lastName',
  email_address: 'emailAddress',
  title: 'title',
  company: 'company',
}

/**
 * Says which users are synced as attendees: every user who has what is required.
 *
 * grain: current user of the integration. The unique ID of a user without an id is the e-mail address.
 * Source: spec 2.4; spec-gaps, "Unique ID of an A attendee".
 */
export function attendeesCore(db: Kysely<Tables>, scope: Scope<OptionsA>) {
  return db
    .selectFrom('staging.a_users as user')
    .where('user.integration_id', '=', scope.integrationId)
    .where('user.valid_to_run', 'is', null)
    .select([
      'user.source_id',
      'user.source_id as unique_id',
      'user.first_name',
      'user.last_name',
      'user.email_address',
      'user.title',
      'user.company',
      'user.marks',
    ])
    .select((eb) =>
      eb
        .case()
        .when('user.first_name', 'is', null)
        .then('missing_required:firstName')
        .when('user.last_name', 'is', null)
        .then('missing_required:lastName')
        .when('user.email_address', 'is', null)
        .then('missing_required:emailAddress')
        .end()
        .as('reason'),
    )
}

/** Attendees of Source A. Source: spec 2.4. */
export const attendees: ContentTransform<OptionsA> = {
  content: 'attendees',
  resource: 'users',
  mapped: [{ table: 'staging.a_users', fieldOf: FIELD_OF_USER, lists: [] }],

  verdicts: (db, scope) =>
    db.selectFrom(attendeesCore(db, scope).as('user')).select(['source_id', 'unique_id', 'reason']),

  outcomes: (db, scope) =>
    db.selectFrom(attendeesCore(db, scope).as('user')).select([
      'user.source_id',
      'user.unique_id',
      'user.reason',
      detailOf(marksAsFields(sql`"user".marks`, FIELD_OF_USER)).as('detail'),
      sql`case when "user".reason is null then ${fieldsOf({
        firstName: sql`"user".first_name`,
        lastName: sql`"user".last_name`,
        emailAddress: sql`"user".email_address`,
        title: sql`"user".title`,
        company: sql`"user".company`,
      })} end`.as('fields'),
    ]),
}
