import { excluded, synced } from './traps.ts'
import { bRegistrant, bSession, type TrapOfB, trapsOfB } from './traps-of-b.ts'

const speaks = synced({ firstName: 'Ada' })
const notASpeaker = excluded('not_a_speaker')
const ofType = (reg_type_id: unknown) => ({ registrant: { reg_type_id } })

const types: readonly TrapOfB[] = [
  { name: 'reg_type_id as the number of the type Speaker', ...ofType(902), speakers: speaks },
  { name: 'reg_type_id as that number in a text', ...ofType(' 902 '), speakers: speaks },
  {
    name: 'reg_type_id as an object with id and value',
    ...ofType({ id: 902, value: 'Speaker' }),
    speakers: speaks,
  },
  {
    name: 'reg_type_id as an object whose value has another case and blanks',
    ...ofType({ id: 5, value: ' sPEAKER ' }),
    speakers: speaks,
  },
  {
    name: 'reg_type_id as an object with an id alone',
    ...ofType({ id: '902', value: null }),
    speakers: speaks,
  },
  {
    name: 'reg_type_id as an object with a value alone',
    ...ofType({ id: '', value: 'Speaker' }),
    speakers: speaks,
  },
  { name: 'reg_type_id as the name itself', ...ofType('speaker'), speakers: speaks },
  {
    name: "the record's own value counts before the name of its type",
    ...ofType({ id: 902, value: 'Press' }),
    speakers: notASpeaker,
  },
  {
    name: "the record's own value counts, whatever the type of its id is called",
    ...ofType({ id: 901, value: 'Speaker' }),
    speakers: speaks,
  },
  { name: 'reg_type_id as the number of another type', ...ofType(901), speakers: notASpeaker },
  { name: 'reg_type_id as a number that no type has', ...ofType(999), speakers: notASpeaker },
  {
    name: 'reg_type_id as an empty object of id and value',
    ...ofType({ id: '', value: null }),
    speakers: notASpeaker,
  },
  { name: 'reg_type_id of null', ...ofType(null), speakers: notASpeaker },
  { name: 'reg_type_id that is absent', ...ofType(undefined), speakers: notASpeaker },
  { name: 'reg_type_id as blank text', ...ofType(''), speakers: notASpeaker },
  { name: 'reg_type_id as a name that only begins so', ...ofType('Speaker guest'), speakers: notASpeaker },
  { name: 'who is no speaker is an attendee all the same', ...ofType(901), attendees: speaks },
  {
    name: 'who is a speaker is an attendee as well',
    also: { registrants: [bRegistrant('self')] },
    becomes: { 'speakers self': synced({ attendeeId: 'self' }), 'attendees self': speaks },
  },
  {
    name: 'of two types with one id the later counts',
    also: {
      regTypes: [
        { id: 910, name: 'Speaker' },
        { id: 910, name: 'Press' },
        { id: 911, name: 'Press' },
        { id: '911', name: ' SPEAKER ' },
      ],
      registrants: [bRegistrant('of-910', { reg_type_id: 910 }), bRegistrant('of-911', { reg_type_id: 911 })],
    },
    becomes: { 'speakers of-910': notASpeaker, 'speakers of-911': speaks },
  },
]

const cancelled = excluded('cancelled')
const attends = synced({ personalAgenda: ['s0'] })
const cancelledAt = (cancelled_at: unknown) => ({ registrant: { cancelled_at } })

const cancellations: readonly TrapOfB[] = [
  { name: 'cancelled_at of null does not cancel', ...cancelledAt(null), attendees: attends },
  { name: 'cancelled_at that is absent does not cancel', ...cancelledAt(undefined), attendees: attends },
  { name: 'blank cancelled_at does not cancel', ...cancelledAt(' '), attendees: attends },
  { name: 'cancelled_at of false does not cancel', ...cancelledAt(false), attendees: attends },
  { name: 'a zero date does not cancel', ...cancelledAt('0000-00-00'), attendees: attends },
  {
    name: 'a zero date with a time does not cancel',
    ...cancelledAt('0000-00-00 00:00:00'),
    attendees: attends,
  },
  { name: 'a date cancels', ...cancelledAt('2031-02-14 09:30:00'), attendees: cancelled },
  { name: 'a date of another form cancels', ...cancelledAt('2031-02-14T09:30:00Z'), attendees: cancelled },
  { name: 'a date to come cancels', ...cancelledAt('2999-01-01'), attendees: cancelled },
  { name: 'words cancel', ...cancelledAt('yes'), attendees: cancelled },
  { name: 'the text false cancels', ...cancelledAt('false'), attendees: cancelled },
  { name: 'cancelled_at of true cancels', ...cancelledAt(true), attendees: cancelled },
  { name: 'the number 0 cancels', ...cancelledAt(0), attendees: cancelled },
  { name: 'a number cancels', ...cancelledAt(1928919000), attendees: cancelled },
  { name: 'an object cancels', ...cancelledAt({}), attendees: cancelled },
  { name: 'an empty list cancels', ...cancelledAt([]), attendees: cancelled },
  {
    name: 'a cancelled speaker is a speaker still, without the link to the attendee',
    ...cancelledAt('2031-02-14'),
    attendees: cancelled,
    speakers: synced({ sessionIds: ['s0'], attendeeId: undefined }, 'not_synced:attendeeId=1'),
  },
]

