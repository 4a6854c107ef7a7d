import { excluded, synced } from './traps.ts'
import { aSession, aUser, type TrapOfA, trapsOfA } from './traps-of-a.ts'
import { bSession, type TrapOfB, trapsOfB } from './traps-of-b.ts'

const meeting = { Title: '1:1 Meeting' }
const noTimes = { StartTime: null, EndTime: null }
const nonsense = { StartTime: 'soon', EndTime: 'later' }
const missing = (field: string) => excluded(`missing_required:${field}`)

const ofA: readonly TrapOfA[] = [
  {
    name: 'duplicate_id comes before not_published',
    also: { Sessions: [aSession('dd', { Enabled: false }), aSession('dd')] },
    becomes: { 'agenda dd': [excluded('duplicate_id'), synced()] },
  },
  {
    name: 'not_published comes before one_to_one_meeting',
    session: { Enabled: false },
    type: meeting,
    agenda: excluded('not_published'),
  },
  {
    name: 'not_published comes before what is missing',
    session: { VisibleToAnonymousUsers: false, Title: null },
    slot: noTimes,
    agenda: excluded('not_published'),
  },
  {
    name: 'one_to_one_meeting comes before what is missing',
    session: { Title: '' },
    slot: nonsense,
    type: meeting,
    agenda: excluded('one_to_one_meeting'),
  },
  {
    name: 'a missing name comes before missing times',
    session: { Title: '' },
    slot: noTimes,
    agenda: missing('name'),
  },
  { name: 'a missing start comes before a missing end', slot: noTimes, agenda: missing('startTime') },
  {
    name: 'a missing name comes before a bad time',
    session: { Title: null },
    slot: nonsense,
    agenda: missing('name'),
  },
  {
    name: 'a missing start comes before a bad end',
    slot: { StartTime: '', EndTime: 'later' },
    agenda: missing('startTime'),
  },
  {
    name: 'a missing end comes before a bad start',
    slot: { StartTime: 'soon', EndTime: null },
    agenda: missing('endTime'),
  },
  {
    name: 'not_a_speaker comes before not_published and what is missing',
    user: { SpeakingAt: [], IsPending: true, FirstName: null },
    speakers: excluded('not_a_speaker'),
  },
  {
    name: 'of a speaker, not_published comes before what is missing',
    user: { IsPending: true, FirstName: '', LastName: '' },
    speakers: excluded('not_published'),
  },
  {
    name: 'a missing first name comes before a missing last name and e-mail address',
    user: { FirstName: '', LastName: '', EmailAddress: '' },
    speakers: missing('firstName'),
    attendees: missing('firstName'),
  },
  {
    name: 'a missing last name comes before a missing e-mail address',
    user: { LastName: null, EmailAddress: null },
    attendees: missing('lastName'),
  },
  {
    name: 'of a user, duplicate_id comes before not_a_speaker and what is missing',
    also: { Users: [aUser('du', { FirstName: null }), aUser('du')] },
    becomes: {
      'speakers du': [excluded('duplicate_id'), excluded('not_a_speaker')],
      'attendees du': [excluded('duplicate_id'), synced()],
    },
  },
]

const ofB: readonly TrapOfB[] = [
  {
    name: 'of a session of Source B, duplicate_id comes before what is missing',
    also: { sessions: [bSession('dd', { name: null }), bSession('dd')] },
    becomes: { 'agenda dd': [excluded('duplicate_id'), synced()] },
  },
  {
    name: 'of a session of Source B, a missing name comes before missing times',
    session: { name: '', date: null },
    agenda: missing('name'),
  },
  {
    name: 'of a session of Source B, a missing name comes before a bad time',
    session: { name: null, date: '0000-00-00' },
    agenda: missing('name'),
  },
  {
    name: 'of a session of Source B, a missing date comes before a bad time of day',
    session: { date: '', start_time: 'noon', end_time: null },
    agenda: missing('startTime'),
  },
  {
    name: 'of a session of Source B, a missing end comes before a bad start',
    session: { start_time: 'noon', end_time: null },
    agenda: missing('endTime'),
  },
  {
    name: 'cancelled comes before what is missing',
    registrant: { cancelled_at: '2031-02-14', first_name: '', email: null },
    attendees: excluded('cancelled'),
  },
  {
    name: 'of a registrant, not_a_speaker comes before what is missing',
    registrant: { reg_type_id: 901, first_name: '' },
    speakers: excluded('not_a_speaker'),
  },
  {
    name: 'of a registrant, a missing first name comes before a missing last name and e-mail address',
    registrant: { first_name: null, last_name: null, email: null },
    speakers: missing('firstName'),
    attendees: missing('firstName'),
  },
  {
    name: 'of a registrant, a missing last name comes before a missing e-mail address',
    registrant: { last_name: null, email: '' },
    speakers: missing('lastName'),
    attendees: missing('lastName'),
  },
  {
    name: 'of a registrant who lacks the e-mail address alone only the attendee is excluded',
    registrant: { email: ' ' },
    speakers: synced({ attendeeId: undefined }, 'not_synced:attendeeId=1'),
    attendees: missing('emailAddress'),
  },
]

trapsOfA('reasons of Source A', {}, ofA)
trapsOfB('reasons of Source B', {}, ofB)
trapsOfB('reasons where cancelled speakers are excluded', { cancelledSpeakers: 'exclude' }, [
  {
    name: 'cancelled comes before not_a_speaker',
    registrant: { cancelled_at: '2031-02-14', reg_type_id: 901 },
    speakers: excluded('cancelled'),
  },
])
