import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../sql/tables.ts'
import {
  type ContentTransform,
  detailOf,
  droppedMark,
  fieldsOf,
  listField,
  markIf,
  marksAsFields,
  type Scope,
  syncedOf,
  timeField,
  workedOut,
} from '../content.ts'
import type { OptionsA } from './options.ts'

/** Columns of each joined record and the platform fields they become. Source: spec 2.2. */
const FIELD_OF_SESSION = {
  source_id: 'uniqueId',
  title: 'name',
  description: 'description',
  time_slot_id: 'startTime',
  room_id: 'location',
  track_id: 'sessionTracks',
  session_type_id: 'subFilters',
  speaker_ids: 'speakerIds',
  link_urls: 'linkUrls',
}
const FIELD_OF_SLOT = { start_time: 'startTime', end_time: 'endTime' }
const FIELD_OF_ROOM = { location: 'location', name: 'location' }
const FIELD_OF_TRACK = { title: 'sessionTracks' }
const FIELD_OF_TYPE = { title: 'subFilters' }

/**
 * Joins sessions with their time slots, rooms, tracks and types, and says which are synced.
 *
 * grain: current session of the integration. `reason` is null where the session is synced.
 * Source: spec 2.2; spec-gaps, "Decisions" (reasons in their order).
 */
export function agendaCore(db: Kysely<Tables>, scope: Scope<OptionsA>) {
  const { integrationId, options } = scope
  return db
    .selectFrom('staging.a_sessions as session')
    .leftJoin('staging.a_time_slots as slot', (join) =>
      join
        .onRef('slot.integration_id', '=', 'session.integration_id')
        .onRef('slot.source_id', '=', 'session.time_slot_id')
        .on('slot.valid_to_run', 'is', null),
    )
    .leftJoin('staging.a_rooms as room', (join) =>
      join
        .onRef('room.integration_id', '=', 'session.integration_id')
        .onRef('room.source_id', '=', 'session.room_id')
        .on('room.valid_to_run', 'is', null),
    )
    .leftJoin('staging.a_tracks as track', (join) =>
      join
        .onRef('track.integration_id', '=', 'session.integration_id')
        .onRef('track.source_id', '=', 'session.track_id')
        .on('track.valid_to_run', 'is', null),
    )
    .leftJoin('staging.a_session_types as type', (join) =>
      join
        .onRef('type.integration_id', '=', 'session.integration_id')
        .onRef('type.source_id', '=', 'session.session_type_id')
        .on('type.valid_to_run', 'is', null),
    )
    .where('session.integration_id', '=', integrationId)
    .where('session.valid_to_run', 'is', null)
    .select([
      'session.source_id',
      'session.source_id as unique_id',
      'session.title',
      'session.description',
      'session.room_id',
      'session.track_id',
      'session.session_type_id',
      'session.speaker_ids',
      'session.link_urls',
      'session.marks',
      'slot.start_time',
      'slot.start_time_status',
      'slot.end_time',
      'slot.end_time_status',
      'slot.marks as slot_marks',
      'room.source_id as known_room_id',
      'room.location as room_location',
      'room.name as room_name',
      'room.marks as room_marks',
      'track.source_id as known_track_id',
      'track.title as track_title',
      'track.marks as track_marks',
      'type.source_id as known_type_id',
      'type.title as type_title',
      'type.marks as type_marks',
    ])
    .select((eb) => {
      const hidden = options.includeHidden
        ? []
        : [eb('session.enabled', '=', false), eb('session.visible_to_anonymous_users', '=', false)]
      const otherStatus =
        options.sessionStatuses === undefined
          ? []
          : [eb('session.status', 'is', null), eb('session.status', 'not in', [...options.sessionStatuses])]
      const oneToOne = options.oneToOneTypes.map((title) =>
        eb('type.title_folded', '=', title.trim().toLowerCase()),
      )
      return eb
        .case()
        .when(eb.or([...hidden, ...otherStatus, eb.lit(false)]))
        .then('not_published')
        .when(eb.or([...oneToOne, eb.lit(false)]))
        .then('one_to_one_meeting')
        .when('session.title', 'is', null)
        .then('missing_required:name')
        .when(eb.or([eb('slot.start_time_status', 'is', null), eb('slot.start_time_status', '=', 'absent')]))
        .then('missing_required:startTime')
        .when('slot.end_time_status', '=', 'absent')
        .then('missing_required:endTime')
        .when(
          eb.or([
            eb('slot.start_time', 'is', null),
            eb('slot.end_time', 'is', null),
            eb('slot.end_time', '<=', eb.ref('slot.start_time')),
          ]),
        )
        .then('bad_time')
        .end()
        .as('reason')
    })
}

