import { serveRecords } from '../harness/serve-records.ts'
import type { SourceExample } from './example.ts'

/** The example for Source A: a session and all records to which it refers. */
export const exampleA: SourceExample = {
  source: { type: 'a', eventId: '4242', timeZone: 'UTC' },
  full: {
    sessions: {
      Id: 'S1',
      Title: 'Opening',
      Description: '<p>Hello</p>',
      Enabled: true,
      VisibleToAnonymousUsers: true,
      Status: 'Accepted',
      TimeSlotId: 'T1',
      RoomId: 'R1',
      TrackId: 'K1',
      SessionTypeId: 'Y1',
      Speakers: [{ Id: 'U2' }, { Id: 'U1' }],
      SpeakerOrder: ['U1'],
      Links: 'https://links.example/',
    },
    time_slots: { Id: 'T1', StartTime: '2031-05-04T09:00:00Z', EndTime: '2031-05-04T10:00:00Z' },
    rooms: { Id: 'R1', Location: 'North wing', Name: 'Hall 1' },
    tracks: { Id: 'K1', Title: 'Data' },
    session_types: { Id: 'Y1', Title: 'Talk', Name: 'Talks' },
    users: {
      Id: 'U1',
      FirstName: 'Ada',
      LastName: 'Lovelace',
      EmailAddress: 'ada@example.org',
      Title: 'Countess',
      Company: 'Engines',
      Biography: 'Wrote',
      PhotoLink: 'https://img.example/ada.png',
      Facebook: 'ada',
      LinkedIn: 'ada',
      Roles: 'Speaker',
      IsPending: false,
      SpeakingAt: ['S1'],
    },
  },
  // If a session type has no title, its name is used.
  standIns: { 'session_types $.Name': '$.Title' },
  serve: (records) => serveRecords('a', records),
}
