import { having, lacking, type Neighbour, renaming, sharingId, type Trap, trap } from './sample-trap.ts'

/** What a session's twist may use beside the session itself. */
export interface AgendaPlace extends Neighbour {
  /** adds a time slot and gives its id */
  readonly addTimeSlot: (start: unknown, end: unknown) => number
  /** the ids of two users that this event has */
  readonly userIds: readonly [unknown, unknown]
}

type SessionTrap = Trap<AgendaPlace>

/** A session in a time slot of its own. */
function at(start: unknown, end: unknown) {
  return (session: Readonly<Record<string, unknown>>, place: AgendaPlace) => ({
    ...session,
    TimeSlotId: place.addTimeSlot(start, end),
  })
}

function eventTime(text: string, utc?: string): unknown {
  return utc === undefined ? { EventTime: text } : { UTC: utc, EventTime: text }
}

const timeTraps: readonly SessionTrap[] = [
  trap(
    'a-time-without-offset',
    'EventTime has no offset, so UTC counts',
    at(
      eventTime('2031-03-10T09:05:00', '2031-03-10T13:05:00Z'),
      eventTime('2031-03-10T09:50:00', '2031-03-10T13:50:00Z'),
    ),
    at(
      eventTime('2031-03-11T09:05:00', '2031-03-11T13:05:00'),
      eventTime('2031-03-11T09:50:00', '2031-03-11T13:50:00'),
    ),
  ),
  trap(
    'a-time-event-time-alone',
    'EventTime without offset and without UTC: the configured zone counts',
    at(eventTime('2031-03-10T09:10:00'), eventTime('2031-03-10T09:55:00')),
    at({ EventTime: '2031-03-12 18:00', UTC: null }, { EventTime: '2031-03-12 18:45', UTC: null }),
  ),
  trap(
    'a-time-plain-with-offset',
    'a time that is a string, not an object',
    at('2031-03-10T10:05:00-04:00', '2031-03-10T10:50:00-0400'),
    at('2031-03-11T14:05:00Z', '2031-03-11T14:50:00.000Z'),
  ),
  trap(
    'a-time-plain-local',
    'a string without offset',
    at('2031-03-10T11:05:00', '2031-03-10T11:50:00'),
    at('2031-03-11 11:05', '2031-03-11 11:50'),
  ),
  trap(
    'a-time-skipped',
    'a local time that the change to summer time skips',
    at('2031-03-09T02:30:00', '2031-03-09T03:30:00'),
    at(eventTime('2031-03-09T02:30:00'), eventTime('2031-03-09T04:00:00')),
  ),
  trap(
    'a-time-ambiguous',
    'a local time that occurs twice when summer time ends',
    at('2031-11-02T01:30:00', '2031-11-02T02:30:00'),
    at(eventTime('2031-11-02T01:30:00'), eventTime('2031-11-02T03:00:00')),
  ),
  trap(
    'a-end-not-after-start',
    'an end before the start, and one equal to it',
    at('2031-03-10T16:00:00-04:00', '2031-03-10T15:00:00-04:00'),
    at('2031-03-10T16:00:00-04:00', '2031-03-10T16:00:00-04:00'),
  ),
  trap(
    'a-time-unreadable',
    'a time that is there but none',
    at('TBD', 'TBD'),
    at('2031-03-10T24:00:00', '2031-03-11T01:00:00'),
    at('2031-02-30T09:00:00', '2031-02-30T10:00:00'),
  ),
  trap(
    'a-slot-without-time',
    'a time slot without start or end',
    at(null, '2031-03-10T10:00:00-04:00'),
    at('2031-03-10T10:00:00-04:00', { UTC: null, EventTime: '' }),
  ),
]

