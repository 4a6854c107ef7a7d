import { excluded, quarantined, synced } from './traps.ts'
import { aSession, aUser, type TrapOfA, trapsOfA, trapsOfAApart } from './traps-of-a.ts'
import { bRegistrant, bSession, type TrapOfB, trapsOfB, trapsOfBApart } from './traps-of-b.ts'

/** A JSON number with these digits, which a JavaScript number may not have. */
const digits = (text: string) => JSON.rawJSON(text)

const ofA: readonly TrapOfA[] = [
  {
    name: 'ids of 17 digits that are one double are two records',
    also: { Sessions: [aSession(digits('99999999999999998')), aSession(digits('99999999999999999'))] },
    becomes: {
      'agenda 99999999999999998': synced(),
      'agenda 99999999999999999': synced(),
      'agenda 100000000000000000': [],
    },
  },
  {
    name: 'a reference of 17 digits finds its record, a number or a text',
    also: {
      Users: [aUser(digits('90071992547409931'))],
      Sessions: [
        aSession('by-number', { Speakers: [{ Id: digits('90071992547409931') }] }),
        aSession('by-text', { Speakers: ['90071992547409931'] }),
        aSession('by-neighbour', { Speakers: [digits('90071992547409932')] }),
      ],
    },
    becomes: {
      'agenda by-number': synced({ speakerIds: ['90071992547409931'] }),
      'agenda by-text': synced({ speakerIds: ['90071992547409931'] }),
      'agenda by-neighbour': synced({ speakerIds: undefined }, 'not_synced:speakerIds=1'),
      'speakers 90071992547409931': synced({ sessionIds: ['by-number', 'by-text'] }),
    },
  },
  {
    name: '"007" is not 7',
    also: { Sessions: [aSession('007', { Title: 'Text' }), aSession(7, { Title: 'Number' })] },
    becomes: { 'agenda 007': synced({ name: 'Text' }), 'agenda 7': synced({ name: 'Number' }) },
  },
  {
    name: 'a reference to "007" does not find 7',
    also: { Rooms: [{ Id: 7, Name: 'Seven' }], Sessions: [aSession('agent', { RoomId: '007' })] },
    becomes: { 'agenda agent': synced({ location: undefined }, 'dangling_reference:location') },
  },
  {
    name: 'a number and its text are one id',
    also: { Rooms: [{ Id: 70, Name: 'Seventy' }], Sessions: [aSession('in-seventy', { RoomId: '70' })] },
    becomes: { 'agenda in-seventy': synced({ location: 'Seventy' }) },
  },
  {
    name: 'a number keeps its digits as written: 8.0 and 8e0 are not 8',
    also: { Sessions: [aSession(digits('8.0')), aSession(digits('8e0')), aSession(digits('8'))] },
    becomes: { 'agenda 8.0': synced(), 'agenda 8e0': synced(), 'agenda 8': synced() },
  },
  { name: 'an id may be 0', also: { Sessions: [aSession(0)] }, becomes: { 'agenda 0': synced() } },
  {
    name: 'blanks around an id are trimmed, and around a reference',
    also: {
      Sessions: [aSession(' padded\t', { TrackId: '\u00a0padded-track ' })],
      Tracks: [{ Id: 'padded-track\n', Title: 'Water' }],
    },
    becomes: { 'agenda padded': synced({ sessionTracks: ['Water'] }) },
  },
  {
    name: 'ids differ by case',
    also: { Sessions: [aSession('case'), aSession('CASE')] },
    becomes: { 'agenda case': synced(), 'agenda CASE': synced() },
  },
  {
    name: 'an id that a spreadsheet would run stays as it is',
    also: { Sessions: [aSession('=1+1'), aSession("'quoted"), aSession('＋1')] },
    becomes: { 'agenda =1+1': synced(), "agenda 'quoted": synced(), 'agenda ＋1': synced() },
  },
  {
    name: 'an id may hold line breaks, quotes, semicolons and backslashes',
    also: {
      Sessions: [aSession('a;b\\c "d"\r\ne')],
      Users: [aUser('of-odd', { SpeakingAt: ['a;b\\c "d"\r\ne', 's0'] })],
    },
    becomes: {
      'agenda a;b\\c "d"\r\ne': synced(),
      'speakers of-odd': synced({ sessionIds: ['a;b\\c "d"\r\ne', 's0'] }),
    },
  },
  {
    name: 'U+0000 in an id is dropped, and marked',
    also: { Sessions: [aSession('nul\u0000l')] },
    becomes: { 'agenda null': synced({}, 'unsupported_character:uniqueId') },
  },
  {
    name: 'an id of 1000 bytes is an id',
    also: { Sessions: [aSession('é'.repeat(500))] },
    becomes: { [`agenda ${'é'.repeat(500)}`]: synced() },
  },
]

