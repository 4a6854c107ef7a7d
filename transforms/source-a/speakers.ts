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
import type { OptionsA } from './options.ts'

/** Columns of a user and the platform fields they become for a speaker. Source: spec 2.3. */
const FIELD_OF_USER = {
  source_id: 'uniqueId',
  first_name: 'firstName',
  last_name: 'lastName',
  title: 'title',
  company: 'company',
  biography: 'description',
  photo_link: 'imageUrl',
  speaking_at: 'sessionIds',
  facebook_url: 'facebookUrl',
  linkedin_url: 'linkedinUrl',
}

/**
 * Says which users are speakers and which of these are synced.
 *
 * grain: current user of the integration. `session_speakers` must hold who is named by which session.
 * Source: spec 2.3; spec-gaps, "Speakers, A", "Pending users".
 */
export function speakersCore(db: Kysely<Tables>, scope: Scope<OptionsA>) {
  const { integrationId, options } = scope
  return db
    .selectFrom('staging.a_users as user')
    .where('user.integration_id', '=', integrationId)
    .where('user.valid_to_run', 'is', null)
    .select([
      'user.source_id',
      'user.id as unique_id',
      'user.first_name',
      'user.last_name',
      'user.title',
      'user.company',
      'user.biography',
      'user.photo_link',
      'user.facebook_url',
      'user.linkedin_url',
      'user.speaking_at',
      'user.marks',
    ])
    .select((eb) => {
      const listed = eb.or([
        eb('user.speaking_at', '<>', sql<string[]>`'{}'`),
        eb('user.id', 'in', eb.selectFrom('session_speakers').select('session_speakers.user_id')),
      ])
      const hasRole = eb('user.has_speaker_role', '=', true)
      const isSpeaker = { listed, role: hasRole, both: eb.and([listed, hasRole]) }[options.speakers]
      const pending = options.includePending ? [] : [eb('user.is_pending', '=', true)]
      return eb
        .case()
        .when(eb.and([isSpeaker]))
        .then(
          eb
            .case()
            .when(eb.or([...pending, eb.lit(false)]))
            .then('not_published')
            .when('user.first_name', 'is', null)
            .then('missing_required:firstName')
            .when('user.last_name', 'is', null)
            .then('missing_required:lastName')
            .when('user.id', 'is', null)
            .then('missing_required:uniqueId')
            .end(),
        )
        .else('not_a_speaker')
        .end()
        .as('reason')
    })
}

/** Speakers of Source A. Source: spec 2.3. */
export const speakers: ContentTransform<OptionsA> = {
  content: 'speakers',
  resource: 'users',
  mapped: [{ table: 'staging.a_users', fieldOf: FIELD_OF_USER, lists: ['speaking_at'] }],

  verdicts: (db, scope) =>
    db.selectFrom(speakersCore(db, scope).as('user')).select(['source_id', 'unique_id', 'reason']),

  outcomes(db, scope) {
    return withReferences(db, scope).select([
      'user.source_id',
      'user.unique_id',
      'user.reason',
      detailOf(
        marksAsFields(sql`"user".marks`, FIELD_OF_USER),
        droppedMark('sessionIds', sql`named.session_ids`, sql`synced.session_ids`, sql`"user".reason`),
        droppedMark('attendeeId', sql`array["user".unique_id]`, sql`synced.attendee_ids`, sql`"user".reason`),
      ).as('detail'),
      sql`case when "user".reason is null then ${fieldsOf({
        firstName: sql`"user".first_name`,
        lastName: sql`"user".last_name`,
        title: sql`"user".title`,
        company: sql`"user".company`,
        description: sql`"user".biography`,
        imageUrl: sql`"user".photo_link`,
        sessionIds: listField(sql`synced.session_ids`),
        attendeeId: sql`synced.attendee_ids[1]`,
        facebookUrl: sql`"user".facebook_url`,
        linkedinUrl: sql`"user".linkedin_url`,
      })} end`.as('fields'),
    ])
  },
}

/** Sessions that the user names and that name the user, together; then those of them that are synced. */
function withReferences(db: Kysely<Tables>, scope: Scope<OptionsA>) {
  const sessionIds = sql<readonly string[]>`array(
    select named.id collate "C"
    from (
      select unnest("user".speaking_at) as id
      union
      select session_id from session_speakers where session_speakers.user_id = "user".unique_id
    ) as named
    order by 1
  )`.as('session_ids')
  const synced = [
    syncedOf(sql`named.session_ids`, 'agenda', scope, sql`"user".reason`).as('session_ids'),
    syncedOf(sql`array["user".unique_id]`, 'attendees', scope, sql`"user".reason`).as('attendee_ids'),
  ] as const
  return db
    .selectFrom(speakersCore(db, scope).as('user'))
    .crossJoinLateral(workedOut(db, [sessionIds]).as('named'))
    .crossJoinLateral(workedOut(db, synced).as('synced'))
}