const referenceTraps: readonly SessionTrap[] = [
  trap(
    'a-key-spelling',
    'RoomID, TimeSlotID… as the specification also writes them, and other cases',
    renaming({
      RoomId: 'RoomID',
      TimeSlotId: 'TimeSlotID',
      SessionTypeId: 'SessionTypeID',
      TrackId: 'TrackID',
    }),
    renaming({ RoomId: 'RoomID' }),
    renaming({ RoomId: 'roomid', Title: 'title', Id: 'id' }),
  ),
  trap(
    'a-reference-as-text',
    'a reference is a string where the id is a number',
    (session) => ({ ...session, RoomId: String(session.RoomId), TimeSlotId: ` ${session.TimeSlotId} ` }),
    (session) => ({ ...session, TrackId: String(session.TrackId) }),
  ),
  trap('a-time-slot-missing', 'no time slot at all', having({ TimeSlotId: null }), lacking('TimeSlotId')),
  trap('a-time-slot-dangling', 'a time slot that is not served', having({ TimeSlotId: 499_999 })),
  trap('a-room-dangling', 'a room that is not served', having({ RoomId: 399_999 })),
  trap('a-track-dangling', 'a track that is not served', having({ TrackId: 299_999 })),
  trap('a-type-dangling', 'a session type that is not served', having({ SessionTypeId: 199_999 })),
  trap(
    'a-one-to-one-meeting',
    'sessions of a 1:1 Meeting type, in three spellings',
    having({ SessionTypeId: 111 }),
    having({ SessionTypeId: 112 }),
    having({ SessionTypeId: 113 }),
  ),
  trap(
    'a-speakers-as-ids',
    'Speakers as bare ids, numbers and strings',
    (session, { userIds }) => ({ ...session, Speakers: [userIds[0], String(userIds[1])] }),
    (session, { userIds }) => ({ ...session, Speakers: [String(userIds[1]), { Id: userIds[0] }] }),
  ),
  trap(
    'a-speaker-order',
    'SpeakerOrder differs from Speakers, and names somebody who is not among them',
    (session, { userIds: [one, two] }) => ({
      ...session,
      Speakers: [{ Id: one }, { Id: two }],
      SpeakerOrder: [String(two), String(one)],
    }),
    (session, { userIds: [one, two] }) => ({
      ...session,
      Speakers: [{ Id: one }, { Id: two }],
      SpeakerOrder: ['424242', String(two)],
    }),
  ),
  trap(
    'a-speaker-unknown',
    'Speakers name a user that is not served',
    having({ Speakers: [{ Id: 424_242, FirstName: 'Nobody', LastName: 'Known' }], SpeakerOrder: ['424242'] }),
  ),
]

const linkTraps: readonly SessionTrap[] = [
  trap(
    'a-links-list',
    'Links as a list of strings, one of them twice',
    having({
      Links: ['https://example.org/slides', 'http://example.org/code', 'https://example.org/slides'],
    }),
  ),
  trap(
    'a-links-objects',
    'Links as objects with Url, Link or Href',
    having({ Links: [{ Url: 'https://example.org/u', Title: 'Slides' }, { Link: 'https://example.org/l' }] }),
    having({ Links: [{ Href: 'https://example.org/h' }, { href: 'https://example.org/h2' }] }),
  ),
  trap(
    'a-links-json-text',
    'Links as a string that holds JSON',
    having({ Links: '["https://example.org/j1","https://example.org/j2"]' }),
    having({ Links: '{"Url":"https://example.org/j3"}' }),
  ),
  trap(
    'a-links-delimited',
    'Links as one string with , ; | or blanks between',
    having({ Links: 'https://example.org/a,b;c https://example.org/d' }),
    having({ Links: 'https://example.org/1; https://example.org/2|https://example.org/3' }),
  ),
  trap('a-links-single', 'Links as one URL', having({ Links: 'https://example.org/only?x=1;y=2' })),
  trap(
    'a-links-unusable',
    'Links that are no http(s) URLs',
    having({ Links: ['javascript:alert(1)', 'www.example.org', 'https://example.org/with blank'] }),
    having({ Links: 'ask at the desk' }),
  ),
]

const valueTraps: readonly SessionTrap[] = [
  trap('a-not-enabled', 'Enabled is false', having({ Enabled: false })),
  trap('a-hidden', 'VisibleToAnonymousUsers is false', having({ VisibleToAnonymousUsers: false })),
  trap(
    'a-flag-as-text',
    'a flag that is no JSON boolean says nothing',
    having({ Enabled: 'false' }),
    having({ Enabled: 0 }),
  ),
  trap('a-session-repeated-id', 'two sessions with one id: the later counts', sharingId('Id')),
  trap(
    'a-session-unsupported-character',
    'U+0000 and lone surrogates',
    (session) => ({ ...session, Title: `Zero\u0000 ${session.Title}` }),
    having({ Description: 'half an emoji: \ud83c and the other half: \udf0a' }),
  ),
  trap(
    'a-session-formula',
    'a title that a spreadsheet would run',
    having({ Title: '=HYPERLINK("https://example.org";"Free coffee")' }),
    having({ Title: '+1 for public benches' }),
    having({ Title: '-40 degrees: building for the cold' }),
    having({ Title: '@home: the city from the sofa' }),
    having({ Title: "'Tis the season; a \\ in the works" }),
  ),
  trap(
    'a-session-title-blank',
    'a required title that is blank',
    having({ Title: '   ' }),
    having({ Title: null }),
  ),
  trap('a-session-title-number', 'a title that is a number counts as text', having({ Title: 2031 })),
  trap(
    'a-session-not-text',
    'an object, list or boolean where text is due',
    having({ Description: { en: 'no text' } }),
    having({ Description: true }),
  ),
]

/** What Source A's sessions, and the time slots made for them, show. */
export const sessionTrapsOfA: readonly SessionTrap[] = [
  ...timeTraps,
  ...referenceTraps,
  ...linkTraps,
  ...valueTraps,
]
