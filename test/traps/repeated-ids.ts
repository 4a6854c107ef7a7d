import { excluded, synced } from './traps.ts'
import { aSession, aUser, type TrapOfA, trapsOfA } from './traps-of-a.ts'
import { bRegistrant, bSession, type TrapOfB, trapsOfB } from './traps-of-b.ts'

const duplicate = excluded('duplicate_id')
const others = (count: number) => Array.from({ length: count }, (_, index) => index)

const ofA: readonly TrapOfA[] = [
  {
    name: 'of two sessions with one id the later counts, the other is duplicate_id',
    also: { Sessions: [aSession('x', { Title: 'Earlier' }), aSession('x', { Title: 'Later' })] },
    becomes: { 'agenda x': [duplicate, synced({ name: 'Later' })] },
  },
  {
    name: 'of three sessions with one id, a number, a text and a padded text, the last counts',
    also: {
      Sessions: [
        aSession(61, { Title: 'One' }),
        aSession('61', { Title: 'Two' }),
        aSession(' 61', { Title: 'Three' }),
      ],
    },
    becomes: { 'agenda 61': [duplicate, duplicate, synced({ name: 'Three' })] },
  },
  {
    name: 'the later counts though it is the one that is excluded',
    also: { Sessions: [aSession('worse'), aSession('worse', { Title: '' })] },
    becomes: { 'agenda worse': [duplicate, excluded('missing_required:name')] },
  },
  {
    name: 'the later counts though many records stand between, on other pages',
    also: {
      Sessions: [
        aSession('far', { Title: 'Earlier' }),
        ...others(25).map((index) => aSession(`between-${index}`)),
        aSession('far', { Title: 'Later' }),
      ],
    },
    becomes: { 'agenda far': [duplicate, synced({ name: 'Later' })] },
  },
  {
    name: 'two records that are equal are two records',
    also: { Sessions: [aSession('same'), aSession('same')] },
    becomes: { 'agenda same': [duplicate, synced()] },
  },
  {
    name: 'a duplicate has no marks, whatever is in it',
    also: { Sessions: [aSession('marked', { Description: true, RoomId: 'none' }), aSession('marked')] },
    becomes: { 'agenda marked': [duplicate, synced()] },
  },
  {
    name: 'of two users with one id the later counts, as speaker and as attendee',
    also: {
      Users: [
        aUser('uu', { FirstName: 'Earlier', SpeakingAt: ['s0'] }),
        aUser('uu', { FirstName: 'Later', EmailAddress: null, SpeakingAt: ['x'] }),
      ],
    },
    becomes: {
      'speakers uu': [
        duplicate,
        synced({ firstName: 'Later', sessionIds: ['x'] }, 'not_synced:attendeeId=1'),
      ],
      'attendees uu': [duplicate, excluded('missing_required:emailAddress')],
    },
  },
  {
    name: 'what the earlier of two users names does not make a speaker of the later',
    also: { Users: [aUser('was', { SpeakingAt: ['s0'] }), aUser('was')] },
    becomes: { 'speakers was': [duplicate, excluded('not_a_speaker')] },
  },
]

const ofB: readonly TrapOfB[] = [
  {
    name: 'of two sessions of Source B with one id the later counts',
    also: { sessions: [bSession(5, { name: 'Earlier' }), bSession('5', { name: 'Later' })] },
    becomes: { 'agenda 5': [duplicate, synced({ name: 'Later' })] },
  },
  {
    name: 'of two registrants with one id the later counts, for both contents',
    also: {
      registrants: [
        bRegistrant(6, { first_name: 'Earlier' }),
        bRegistrant(6, { first_name: 'Later', cancelled_at: '2031-02-14', reg_type_id: 901 }),
      ],
    },
    becomes: {
      'attendees 6': [duplicate, excluded('cancelled')],
      'speakers 6': [duplicate, excluded('not_a_speaker')],
    },
  },
  {
    name: 'two registrants with one e-mail address are two people',
    also: { registrants: [bRegistrant(7), bRegistrant(8)] },
    becomes: { 'attendees 7': synced(), 'attendees 8': synced() },
  },
]

trapsOfA('repeated ids of Source A', {}, ofA)
trapsOfB('repeated ids of Source B', {}, ofB)
