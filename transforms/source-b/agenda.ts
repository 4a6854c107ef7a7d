import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../sql/tables.ts'
import {
  type ContentTransform,
  detailOf,
  fieldsOf,
  markIf,
  marksAsFields,
  type Scope,
  timeField,
} from '../content.ts'
import type { OptionsB } from './options.ts'

/** Columns of a session and the platform fields they become. Source: spec 2.6. */
const FIELD_OF_SESSION = {
  source_id: 'uniqueId',
  name: 'name',
  start_time: 'startTime',
  end_time: 'endTime',
  description: 'description',
}

/**
 * Says which sessions are synced.
 *
 * grain: current session of the integration. Source: spec 2.6; spec-gaps, "Times, B".
 */
export function agendaCore(db: Kysely<Tables>, scope: Scope<OptionsB>) {
  return db
    .selectFrom('staging.b_sessions as session')
    .where('session.integration_id', '=', scope.integrationId)
    .where('session.valid_to_run', 'is', null)
    .select([
      'session.source_id',
      'session.source_id as unique_id',
      'session.name',
      'session.start_time',
      'session.start_time_status',
      'session.end_time',
      'session.end_time_status',
      'session.description',
      'session.marks',
    ])
    .select((eb) =>
      eb
        .case()
        .when('session.name', 'is', null)
        .then('missing_required:name')
        .when('session.start_time_status', '=', 'absent')
        .then('missing_required:startTime')
        .when('session.end_time_status', '=', 'absent')
        .then('missing_required:endTime')
        .when(
          eb.or([
            eb('session.start_time', 'is', null),
            eb('session.end_time', 'is', null),
            eb('session.end_time', '<=', eb.ref('session.start_time')),
          ]),
        )
        .then('bad_time')
        .end()
        .as('reason'),
    )
}

/** Agenda of Source B. Source: spec 2.6. */
export const agenda: ContentTransform<OptionsB> = {
  content: 'agenda',
  resource: 'sessions',
  mapped: [{ table: 'staging.b_sessions', fieldOf: FIELD_OF_SESSION, lists: [] }],

  verdicts: (db, scope) =>
    db.selectFrom(agendaCore(db, scope).as('session')).select(['source_id', 'unique_id', 'reason']),

  outcomes: (db, scope) =>
    db.selectFrom(agendaCore(db, scope).as('session')).select([
      'session.source_id',
      'session.unique_id',
      'session.reason',
      detailOf(
        marksAsFields(sql`session.marks`, FIELD_OF_SESSION),
        markIf(sql`session.start_time_status = 'ambiguous'`, 'ambiguous_time:startTime'),
        markIf(sql`session.end_time_status = 'ambiguous'`, 'ambiguous_time:endTime'),
      ).as('detail'),
      sql`case when session.reason is null then ${fieldsOf({
        name: sql`session.name`,
        startTime: timeField(sql`session.start_time`),
        endTime: timeField(sql`session.end_time`),
        description: sql`session.description`,
      })} end`.as('fields'),
    ]),
}