/** Agenda of Source A. Source: spec 2.2. */
export const agenda: ContentTransform<OptionsA> = {
  content: 'agenda',
  resource: 'sessions',
  mapped: [
    { table: 'staging.a_sessions', fieldOf: FIELD_OF_SESSION, lists: ['speaker_ids', 'link_urls'] },
    { table: 'staging.a_time_slots', fieldOf: FIELD_OF_SLOT, lists: [] },
    { table: 'staging.a_rooms', fieldOf: FIELD_OF_ROOM, lists: [] },
    { table: 'staging.a_tracks', fieldOf: FIELD_OF_TRACK, lists: [] },
    { table: 'staging.a_session_types', fieldOf: FIELD_OF_TYPE, lists: [] },
  ],

  verdicts: (db, scope) =>
    db.selectFrom(agendaCore(db, scope).as('session')).select(['source_id', 'unique_id', 'reason']),

  outcomes(db, scope) {
    const separator = sql.val(scope.options.locationSeparator)
    return withSyncedSpeakers(db, scope).select([
      'session.source_id',
      'session.unique_id',
      'session.reason',
      detailOf(
        marksAsFields(sql`session.marks`, FIELD_OF_SESSION),
        marksAsFields(sql`session.slot_marks`, FIELD_OF_SLOT),
        marksAsFields(sql`session.room_marks`, FIELD_OF_ROOM),
        marksAsFields(sql`session.track_marks`, FIELD_OF_TRACK),
        marksAsFields(sql`session.type_marks`, FIELD_OF_TYPE),
        markIf(sql`session.start_time_status = 'ambiguous'`, 'ambiguous_time:startTime'),
        markIf(sql`session.end_time_status = 'ambiguous'`, 'ambiguous_time:endTime'),
        markIf(
          sql`session.room_id is not null and session.known_room_id is null`,
          'dangling_reference:location',
        ),
        markIf(
          sql`session.track_id is not null and session.known_track_id is null`,
          'dangling_reference:sessionTracks',
        ),
        markIf(
          sql`session.session_type_id is not null and session.known_type_id is null`,
          'dangling_reference:subFilters',
        ),
        droppedMark('speakerIds', sql`session.speaker_ids`, sql`synced.speaker_ids`, sql`session.reason`),
      ).as('detail'),
      sql`case when session.reason is null then ${fieldsOf({
        name: sql`session.title`,
        startTime: timeField(sql`session.start_time`),
        endTime: timeField(sql`session.end_time`),
        description: sql`session.description`,
        location: sql`case when session.room_location = session.room_name then session.room_name
          else nullif(concat_ws(${separator}, session.room_location, session.room_name), '') end`,
        sessionTracks: sql`case when session.track_title is not null then jsonb_build_array(session.track_title) end`,
        filterGroup: sql`case when session.type_title is not null then 'Types' end`,
        subFilters: sql`case when session.type_title is not null then jsonb_build_array(session.type_title) end`,
        speakerIds: listField(sql`synced.speaker_ids`),
        linkUrls: listField(sql`session.link_urls`),
      })} end`.as('fields'),
    ])
  },
}

function withSyncedSpeakers(db: Kysely<Tables>, scope: Scope<OptionsA>) {
  const speakerIds = syncedOf(sql`session.speaker_ids`, 'speakers', scope, sql`session.reason`).as(
    'speaker_ids',
  )
  return db
    .selectFrom(agendaCore(db, scope).as('session'))
    .crossJoinLateral(workedOut(db, [speakerIds]).as('synced'))
}
