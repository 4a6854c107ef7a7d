import { excluded, synced } from './traps.ts'
import { aUser, type TrapOfA, trapsOfA } from './traps-of-a.ts'

/** A user without an id who attends, and speaks nowhere. */
const nameless = (EmailAddress: string, fields = {}) => aUser(undefined, { EmailAddress, ...fields })
/** In the speakers' decisions such a user has a source id, the address, but no unique ID. */
const notASpeaker = excluded('not_a_speaker', null, null)

const table: readonly TrapOfA[] = [
  {
    name: 'the e-mail address in lower case is the id of an attendee without one',
    also: { Users: [nameless(' Ada@People.Example ')] },
    becomes: {
      'attendees ada@people.example': synced({ emailAddress: 'Ada@People.Example' }),
      'speakers ada@people.example': notASpeaker,
    },
  },
  {
    name: 'as a speaker a user without an id lacks the unique ID',
    also: { Users: [nameless('bo@people.example', { SpeakingAt: [{ Id: 's0' }] })] },
    becomes: {
      'attendees bo@people.example': synced(),
      'speakers bo@people.example': excluded('missing_required:uniqueId', null, null),
    },
  },
  {
    name: 'of the required fields of a speaker the unique ID is the last',
    also: { Users: [nameless('cy@people.example', { SpeakingAt: ['s0'], LastName: '' })] },
    becomes: {
      'attendees cy@people.example': excluded('missing_required:lastName'),
      'speakers cy@people.example': excluded('missing_required:lastName', null, null),
    },
  },
  {
    name: 'an id of null and a blank id are no ids',
    also: {
      Users: [
        aUser(null, { EmailAddress: 'dee@people.example' }),
        aUser('  ', { EmailAddress: 'eve@people.example' }),
      ],
    },
    becomes: { 'attendees dee@people.example': synced(), 'attendees eve@people.example': synced() },
  },
  {
    name: 'an id that is no text is no id, and marked',
    also: { Users: [aUser(true, { EmailAddress: 'fay@people.example' })] },
    becomes: {
      'attendees fay@people.example': synced({}, 'not_text:uniqueId'),
      'speakers fay@people.example': excluded('not_a_speaker', 'not_text:uniqueId', null),
    },
  },
  {
    name: 'of two users without an id and with one address the later counts, whatever the case',
    also: {
      Users: [
        nameless('Gil@people.example', { FirstName: 'Earlier' }),
        nameless('gil@PEOPLE.example', { FirstName: 'Later' }),
      ],
    },
    becomes: {
      'attendees gil@people.example': [excluded('duplicate_id'), synced({ firstName: 'Later' })],
      'speakers gil@people.example': [excluded('duplicate_id', null, null), notASpeaker],
    },
  },
  {
    name: 'an id that is the address of another makes two records with one id',
    also: { Users: [aUser('hal@people.example', { FirstName: 'Earlier' }), nameless('HAL@people.example')] },
    becomes: {
      'attendees hal@people.example': [
        excluded('duplicate_id'),
        synced({ emailAddress: 'HAL@people.example' }),
      ],
      'speakers hal@people.example': [excluded('duplicate_id'), notASpeaker],
    },
  },
  {
    name: 'two users with ids may share one address',
    also: {
      Users: [aUser('i1', { EmailAddress: 'i@x.example' }), aUser('i2', { EmailAddress: 'i@x.example' })],
    },
    becomes: { 'attendees i1': synced(), 'attendees i2': synced(), 'attendees i@x.example': [] },
  },
  {
    name: 'a user with an id but no address is no attendee, and may be a speaker',
    also: { Users: [aUser('jo', { EmailAddress: '', SpeakingAt: ['s0'] })] },
    becomes: {
      'attendees jo': excluded('missing_required:emailAddress'),
      'speakers jo': synced({ sessionIds: ['s0'], attendeeId: undefined }, 'not_synced:attendeeId=1'),
    },
  },
]

trapsOfA('users of Source A without an id', {}, table)