const agendaOf = (session_ids: unknown) => ({ registrant: { session_ids } })
const both = synced({ personalAgenda: ['s0', 's9'] })
const empty = synced({ personalAgenda: undefined })

const agendas: readonly TrapOfB[] = [
  {
    name: 'session_ids as a list of texts',
    ...agendaOf(['s9', 's0']),
    attendees: both,
    speakers: synced({ sessionIds: ['s0', 's9'] }),
  },
  { name: 'session_ids as a list of objects', ...agendaOf([{ id: 's9' }, { id: 's0' }]), attendees: both },
  { name: 'session_ids as a text with commas', ...agendaOf('s9, s0'), attendees: both },
  { name: 'session_ids as a text with commas too many', ...agendaOf(',s9,,s0, '), attendees: both },
  { name: 'session_ids as a text of one', ...agendaOf('s9'), attendees: synced({ personalAgenda: ['s9'] }) },
  {
    name: 'session_ids as a list of numbers',
    ...agendaOf([1001, 11]),
    attendees: synced({ personalAgenda: ['1001', '11'] }),
  },
  {
    name: 'session_ids as numbers in byte order, not by value',
    ...agendaOf('11,2,1001'),
    attendees: synced({ personalAgenda: ['1001', '11', '2'] }),
  },
  {
    name: 'session_ids with repeats in several forms',
    ...agendaOf([11, '11', { id: 11 }, ' 11 ']),
    attendees: synced({ personalAgenda: ['11'] }),
  },
  { name: 'session_ids as an empty list', ...agendaOf([]), attendees: empty },
  { name: 'session_ids of null', ...agendaOf(null), attendees: empty },
  { name: 'session_ids that are absent', ...agendaOf(undefined), attendees: empty },
  { name: 'session_ids as empty text', ...agendaOf(''), attendees: empty },
  {
    name: 'elements of session_ids that are null or blank are not there',
    ...agendaOf([null, '', 's0']),
    attendees: synced({ personalAgenda: ['s0'] }),
  },
  {
    name: 'elements of session_ids without an id are left out, and marked',
    ...agendaOf([{ name: 'x' }, true, 's0']),
    attendees: synced({ personalAgenda: ['s0'] }, 'left_out:personalAgenda'),
  },
  {
    name: 'sessions that are not served are left out, and counted for each content',
    ...agendaOf(['s0', 'none', 'nowhere']),
    attendees: synced({ personalAgenda: ['s0'] }, 'not_synced:personalAgenda=2'),
    speakers: synced({ sessionIds: ['s0'] }, 'not_synced:sessionIds=2'),
  },
  {
    name: 'sessions that are excluded are left out, and counted',
    ...agendaOf(['timeless']),
    also: { sessions: [bSession('timeless', { date: null })] },
    attendees: synced({ personalAgenda: undefined }, 'not_synced:personalAgenda=1'),
  },
  {
    name: 'waitlisted_session_ids stay out of agendas',
    registrant: { session_ids: ['s0'], waitlisted_session_ids: ['s9'] },
    attendees: synced({ personalAgenda: ['s0'] }),
    speakers: synced({ sessionIds: ['s0'] }),
  },
  {
    name: 'an excluded registrant counts no sessions',
    registrant: { session_ids: ['none'], first_name: '' },
    also: { sessions: [bSession('s9'), bSession(11), bSession(1001), bSession(2)] },
    attendees: excluded('missing_required:firstName'),
  },
]

trapsOfB('registrant types', {}, types)
trapsOfB('cancelled registrants', {}, cancellations)
trapsOfB('session_ids of registrants', {}, agendas)
