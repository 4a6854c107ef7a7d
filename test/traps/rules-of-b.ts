import { rawElement } from '../harness/sample-source/server.ts'
import { excluded, quarantined, synced } from './traps.ts'
import { bRegistrant, bSession, trapsOfB } from './traps-of-b.ts'

/** Makes a JSON number with exactly these digits. A JavaScript number could lose some digits. */
const digits = (text: string) => JSON.rawJSON(text)
const notASpeaker = excluded('not_a_speaker')

// New York is four hours behind UTC on 8 August 2031.
trapsOfB('rules of Source B', { timeZone: 'America/New_York' }, [
  {
    name: 'keys match exactly [R3]',
    also: {
      sessions: [
        rawElement('{"id":"b1","Name":"Wrong","date":"2031-08-08","start_time":"09:00","end_time":"10:00"}'),
      ],
    },
    becomes: { 'agenda b1': excluded('missing_required:name') },
  },
  {
    name: 'ids keep 17 digits, wherever they are named',
    also: {
      sessions: [bSession(digits('12345678901234567'))],
      registrants: [bRegistrant(digits('98765432109876543'), { session_ids: [digits('12345678901234567')] })],
    },
    becomes: {
      'agenda 12345678901234567': synced(),
      'attendees 98765432109876543': synced({ personalAgenda: ['12345678901234567'] }),
      'speakers 98765432109876543': synced({
        sessionIds: ['12345678901234567'],
        attendeeId: '98765432109876543',
      }),
    },
  },
  {
    name: 'what has no id, e-mail address or not, or is no object, is quarantined [spec 2.6.5, spec 2.8.9]',
    also: {
      sessions: [null, 'session', [], bSession(undefined), bSession(false)],
      registrants: [bRegistrant(null), bRegistrant(''), bRegistrant({ id: 1 })],
    },
    becomes: {
      'agenda ': Array(5).fill(quarantined),
      'speakers ': Array(3).fill(quarantined),
      'attendees ': Array(3).fill(quarantined),
    },
  },
  {
    name: 'date and time of day are local to the zone of the source; an end before the start is on the next day [spec 2.6.2, spec 2.6.3, R17, R39]',
    session: { start_time: '22:00:00', end_time: '01:00:00' },
    agenda: synced({ startTime: '2031-08-09T02:00:00Z', endTime: '2031-08-09T05:00:00Z' }),
  },
  {
    name: 'an end equal to the start is bad_time [R39, R66]',
    session: { end_time: '09:00:00.5' },
    agenda: excluded('bad_time'),
  },
  {
    name: 'a time zone of its own [R17, R66]',
    session: { timezone: 'Europe/Lisbon' },
    agenda: synced({ startTime: '2031-08-08T08:00:00Z' }),
  },
  {
    name: 'a speaker by the number of the type Speaker [spec 2.5.2, R18]',
    registrant: { reg_type_id: 902 },
    speakers: synced(),
    also: { registrants: [bRegistrant('guest', { reg_type_id: 901 })] },
    becomes: { 'speakers guest': notASpeaker, 'attendees guest': synced() },
  },
  {
    name: "the record's own value counts before the name of its type [R18, R62]",
    registrant: { reg_type_id: { id: 902, value: 'Press' } },
    speakers: notASpeaker,
  },
  {
    name: 'a date cancels an attendee; a speaker stays, without the link to the attendee [spec 2.7 p1, spec 2.8 p1, spec 2.8.8, spec 4.8, R67]',
    registrant: { cancelled_at: '2031-02-14 09:30:00' },
    attendees: excluded('cancelled'),
    speakers: synced({ sessionIds: ['s0'], attendeeId: undefined }, 'not_synced:attendeeId=1'),
  },
  {
    name: 'a zero date, as any language prints it, does not cancel; a date near the epoch does [R67]',
    registrant: { cancelled_at: '-0001-11-30 00:00:00' },
    attendees: synced(),
    also: {
      registrants: [
        bRegistrant('net', { cancelled_at: '0001-01-01T00:00:00' }),
        bRegistrant('zero', { cancelled_at: 0 }),
        bRegistrant('epoch', { cancelled_at: '1970-01-01T00:00:00Z' }),
        bRegistrant('later', { cancelled_at: '1970-01-01T09:30:00Z' }),
      ],
    },
    becomes: {
      'attendees net': synced(),
      'attendees zero': synced(),
      'attendees epoch': synced(),
      'attendees later': excluded('cancelled'),
    },
  },
  {
    name: 'a zone is named in many ways; the time of one that nobody knows is noted [R65, R66]',
    session: {
      date: '2031-07-04',
      start_time: '09:00',
      end_time: '10:00',
      timezone: 'Eastern Standard Time',
    },
    agenda: synced({ startTime: '2031-07-04T13:00:00Z', endTime: '2031-07-04T14:00:00Z' }),
    also: {
      sessions: ['Berlin', 'utc+5:30', 'EST', 'Eastern Time'].map((timezone) =>
        bSession(timezone, { date: '2031-07-04', start_time: '09:00', end_time: '10:00', timezone }),
      ),
    },
    becomes: {
      'agenda Berlin': synced({ startTime: '2031-07-04T07:00:00Z' }),
      'agenda utc+5:30': synced({ startTime: '2031-07-04T03:30:00Z' }),
      'agenda EST': synced({ startTime: '2031-07-04T14:00:00Z' }),
      'agenda Eastern Time': synced(
        { startTime: '2031-07-04T13:00:00Z' },
        'unknown_zone:endTime; unknown_zone:startTime',
      ),
    },
  },
  {
    name: 'session_ids, in byte order, are agenda and sessions; waitlisted ones are not [spec 2.7.7, spec 2.8.8, R19, R68]',
    registrant: { session_ids: '11, 2,1001', waitlisted_session_ids: ['s0'] },
    also: { sessions: [bSession(11), bSession(1001), bSession(2)] },
    attendees: synced({ personalAgenda: ['1001', '11', '2'] }),
    speakers: synced({ sessionIds: ['1001', '11', '2'] }),
  },
  {
    name: 'a reference of more than 1000 bytes is left out, and nothing else [R44, R65]',
    registrant: { session_ids: ['s0', 'x'.repeat(1001)] },
    speakers: synced({ sessionIds: ['s0'] }, 'left_out:sessionIds'),
    attendees: synced({ personalAgenda: ['s0'] }, 'left_out:personalAgenda'),
    also: {
      registrants: [
        bRegistrant('in a text', { session_ids: `s0,${'x'.repeat(1001)}` }),
        bRegistrant('of a type', { reg_type_id: { id: 'x'.repeat(1001), value: 'Speaker' } }),
      ],
    },
    becomes: {
      'attendees in a text': synced({ personalAgenda: ['s0'] }, 'left_out:personalAgenda'),
      'speakers of a type': synced({}, 'left_out:reg_type_id'),
    },
  },
  {
    name: 'session_ids as an object with number keys, and as JSON in a text, are lists [R19, R57]',
    also: {
      sessions: [bSession('101'), bSession('103')],
      registrants: [
        bRegistrant('with number keys', { session_ids: { 0: 101, 2: 103 } }),
        bRegistrant('as text', { session_ids: ' [101,103] ' }),
        bRegistrant('as text with number keys', { session_ids: '{"4":{"id":"103"},"1":101}' }),
        bRegistrant('empty', { session_ids: {} }),
        bRegistrant('empty text', { session_ids: '[]' }),
        bRegistrant('one object', { session_ids: { id: 101 } }),
      ],
    },
    becomes: {
      'attendees with number keys': synced({ personalAgenda: ['101', '103'] }),
      'attendees as text': synced({ personalAgenda: ['101', '103'] }),
      'attendees as text with number keys': synced({ personalAgenda: ['101', '103'] }),
      'attendees empty': synced({ personalAgenda: undefined }),
      'attendees empty text': synced({ personalAgenda: undefined }),
      'attendees one object': synced({ personalAgenda: undefined }, 'left_out:personalAgenda'),
    },
  },
])

const set = { speakerRegistrantType: 903, cancelledSpeakers: 'exclude', fields: { email: 'work_email' } }
trapsOfB('options of Source B that are set', set, [
  {
    name: 'source.fields.email and .speakerRegistrantType [R36, R37]',
    also: { regTypes: [{ id: 903, name: 'Guest' }] },
    registrant: { reg_type_id: 903, email: 'home@x.example', work_email: 'work@x.example' },
    attendees: synced({ emailAddress: 'work@x.example' }),
    speakers: synced(),
  },
  {
    name: 'source.cancelledSpeakers: exclude [R38]',
    registrant: { reg_type_id: 903, cancelled_at: '2031-02-14' },
    speakers: excluded('cancelled'),
    attendees: excluded('cancelled'),
    also: {
      registrants: [
        bRegistrant('nameless', { reg_type_id: 903, cancelled_at: '2031-02-14', first_name: null }),
        bRegistrant('guest', { reg_type_id: 901, cancelled_at: '2031-02-14' }),
      ],
    },
    becomes: { 'speakers nameless': excluded('cancelled'), 'speakers guest': excluded('cancelled') },
  },
])