const quarantinedOfA: readonly TrapOfA[] = [
  {
    name: 'sessions of Source A without an id, or with a blank one, are quarantined',
    also: { Sessions: [undefined, null, '', ' \u00a0', '\u0000'].map((id) => aSession(id)) },
    becomes: { 'agenda ': Array(5).fill(quarantined), 'agenda s0': synced() },
  },
  {
    name: 'sessions of Source A whose id is no text are quarantined',
    also: { Sessions: [true, ['x'], { Id: 'x' }].map((id) => aSession(id)) },
    becomes: { 'agenda ': Array(3).fill(quarantined) },
  },
  {
    name: 'elements of Source A that are no objects are quarantined, for each content that they could serve',
    also: {
      Sessions: [null, 'session', 7, true, []],
      Users: [null, [{ Id: 'x' }]],
    },
    becomes: {
      'agenda ': Array(5).fill(quarantined),
      'speakers ': Array(2).fill(quarantined),
      'attendees ': Array(2).fill(quarantined),
    },
  },
  {
    name: 'an id of more than 1000 bytes is quarantined',
    also: { Sessions: [aSession(`${'é'.repeat(500)}x`)] },
    becomes: { 'agenda ': quarantined },
  },
  {
    name: 'a user of Source A with neither id nor e-mail address is quarantined',
    also: { Users: [aUser(null, { EmailAddress: null }), aUser(' ', { EmailAddress: ' ' })] },
    becomes: { 'speakers ': [quarantined, quarantined], 'attendees ': [quarantined, quarantined] },
  },
  {
    name: 'a session without an id names nobody',
    session: { Id: undefined, Speakers: [{ Id: 'u1' }] },
    user: { SpeakingAt: [] },
    speakers: excluded('not_a_speaker'),
    becomes: { 'agenda ': quarantined },
  },
]

const ofB: readonly TrapOfB[] = [
  {
    name: 'ids of Source B keep 17 digits',
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
    name: 'ids of Source B: "007" is not 7, and blanks are trimmed',
    also: { sessions: [bSession(' 007'), bSession(7)] },
    becomes: { 'agenda 007': synced(), 'agenda 7': synced() },
  },
]

const quarantinedOfB: readonly TrapOfB[] = [
  {
    name: 'a registrant without an id is quarantined, e-mail address or not',
    also: {
      registrants: [bRegistrant(undefined), bRegistrant(null), bRegistrant(''), bRegistrant({ id: 1 })],
    },
    becomes: { 'speakers ': Array(4).fill(quarantined), 'attendees ': Array(4).fill(quarantined) },
  },
  {
    name: 'elements of Source B that are no objects, or have no id, are quarantined',
    also: { sessions: [null, 'session', 7, [], bSession(undefined), bSession(false)] },
    becomes: { 'agenda ': Array(6).fill(quarantined), 'agenda s0': synced() },
  },
]

trapsOfA('ids of Source A', {}, ofA)
trapsOfAApart('records of Source A that cannot be kept', {}, quarantinedOfA)
trapsOfB('ids of Source B', {}, ofB)
trapsOfBApart('records of Source B that cannot be kept', {}, quarantinedOfB)
