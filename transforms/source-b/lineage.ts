import type { SourceLineage } from '../source-lineage.ts'

const REQUIRED = 'The text, trimmed; without it there is no item.'
const OPTIONAL = 'The text, trimmed; left out where it is blank.'
const HTML = 'The text, trimmed, with its HTML; left out where it is blank.'
const ID = 'The id, digits as written.'
const ZONE = 'in the zone of the session, else in source.timeZone'

/** Where the platform fields of Source B come from. Source: spec 2.6 to 2.8; spec-gaps, "Decisions". */
export const lineageOfB: SourceLineage = {
  paths: {
    'staging.b_sessions': {
      source_id: [{ path: '$.id' }],
      name: [{ path: '$.name' }],
      description: [{ path: '$.description' }],
      start_time: [{ path: '$.date' }, { path: '$.start_time' }],
      end_time: [{ path: '$.date' }, { path: '$.end_time' }],
      time_zone: [{ path: '$.timezone' }],
    },
    'staging.b_registrants': {
      source_id: [{ path: '$.id' }],
      first_name: [{ path: '$.first_name' }],
      last_name: [{ path: '$.last_name' }],
      email: [{ path: '$.email', option: 'source.fields.email' }],
      job_title: [{ path: '$.job_title' }],
      company: [{ path: '$.company' }],
      bio: [{ path: '$.bio' }],
      mobile_phone: [{ path: '$.mobile_phone' }],
      twitter_handle: [{ path: '$.twitter_handle' }],
      reg_type_id: [{ path: '$.reg_type_id' }],
      session_ids: [{ path: '$.session_ids' }],
      cancelled_at: [{ path: '$.cancelled_at' }],
    },
    'staging.b_reg_types': { name: [{ path: '$.name' }] },
  },
  rules: {
    agenda: [
      { field: 'uniqueId', clause: 'spec 2.6.5', rule: ID },
      { field: 'name', clause: 'spec 2.6.1', rule: REQUIRED },
      {
        field: 'startTime',
        clause: 'spec 2.6.2',
        rule: `Date and start time ${ZONE}, as UTC.`,
        also: [['staging.b_sessions', 'time_zone']],
      },
      {
        field: 'endTime',
        clause: 'spec 2.6.3',
        rule: `Date and end time ${ZONE}, as UTC; on the next day where the clock on the wall is before the start.`,
        also: [['staging.b_sessions', 'time_zone']],
      },
      { field: 'description', clause: 'spec 2.6.4', rule: HTML },
    ],
    speakers: [
      { field: 'uniqueId', clause: 'spec 2.7.9', rule: ID },
      { field: 'firstName', clause: 'spec 2.7.1', rule: REQUIRED },
      { field: 'lastName', clause: 'spec 2.7.2', rule: REQUIRED },
      { field: 'title', clause: 'spec 2.7.3', rule: OPTIONAL },
      { field: 'company', clause: 'spec 2.7.4', rule: OPTIONAL },
      { field: 'description', clause: 'spec 2.7.5', rule: HTML },
      {
        field: 'sessionIds',
        clause: 'spec 2.7.7',
        rule: 'Sessions of the registrant in byte order; only sessions that are synced.',
      },
      {
        field: 'attendeeId',
        clause: 'spec 2.7.8',
        rule: 'The id of the registrant, if the attendee of that id is synced; else left out.',
        also: [['staging.b_registrants', 'source_id']],
      },
      {
        field: 'twitter',
        clause: 'spec 2.7.6',
        rule: 'The handle without "@"; of an address the last segment of its path.',
      },
    ],
    attendees: [
      { field: 'uniqueId', clause: 'spec 2.8.9', rule: ID },
      { field: 'firstName', clause: 'spec 2.8.1', rule: REQUIRED },
      { field: 'lastName', clause: 'spec 2.8.2', rule: REQUIRED },
      { field: 'emailAddress', clause: 'spec 2.8.3', rule: REQUIRED },
      { field: 'title', clause: 'spec 2.8.4', rule: OPTIONAL },
      { field: 'company', clause: 'spec 2.8.5', rule: OPTIONAL },
      { field: 'biography', clause: 'spec 2.8.6', rule: HTML },
      { field: 'phone', clause: 'spec 2.8.7', rule: OPTIONAL },
      {
        field: 'personalAgenda',
        clause: 'spec 2.8.8',
        rule: 'Sessions of the registrant in byte order; only sessions that are synced.',
      },
    ],
  },
  lookups: [{ table: 'staging.b_reg_types', by: ['staging.b_registrants', 'reg_type_id'] }],
  references: {
    agenda: [],
    speakers: [
      { field: 'sessionIds', content: 'agenda', column: ['staging.b_registrants', 'session_ids'] },
      { field: 'attendeeId', content: 'attendees', column: ['staging.b_registrants', 'source_id'] },
    ],
    attendees: [
      { field: 'personalAgenda', content: 'agenda', column: ['staging.b_registrants', 'session_ids'] },
    ],
  },
}
