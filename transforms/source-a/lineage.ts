import type { SourceLineage } from '../source-lineage.ts'

const REQUIRED = 'The text, trimmed; without it there is no item.'
const OPTIONAL = 'The text, trimmed; left out where it is blank.'
const ID = 'The id, digits as written.'

/** Where the platform fields of Source A come from. Source: spec 2.2 to 2.4; spec-gaps, "Decisions". */
export const lineageOfA: SourceLineage = {
  paths: {
    'staging.a_sessions': {
      source_id: [{ path: '$.Id' }],
      title: [{ path: '$.Title' }],
      description: [{ path: '$.Description' }],
      enabled: [{ path: '$.Enabled' }],
      visible_to_anonymous_users: [{ path: '$.VisibleToAnonymousUsers' }],
      status: [{ path: '$.Status' }],
      time_slot_id: [{ path: '$.TimeSlotId' }],
      room_id: [{ path: '$.RoomId' }],
      track_id: [{ path: '$.TrackId' }],
      session_type_id: [{ path: '$.SessionTypeId' }],
      speaker_ids: [{ path: '$.Speakers' }, { path: '$.SpeakerOrder' }],
      link_urls: [{ path: '$.Links' }],
    },
    'staging.a_time_slots': {
      start_time: [{ path: '$.StartTime' }],
      end_time: [{ path: '$.EndTime' }],
    },
    'staging.a_rooms': {
      location: [{ path: '$.Location' }],
      name: [{ path: '$.Name' }],
    },
    'staging.a_tracks': { title: [{ path: '$.Title' }] },
    'staging.a_session_types': { title: [{ path: '$.Title' }, { path: '$.Name' }] },
    'staging.a_users': {
      source_id: [{ path: '$.Id' }],
      first_name: [{ path: '$.FirstName' }],
      last_name: [{ path: '$.LastName' }],
      email_address: [{ path: '$.EmailAddress' }],
      title: [{ path: '$.Title' }],
      company: [{ path: '$.Company' }],
      biography: [{ path: '$.Biography' }],
      photo_link: [{ path: '$.PhotoLink' }],
      facebook_url: [{ path: '$.Facebook', option: 'source.fields.facebook' }],
      linkedin_url: [{ path: '$.LinkedIn', option: 'source.fields.linkedin' }],
      has_speaker_role: [{ path: '$.Roles' }],
      is_pending: [{ path: '$.IsPending' }],
      speaking_at: [{ path: '$.SpeakingAt' }],
    },
  },
  rules: {
    agenda: [
      { field: 'uniqueId', clause: 'spec 2.2.11', rule: ID },
      { field: 'name', clause: 'spec 2.2.1', rule: REQUIRED },
      {
        field: 'startTime',
        clause: 'spec 2.2.2',
        rule: "The start of the session's time slot in UTC: EventTime if it has an offset, else UTC, else EventTime in source.timeZone.",
      },
      {
        field: 'endTime',
        clause: 'spec 2.2.3',
        rule: "The end of the session's time slot in UTC, read as its start is; it must come after the start.",
        also: [['staging.a_sessions', 'time_slot_id']],
      },
      {
        field: 'description',
        clause: 'spec 2.2.4',
        rule: 'The text, trimmed, with its HTML; left out where it is blank.',
      },
      {
        field: 'location',
        clause: 'spec 2.2.5',
        rule: "Location and name of the session's room, joined with source.locationSeparator; a blank half and a repeat fall away.",
      },
      {
        field: 'sessionTracks',
        clause: 'spec 2.2.6',
        rule: "The title of the session's track, as a list of one.",
      },
      {
        field: 'filterGroup',
        clause: 'spec 2.2.7',
        rule: 'Always "Types", where the session has a sub-filter.',
        also: [
          ['staging.a_sessions', 'session_type_id'],
          ['staging.a_session_types', 'title'],
        ],
      },
      {
        field: 'subFilters',
        clause: 'spec 2.2.8',
        rule: "The title (else the name) of the session's type, as a list of one.",
      },
      {
        field: 'speakerIds',
        clause: 'spec 2.2.9',
        rule: 'Ids in Speakers, those that SpeakerOrder names first and in its order; only speakers that are synced.',
      },
      {
        field: 'linkUrls',
        clause: 'spec 2.2.10',
        rule: 'The http(s) addresses in Links, in the order of the source, each once.',
      },
    ],
    speakers: [
      {
        field: 'uniqueId',
        clause: 'spec 2.3.9',
        rule: 'The id, digits as written; a user without one is no speaker.',
      },
      { field: 'firstName', clause: 'spec 2.3.1', rule: REQUIRED },
      { field: 'lastName', clause: 'spec 2.3.2', rule: REQUIRED },
      { field: 'title', clause: 'spec 2.3.3', rule: OPTIONAL },
      { field: 'company', clause: 'spec 2.3.4', rule: OPTIONAL },
      {
        field: 'description',
        clause: 'spec 2.3.5',
        rule: 'The text, trimmed, with its HTML; left out where it is blank.',
      },
      {
        field: 'imageUrl',
        clause: 'spec 2.3.6',
        rule: 'The address, if it is an http(s) one; else left out.',
      },
      {
        field: 'sessionIds',
        clause: 'spec 2.3.7',
        rule: 'Sessions that the user names and sessions that name the user, together, in byte order; only sessions that are synced.',
        also: [['staging.a_sessions', 'speaker_ids', '$.Speakers']],
      },
      {
        field: 'attendeeId',
        clause: 'spec 2.3.8',
        rule: 'The id of the user, if the attendee of that id is synced; else left out.',
        also: [['staging.a_users', 'source_id']],
      },
      {
        field: 'facebookUrl',
        clause: 'spec 2.3.10',
        rule: 'A URL as it is; a host with a path gets https://, a handle becomes the address of its page; anything else is left out.',
      },
      {
        field: 'linkedinUrl',
        clause: 'spec 2.3.11',
        rule: 'A URL as it is; a host with a path gets https://, a handle becomes the address of its page; anything else is left out.',
      },
    ],
    attendees: [
      {
        field: 'uniqueId',
        clause: 'spec 2.4.6',
        rule: 'The id, digits as written; of a user without one the e-mail address in lower case.',
        also: [['staging.a_users', 'email_address']],
      },
      { field: 'firstName', clause: 'spec 2.4.1', rule: REQUIRED },
      { field: 'lastName', clause: 'spec 2.4.2', rule: REQUIRED },
      { field: 'emailAddress', clause: 'spec 2.4.3', rule: REQUIRED },
      { field: 'title', clause: 'spec 2.4.4', rule: OPTIONAL },
      { field: 'company', clause: 'spec 2.4.5', rule: OPTIONAL },
    ],
  },
  lookups: [
    { table: 'staging.a_time_slots', by: ['staging.a_sessions', 'time_slot_id'] },
    { table: 'staging.a_rooms', by: ['staging.a_sessions', 'room_id'] },
    { table: 'staging.a_tracks', by: ['staging.a_sessions', 'track_id'] },
    { table: 'staging.a_session_types', by: ['staging.a_sessions', 'session_type_id'] },
  ],
  references: {
    agenda: [{ field: 'speakerIds', content: 'speakers', column: ['staging.a_sessions', 'speaker_ids'] }],
    speakers: [
      {
        field: 'sessionIds',
        content: 'agenda',
        column: ['staging.a_users', 'speaking_at'],
        namedBy: ['staging.a_sessions', 'speaker_ids'],
      },
      { field: 'attendeeId', content: 'attendees', column: ['staging.a_users', 'source_id'] },
    ],
    attendees: [],
  },
}
