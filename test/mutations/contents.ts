import { type Mutation, mutationsOf } from './mutation.ts'

/** Joins, filters, reasons and fields in SQL. Source: spec 2.2 to 2.8; spec-gaps, "Decisions". */
export const ofContents: readonly Mutation[] = [
  ...mutationsOf('transforms/content.ts', {
    'References: items that are not synced are named': ['        and verdicts.reason is null\n', ''],
    'References: a content that is not synced names nothing': [
      'if (!scope.contents.includes(content)) return sql`${ids}`',
      '',
    ],
    'References: they lose the order of the source': [
      '    order by named.place\n',
      '    order by named.id desc\n',
    ],
    'Detail: marks stand in no byte order': ["'; ' order by mark)", "'; ' order by mark desc)"],
    'Detail: not_synced counts what was kept': [
      '(cardinality(${all}) - cardinality(${kept}))',
      'cardinality(${kept})',
    ],
    'Detail: a mark stands as often as it was made': ['select distinct mark collate', 'select mark collate'],
    'Operations: empty fields are sent as null': [
      'jsonb_strip_nulls(jsonb_build_object(',
      '(jsonb_build_object(',
    ],
    'Operations: empty lists are sent': [
      'case when cardinality(${list}) > 0 then to_jsonb(${list}) end',
      'to_jsonb(${list})',
    ],
    'Operations: times are those of the database session': [
      `at time zone 'UTC', 'YYYY`,
      `at time zone 'Asia/Tokyo', 'YYYY`,
    ],
  }),
  ...mutationsOf('transforms/source-a/agenda.ts', {
    'Agenda: a session without its room is dropped': [
      `.leftJoin('staging.a_rooms as room'`,
      `.innerJoin('staging.a_rooms as room'`,
    ],
    'Agenda: former versions of a track are joined': [
      `        .on('track.valid_to_run', 'is', null),\n`,
      ',\n',
    ],
    'Agenda: rooms of other integrations are joined': [
      `.onRef('room.integration_id', '=', 'session.integration_id')`,
      '',
    ],
    'Agenda: sessions of other integrations are read': [
      `.where('session.integration_id', '=', integrationId)`,
      '',
    ],
    'not_published: VisibleToAnonymousUsers is not looked at': [
      `, eb('session.visible_to_anonymous_users', '=', false)]`,
      ']',
    ],
    'not_published: Enabled that is absent counts as false': [
      `eb('session.enabled', '=', false)`,
      `eb('session.enabled', 'is not', true)`,
    ],
    'sessionStatuses: it keeps the others': [`eb('session.status', 'not in',`, `eb('session.status', 'in',`],
    'sessionStatuses: a session without a status is kept': [`eb('session.status', 'is', null), `, ''],
    'Reasons: one_to_one_meeting comes before not_published': [
      `.when(eb.or([...hidden, ...otherStatus, eb.lit(false)]))
        .then('not_published')
        .when(eb.or([...oneToOne, eb.lit(false)]))
        .then('one_to_one_meeting')`,
      `.when(eb.or([...oneToOne, eb.lit(false)]))
        .then('one_to_one_meeting')
        .when(eb.or([...hidden, ...otherStatus, eb.lit(false)]))
        .then('not_published')`,
    ],
    '1:1 meetings: case matters': ['title.trim().toLowerCase()', 'title.trim()'],
    'Missing time slot: the session is bad_time': [
      `eb.or([eb('slot.start_time_status', 'is', null), eb('slot.start_time_status', '=', 'absent')])`,
      `eb('slot.start_time_status', '=', 'absent')`,
    ],
    'bad_time: an end equal to the start will do': [
      `eb('slot.end_time', '<=', eb.ref('slot.start_time'))`,
      `eb('slot.end_time', '<', eb.ref('slot.start_time'))`,
    ],
    'Location: the name comes first': [
      "session.room_location, session.room_name), '')",
      "session.room_name, session.room_location), '')",
    ],
    'Location: a repeat stays': ['when session.room_location = session.room_name', 'when false'],
    'Filter group: it stands without sub-filters': [
      `sql\`case when session.type_title is not null then 'Types' end\``,
      `sql\`'Types'::text\``,
    ],
    'Dangling reference: a track is not noted': [
      'session.track_id is not null and session.known_track_id is null',
      'false',
    ],
    'Dangling reference: a room is not noted': [
      'session.room_id is not null and session.known_room_id is null',
      'false',
    ],
    'Dangling reference: a type is not noted': [
      'session.session_type_id is not null and session.known_type_id is null',
      'false',
    ],
    'Session tracks: they are the types': [
      'jsonb_build_array(session.track_title)',
      'jsonb_build_array(session.type_title)',
    ],
  }),
  ...mutationsOf('transforms/source-a/index.ts', {
    'Speakers, A: former versions of a session name speakers': [
      `.where('session.valid_to_run', 'is', null)`,
      '',
    ],
    'Attested: not_published of A is inferred': [
      `['not_published', 'one_to_one_meeting']`,
      `['one_to_one_meeting']`,
    ],
  }),
  ...mutationsOf('transforms/source-a/speakers.ts', {
    'Speakers, A: sessions name nobody': [
      `eb('user.id', 'in', eb.selectFrom('session_speakers').select('session_speakers.user_id')),`,
      '',
    ],
    'Speakers, A: SpeakingAt makes no speaker': [`eb('user.speaking_at', '<>', sql<string[]>\`'{}'\`),`, ''],
    'speakers: both takes either': ['eb.and([listed, hasRole])', 'eb.or([listed, hasRole])'],
    'Pending users: they are speakers': [`[] : [eb('user.is_pending', '=', true)]`, '[] : []'],
    'Session IDs: those that name the user do not count': [
      'where session_speakers.user_id = "user".unique_id',
      'where false',
    ],
    'Session IDs: one that is named twice stands twice': ['      union\n', '      union all\n'],
    'attendeeId: it stands without the attendee': [
      'attendeeId: sql`synced.attendee_ids[1]`',
      'attendeeId: sql`"user".unique_id`',
    ],
    'A speaker without an id is synced under the e-mail address': [
      "'user.id as unique_id'",
      "'user.source_id as unique_id'",
    ],
    'Speakers, A: description is the company': [
      'description: sql`"user".biography`',
      'description: sql`"user".company`',
    ],
  }),
  ...mutationsOf('transforms/source-a/attendees.ts', {
    'Attendees, A: one without an e-mail address is synced': [
      `.when('user.email_address', 'is', null)`,
      `.when('user.email_address', '=', '')`,
    ],
    'Attendees, A: title and company are swapped': [
      'title: sql`"user".title`,\n        company: sql`"user".company`',
      'title: sql`"user".company`,\n        company: sql`"user".title`',
    ],
  }),
  ...mutationsOf('transforms/source-b/agenda.ts', {
    'Agenda, B: a missing end is bad_time': [
      `.when('session.end_time_status', '=', 'absent')`,
      `.when('session.end_time_status', '=', 'gone')`,
    ],
    'Agenda, B: an ambiguous end is not noted': [`session.end_time_status = 'ambiguous'`, 'false'],
    'Agenda, B: a session without a name is synced': [
      `.when('session.name', 'is', null)`,
      `.when('session.name', '=', '')`,
    ],
  }),
  ...mutationsOf('transforms/source-b/attendees.ts', {
    'spec 2.8: cancelled registrants are attendees': [
      `.when('registrant.cancelled_at', 'is not', null)`,
      `.when('registrant.cancelled_at', '=', '')`,
    ],
    'Reasons: cancelled comes after missing_required': [
      `.when('registrant.cancelled_at', 'is not', null)
        .then('cancelled')
        .when('registrant.first_name', 'is', null)
        .then('missing_required:firstName')`,
      `.when('registrant.first_name', 'is', null)
        .then('missing_required:firstName')
        .when('registrant.cancelled_at', 'is not', null)
        .then('cancelled')`,
    ],
    'Personal agenda: sessions that are not synced are named': [
      `syncedOf(sql\`registrant.session_ids\`, 'agenda', scope, sql\`registrant.reason\`)`,
      'sql<readonly string[]>`registrant.session_ids`',
    ],
  }),
  ...mutationsOf('transforms/source-b/speakers.ts', {
    'spec 2.7: every registrant is a speaker': ['.when(isSpeaker)', '.when(eb.lit(true))'],
    'Speakers, B: the name of a type is not looked up': [
      `eb.fn.coalesce('type.name_folded', 'registrant.reg_type_folded')`,
      `eb.ref('registrant.reg_type_folded')`,
    ],
    'Speakers, B: former versions of a type are looked up': [
      `        .on('type.valid_to_run', 'is', null),\n`,
      ',\n',
    ],
    'Speaker registrant type: case matters': ['wanted.toLowerCase()', 'wanted'],
    'Speaker registrant type: its id will not do': [`eb('registrant.reg_type_id', '=', wanted),`, ''],
    'cancelledSpeakers: keep excludes': [
      `options.cancelledSpeakers === 'exclude'`,
      `options.cancelledSpeakers === 'keep'`,
    ],
    'Speakers, B: twitter is not sent': ['          twitter: sql`registrant.twitter_handle`,\n', ''],
  }),
]
