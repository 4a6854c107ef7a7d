import { excluded, synced } from './traps.ts'
import { aSession, aUser, type TrapOfA, trapsOfA } from './traps-of-a.ts'
import { bRegistrant, bSession, type TrapOfB, trapsOfB } from './traps-of-b.ts'

const only = (...content: readonly string[]) => ({ content })
const setUpOfA = {
  Sessions: [
    aSession('given', { Speakers: [{ Id: 'unknown' }, { Id: 'pending' }], SpeakerOrder: ['pending'] }),
    aSession('hidden', { Enabled: false, Speakers: [{ Id: 'named' }] }),
  ],
  Users: [
    aUser('pending', { IsPending: true }),
    aUser('named'),
    aUser('naming', { EmailAddress: null, SpeakingAt: ['nowhere', 'hidden', 's0', 's0'] }),
  ],
}
const nobody: TrapOfA['becomes'] = { 'speakers naming': [], 'attendees naming': [] }

trapsOfA(
  'the agenda of Source A alone',
  {},
  [
    {
      name: 'where speakers are not synced, a session names them as given, in their order',
      also: setUpOfA,
      becomes: { ...nobody, 'agenda given': synced({ speakerIds: ['pending', 'unknown'] }) },
    },
  ],
  only('agenda'),
)
trapsOfA(
  'the speakers of Source A alone',
  {},
  [
    {
      name: 'where neither sessions nor attendees are synced, a speaker names both as given, repeats dropped',
      also: setUpOfA,
      becomes: {
        'agenda given': [],
        'attendees naming': [],
        'speakers naming': synced({ sessionIds: ['hidden', 'nowhere', 's0'], attendeeId: 'naming' }),
        'speakers named': synced({ sessionIds: ['hidden'] }),
        'speakers pending': excluded('not_published'),
      },
    },
  ],
  only('speakers'),
)
trapsOfA(
  'the attendees of Source A alone',
  {},
  [
    {
      name: 'where attendees alone are synced, users are decided once',
      also: setUpOfA,
      becomes: {
        'agenda given': [],
        'speakers named': [],
        'attendees named': synced(),
        'attendees naming': excluded('missing_required:emailAddress'),
      },
    },
  ],
  only('attendees'),
)
trapsOfA(
  'agenda and speakers of Source A',
  {},
  [
    {
      name: 'where attendees are not synced, a speaker without an e-mail address names its attendee',
      also: setUpOfA,
      becomes: {
        'speakers naming': synced({ attendeeId: 'naming', sessionIds: ['s0'] }, 'not_synced:sessionIds=2'),
        'agenda given': synced({ speakerIds: undefined }, 'not_synced:speakerIds=2'),
      },
    },
  ],
  only('speakers', 'agenda'),
)
trapsOfA(
  'speakers and attendees of Source A',
  {},
  [
    {
      name: 'where the agenda is not synced, a speaker names sessions as given, and attendees only if synced',
      also: setUpOfA,
      becomes: {
        'agenda given': [],
        'speakers naming': synced(
          { attendeeId: undefined, sessionIds: ['hidden', 'nowhere', 's0'] },
          'not_synced:attendeeId=1',
        ),
      },
    },
  ],
  only('speakers', 'attendees'),
)

const setUpOfB = {
  sessions: [bSession('timeless', { date: null })],
  registrants: [
    bRegistrant('gone', { cancelled_at: '2031-02-14', session_ids: ['timeless', 'x', 's0', 'x'] }),
  ],
}
const asGiven = ['s0', 'timeless', 'x']
const stays: TrapOfB = {
  name: 'where the agenda is not synced, an attendee of Source B names sessions as given',
  also: { ...setUpOfB, registrants: [bRegistrant('here', { session_ids: 'x,s0' })] },
  becomes: {
    'agenda s0': [],
    'attendees here': synced({ personalAgenda: ['s0', 'x'] }),
    'speakers here': [],
  },
}

trapsOfB('the attendees of Source B alone', {}, [stays], only('attendees'))
trapsOfB(
  'the speakers of Source B alone',
  {},
  [
    {
      name: 'where neither sessions nor attendees are synced, a speaker of Source B names both as given',
      also: setUpOfB,
      becomes: {
        'speakers gone': synced({ sessionIds: asGiven, attendeeId: 'gone' }),
        'attendees gone': [],
      },
    },
  ],
  only('speakers'),
)
trapsOfB(
  'speakers and attendees of Source B',
  {},
  [
    {
      name: 'where the agenda is not synced, a cancelled speaker names sessions as given, and no attendee',
      also: setUpOfB,
      becomes: {
        'speakers gone': synced({ sessionIds: asGiven, attendeeId: undefined }, 'not_synced:attendeeId=1'),
        'attendees gone': excluded('cancelled'),
      },
    },
  ],
  only('speakers', 'attendees'),
)
