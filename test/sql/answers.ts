/**
 * The expected answer of a query after the syncs of `two-events.ts`: its columns and its rows. Run ids are
 * replaced by names of runs; null is written as `-`.
 */
interface Answer {
  readonly columns: string
  readonly rows: readonly string[]
}

/** The expected answers by the name of the query. The answers were worked out by hand from the two events. */
export const ANSWERS: Readonly<Record<string, Answer>> = {
  'agenda-of-a-day': {
    columns: 'integration_id day room starts_at ends_at time_zone name',
    rows: [
      'expo | 2031-05-04 | (no room) | 2031-05-04 09:00 | 2031-05-04 10:00 | Europe/Berlin | Keynote',
      'expo | 2031-05-04 | (no room) | 2031-05-04 23:00 | 2031-05-05 00:30 | Europe/Berlin | Late show',
      'summit | 2031-05-04 | East wing - Hall | 2031-05-04 09:00 | 2031-05-04 10:00 | America/New_York | Opening',
      'summit | 2031-05-04 | East wing - Hall | 2031-05-04 09:30 | 2031-05-04 10:30 | America/New_York | Workshop',
      'summit | 2031-05-04 | East wing - Hall | 2031-05-04 10:00 | 2031-05-04 11:30 | America/New_York | Closing',
      'summit | 2031-05-04 | (no room) | 2031-05-04 22:30 | 2031-05-05 01:00 | America/New_York | Night walk',
    ],
  },
  'attendee-agendas': {
    columns: 'integration_id attendee_id last_name start_time local_start time_zone session_id',
    rows: [
      'expo | r1 | Abel | 2031-05-04 07:00Z | 2031-05-04 09:00 | Europe/Berlin | s1',
      'expo | r1 | Abel | 2031-05-05 06:00Z | 2031-05-05 08:00 | Europe/Berlin | s4',
      'expo | r2 | Bell | 2031-05-04 07:00Z | 2031-05-04 09:00 | Europe/Berlin | s1',
      'expo | r2 | Bell | 2031-05-04 21:00Z | 2031-05-04 23:00 | Europe/Berlin | s2',
      'expo | r5 | Bell | 2031-05-04 17:00Z | 2031-05-05 02:00 | Asia/Tokyo | s3',
    ],
  },
  'came-back': {
    columns: 'integration_id content unique_id removed_in_run back_in_run',
    rows: ['summit | attendees | u7 | summit 2 | summit 3'],
  },
  'changed-times': {
    columns:
      'integration_id unique_id end_before end_time moved_by local_start_before local_start local_end_before local_end time_zone',
    rows: [
      'summit | s4 | 2031-05-04 15:00Z | 2031-05-04 15:30Z | 00:00 | 2031-05-04 10:00 | 2031-05-04 10:00 | 2031-05-04 11:00 | 2031-05-04 11:30 | America/New_York',
    ],
  },
  'changes-of-a-run': {
    columns: 'run_id content unique_id action field before after status',
    rows: [
      'expo 2 | attendees | r5 | update | title | - | "Baker" | failed',
      'expo 2 | attendees | r8 | create | emailAddress | - | "hed@people.example" | failed',
      'expo 2 | attendees | r8 | create | firstName | - | "Hed" | failed',
      'expo 2 | attendees | r8 | create | lastName | - | "Hall" | failed',
      'summit 3 | attendees | u7 | create | emailAddress | - | "gus@people.example" | applied',
      'summit 3 | attendees | u7 | create | firstName | - | "Gus" | applied',
      'summit 3 | attendees | u7 | create | lastName | - | "Gray" | applied',
      'summit 3 | agenda | s4 | update | endTime | "2031-05-04T15:00:00Z" | "2031-05-04T15:30:00Z" | applied',
    ],
  },
  'double-booked-rooms': {
    columns:
      'integration_id location clash_from clash_to local_from local_to time_zone session_id other_session_id',
    rows: [
      'summit | East wing - Hall | 2031-05-04 13:30Z | 2031-05-04 14:00Z | 2031-05-04 09:30 | 2031-05-04 10:00 | America/New_York | s1 | s2',
      'summit | East wing - Hall | 2031-05-04 14:00Z | 2031-05-04 14:30Z | 2031-05-04 10:00 | 2031-05-04 10:30 | America/New_York | s2 | s4',
    ],
  },
  'double-booked-speakers': {
    columns:
      'integration_id speaker_id last_name clash_from clash_to local_from local_to time_zone session_id other_session_id',
    rows: [
      'summit | u1 | Adams | 2031-05-04 13:30Z | 2031-05-04 14:00Z | 2031-05-04 09:30 | 2031-05-04 10:00 | America/New_York | s1 | s2',
    ],
  },
  freshness: {
    columns: 'integration_id source state reason certified last_run last_status',
    rows: [
      'expo | b | incomplete | records that could not be read: 1 | t | expo 2 | finished',
      'summit | a | failing | extract failed | t | summit 6 | failed',
    ],
  },
  growth: {
    columns: 'run_id content items more creates updates removes',
    rows: [
      'expo 1 | agenda | 4 | - | 4 | 0 | 0',
      'expo 2 | agenda | 4 | 0 | 0 | 0 | 0',
      'expo 1 | attendees | 5 | - | 5 | 0 | 0',
      'expo 2 | attendees | 6 | 1 | 1 | 1 | 0',
      'expo 1 | speakers | 3 | - | 3 | 0 | 0',
      'expo 2 | speakers | 3 | 0 | 0 | 0 | 0',
      'summit 1 | agenda | 4 | - | 4 | 0 | 0',
      'summit 2 | agenda | 4 | 0 | 0 | 0 | 0',
      'summit 3 | agenda | 4 | 0 | 0 | 1 | 0',
      'summit 4 | agenda | 4 | 0 | 0 | 0 | 0',
      'summit 1 | attendees | 7 | - | 7 | 0 | 0',
      'summit 2 | attendees | 6 | -1 | 0 | 0 | 1',
      'summit 3 | attendees | 7 | 1 | 1 | 0 | 0',
      'summit 4 | attendees | 7 | 0 | 0 | 0 | 0',
      'summit 1 | speakers | 4 | - | 4 | 0 | 0',
      'summit 2 | speakers | 4 | 0 | 0 | 0 | 0',
      'summit 3 | speakers | 4 | 0 | 0 | 0 | 0',
      'summit 4 | speakers | 4 | 0 | 0 | 0 | 0',
    ],
  },
  'left-out': {
    columns: 'integration_id content decision reason source_id name',
    rows: [
      'expo | attendees | excluded | cancelled | r4 | Dan Dale',
      'expo | attendees | excluded | duplicate_id | r6 | -',
      'expo | attendees | quarantined | invalid_record | - | -',
      'expo | attendees | excluded | missing_required:emailAddress | r3 | Cal Cole',
      'expo | speakers | excluded | duplicate_id | r6 | -',
      'expo | speakers | quarantined | invalid_record | - | -',
      'summit | agenda | excluded | missing_required:startTime | s6 | Some time',
      'summit | agenda | excluded | not_published | s5 | Secret',
      'summit | attendees | excluded | missing_required:emailAddress | u6 | Flo Finch',
    ],
  },
  'missing-on-the-platform': {
    columns: 'integration_id content unique_id state code retryable rejected_in_run',
    rows: [
      'expo | agenda | s3 | not up to date | - | - | -',
      'expo | attendees | r5 | not up to date | invalid_email | f | expo 2',
      'expo | attendees | r8 | missing | invalid_email | f | expo 2',
    ],
  },
  'odd-hours': {
    columns: 'integration_id unique_id starts_at ends_at time_zone odd',
    rows: [
      'expo | s2 | 2031-05-04 23:00 | 2031-05-05 00:30 | Europe/Berlin | starts late, goes past midnight',
      'expo | s3 | 2031-05-05 02:00 | 2031-05-05 03:00 | Asia/Tokyo | starts early',
      'expo | s4 | 2031-05-05 08:00 | 2031-05-05 22:00 | Europe/Berlin | long',
      'summit | s3 | 2031-05-04 22:30 | 2031-05-05 01:00 | America/New_York | starts late, goes past midnight',
    ],
  },
  'people-without-an-email': {
    columns: 'integration_id source_id first_name last_name decided is_speaker',
    rows: [
      'expo | r3 | Cal | Cole | missing_required:emailAddress | t',
      'summit | u6 | Flo | Finch | missing_required:emailAddress | f',
    ],
  },
  'profile-completeness': {
    columns: 'integration_id content field filled items percent',
    rows: [
      'expo | attendees | personal_agenda | 3 | 6 | 50.0',
      'expo | attendees | biography | 1 | 6 | 16.7',
      'expo | attendees | company | 1 | 6 | 16.7',
      'expo | attendees | phone | 1 | 6 | 16.7',
      'expo | attendees | title | 1 | 6 | 16.7',
      'expo | speakers | attendee_id | 2 | 3 | 66.7',
      'expo | speakers | description | 1 | 3 | 33.3',
      'expo | speakers | session_ids | 1 | 3 | 33.3',
      'expo | speakers | company | 0 | 3 | 0.0',
      'expo | speakers | facebook_url | 0 | 3 | 0.0',
      'expo | speakers | image_url | 0 | 3 | 0.0',
      'expo | speakers | linkedin_url | 0 | 3 | 0.0',
      'expo | speakers | title | 0 | 3 | 0.0',
      'expo | speakers | twitter | 0 | 3 | 0.0',
      'summit | attendees | company | 2 | 7 | 28.6',
      'summit | attendees | biography | 0 | 7 | 0.0',
      'summit | attendees | personal_agenda | 0 | 7 | 0.0',
      'summit | attendees | phone | 0 | 7 | 0.0',
      'summit | attendees | title | 0 | 7 | 0.0',
      'summit | speakers | attendee_id | 4 | 4 | 100.0',
      'summit | speakers | session_ids | 3 | 4 | 75.0',
      'summit | speakers | company | 2 | 4 | 50.0',
      'summit | speakers | description | 1 | 4 | 25.0',
      'summit | speakers | facebook_url | 0 | 4 | 0.0',
      'summit | speakers | image_url | 0 | 4 | 0.0',
      'summit | speakers | linkedin_url | 0 | 4 | 0.0',
      'summit | speakers | title | 0 | 4 | 0.0',
      'summit | speakers | twitter | 0 | 4 | 0.0',
    ],
  },
  'same-person-twice': {
    columns: 'integration_id email_address ids unique_ids names',
    rows: [
      'expo | ben@people.example | 2 | {r2,r5} | {"Ben Bell","Ben Bell"}',
      'summit | ada@people.example | 2 | {u1,u5} | {"Ada Adams","Eve Evans"}',
    ],
  },
  'sessions-without-a-speaker': {
    columns: 'integration_id unique_id name start_time',
    rows: [
      'expo | s3 | Remote | 2031-05-04 17:00Z',
      'expo | s2 | Late show | 2031-05-04 21:00Z',
      'summit | s3 | Night walk | 2031-05-05 02:30Z',
    ],
  },
  'speakers-without-a-session': {
    columns: 'integration_id unique_id first_name last_name',
    rows: ['expo | r3 | Cal | Cole', 'expo | r7 | Gil | Good', 'summit | u4 | Dee | Dunn'],
  },
  'visible-to-anonymous': {
    columns: 'integration_id resource field filled records percent',
    rows: [
      'summit | sessions | Description | 0 | 6 | 0.0',
      'summit | sessions | Links | 0 | 6 | 0.0',
      'summit | sessions | SessionTypeId | 0 | 6 | 0.0',
      'summit | sessions | TrackId | 0 | 6 | 0.0',
      'summit | sessions | RoomId | 3 | 6 | 50.0',
      'summit | sessions | Speakers | 3 | 6 | 50.0',
      'summit | sessions | TimeSlotId | 5 | 6 | 83.3',
      'summit | sessions | Title | 6 | 6 | 100.0',
      'summit | users | Facebook | 0 | 8 | 0.0',
      'summit | users | LinkedIn | 0 | 8 | 0.0',
      'summit | users | PhotoLink | 0 | 8 | 0.0',
      'summit | users | Title | 0 | 8 | 0.0',
      'summit | users | Biography | 1 | 8 | 12.5',
      'summit | users | SpeakingAt | 1 | 8 | 12.5',
      'summit | users | Company | 2 | 8 | 25.0',
      'summit | users | EmailAddress | 7 | 8 | 87.5',
      'summit | users | Id | 7 | 8 | 87.5',
      'summit | users | FirstName | 8 | 8 | 100.0',
      'summit | users | LastName | 8 | 8 | 100.0',
    ],
  },
}
