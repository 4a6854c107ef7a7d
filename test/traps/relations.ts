import { excluded, synced } from './traps.ts'
import { aSession, aUser, type TrapOfA, trapsOfA } from './traps-of-a.ts'

const notASpeaker = excluded('not_a_speaker')

function namedBySession(id: string, SpeakingAt: unknown): Pick<TrapOfA, 'also' | 'becomes'> {
  return {
    also: {
      Users: [aUser(`named-${id}`, { SpeakingAt })],
      Sessions: [aSession(`naming-${id}`, { Speakers: [{ Id: `named-${id}` }] })],
    },
    becomes: {
      [`speakers named-${id}`]: synced({ sessionIds: [`naming-${id}`] }),
      [`agenda naming-${id}`]: synced({ speakerIds: [`named-${id}`] }),
    },
  }
}

function namedByUser(id: string, Speakers: unknown): Pick<TrapOfA, 'also' | 'becomes'> {
  return {
    also: {
      Users: [aUser(`says-${id}`, { SpeakingAt: [{ Id: `silent-${id}` }] })],
      Sessions: [aSession(`silent-${id}`, { Speakers })],
    },
    becomes: {
      [`speakers says-${id}`]: synced({ sessionIds: [`silent-${id}`] }),
      [`agenda silent-${id}`]: synced({ speakerIds: undefined }),
    },
  }
}

const whoSpeaks: readonly TrapOfA[] = [
  {
    name: 'a user whose SpeakingAt is empty speaks where a session says so',
    ...namedBySession('empty', []),
  },
  { name: 'a user whose SpeakingAt is null speaks where a session says so', ...namedBySession('null', null) },
  {
    name: 'a user without SpeakingAt speaks where a session says so',
    ...namedBySession('absent', undefined),
  },
  {
    name: 'a session whose Speakers are empty has none, and its speaker speaks there all the same',
    ...namedByUser('empty', []),
  },
  {
    name: 'a session whose Speakers are null has none, and its speaker speaks there all the same',
    ...namedByUser('null', null),
  },
  {
    name: 'a session without Speakers has none, and its speaker speaks there all the same',
    ...namedByUser('absent', undefined),
  },
  {
    name: 'sessionIds are those that the user names and those that name the user, each once, in byte order',
    also: {
      Users: [aUser('both', { SpeakingAt: [{ Id: '～' }, { Id: 'zz' }, { Id: 'b' }, { Id: '9' }] })],
      Sessions: ['9', '10', 'B', 'b', 'zz', 'é', '～', '🙂'].map((id) =>
        aSession(id, { Speakers: id === '～' || id === '9' ? [] : [{ Id: 'both' }] }),
      ),
    },
    // By UTF-8 bytes; by UTF-16 units 🙂 would come before ～.
    becomes: { 'speakers both': synced({ sessionIds: ['10', '9', 'B', 'b', 'zz', 'é', '～', '🙂'] }) },
  },
  {
    name: 'a user whom nobody names and who names nothing is no speaker, whatever the role',
    also: { Users: [aUser('role-only', { Roles: 'Attendee|Speaker' })] },
    becomes: { 'speakers role-only': notASpeaker, 'attendees role-only': synced() },
  },
  {
    name: 'who names a session that is not served is a speaker; the session is left out and counted',
    also: { Users: [aUser('unknown', { SpeakingAt: [{ Id: 'nowhere' }, { Id: 's0' }, 'nor-here'] })] },
    becomes: { 'speakers unknown': synced({ sessionIds: ['s0'] }, 'not_synced:sessionIds=2') },
  },
  {
    name: 'whom an excluded session names is a speaker; that session is left out and counted',
    also: {
      Users: [aUser('of-hidden')],
      Sessions: [aSession('hidden', { Enabled: false, Speakers: [{ Id: 'of-hidden' }] })],
    },
    becomes: {
      'agenda hidden': excluded('not_published'),
      'speakers of-hidden': synced({ sessionIds: undefined }, 'not_synced:sessionIds=1'),
    },
  },
  {
    name: 'whom the earlier of two sessions with one id names is no speaker',
    also: {
      Users: [aUser('of-earlier'), aUser('of-later')],
      Sessions: [
        aSession('twice', { Speakers: [{ Id: 'of-earlier' }] }),
        aSession('twice', { Speakers: [{ Id: 'of-later' }] }),
      ],
    },
    becomes: {
      'speakers of-earlier': notASpeaker,
      'speakers of-later': synced({ sessionIds: ['twice'] }),
    },
  },
  {
    name: 'SpeakingAt may be objects with an Id in any case, numbers or texts',
    also: {
      Users: [aUser('forms', { SpeakingAt: [{ id: 501 }, 502, ' 503 ', { ID: '504', Title: 'x' }] })],
      Sessions: [501, 502, 503, 504].map((id) => aSession(id)),
    },
    becomes: { 'speakers forms': synced({ sessionIds: ['501', '502', '503', '504'] }) },
  },
  {
    name: 'elements of SpeakingAt that are null or blank are not there',
    also: { Users: [aUser('blank', { SpeakingAt: [null, '', ' '] })] },
    becomes: { 'speakers blank': notASpeaker },
  },
  {
    name: 'elements of SpeakingAt without an id are left out, and marked',
    also: { Users: [aUser('no-id', { SpeakingAt: [{ Title: 'Opening' }, true, { Id: 's0' }] })] },
    becomes: { 'speakers no-id': synced({ sessionIds: ['s0'] }, 'left_out:sessionIds') },
  },
  {
    name: 'a speaker who is no attendee has no attendeeId, and the decision counts that',
    also: { Users: [aUser('no-mail', { EmailAddress: null, SpeakingAt: ['s0'] })] },
    becomes: {
      'attendees no-mail': excluded('missing_required:emailAddress'),
      'speakers no-mail': synced({ attendeeId: undefined }, 'not_synced:attendeeId=1'),
    },
  },
  {
    name: 'a speaker who is an attendee is named by the own id',
    also: { Users: [aUser('self', { SpeakingAt: ['s0'] })] },
    becomes: { 'speakers self': synced({ attendeeId: 'self' }) },
  },
]

/** Speakers whom sessions may name; they speak nowhere else. */
const people = ['p1', 'p2', 'p3', '31'].map((id) => aUser(id))
const speakers = (Id: string, fields: Readonly<Record<string, unknown>>) => ({
  also: { Sessions: [aSession(Id, fields)] },
})

const orders: readonly TrapOfA[] = [
  {
    name: 'speakerIds are in the order of Speakers',
    ...speakers('plain', { Speakers: [{ Id: 'p3' }, { Id: 'p1' }, { Id: 'p2' }] }),
    becomes: { 'agenda plain': synced({ speakerIds: ['p3', 'p1', 'p2'] }) },
  },
  {
    name: 'those in SpeakerOrder come first and in its order, the others after in theirs',
    ...speakers('ordered', {
      Speakers: [{ Id: 'p3' }, { Id: 'p1' }, { Id: 31 }, { Id: 'p2' }],
      SpeakerOrder: ['31', 'p1'],
    }),
    becomes: { 'agenda ordered': synced({ speakerIds: ['31', 'p1', 'p3', 'p2'] }) },
  },
  {
    name: 'SpeakerOrder adds nobody',
    ...speakers('adding', { Speakers: [{ Id: 'p1' }], SpeakerOrder: ['p2', 'p1', 'nobody'] }),
    becomes: { 'agenda adding': synced({ speakerIds: ['p1'] }) },
  },
  {
    name: 'SpeakerOrder without Speakers names nobody',
    ...speakers('order-only', { Speakers: [], SpeakerOrder: ['p1'] }),
    becomes: { 'agenda order-only': synced({ speakerIds: undefined }) },
  },
  {
    name: 'SpeakerOrder may be numbers, objects or null',
    ...speakers('order-forms', { Speakers: ['p1', '31', 'p2'], SpeakerOrder: [{ Id: 'p2' }, 31] }),
    becomes: { 'agenda order-forms': synced({ speakerIds: ['p2', '31', 'p1'] }) },
  },
  {
    name: 'repeats in Speakers and SpeakerOrder are dropped',
    ...speakers('repeats', {
      Speakers: [{ Id: 'p1' }, 'p1', { Id: 'p2' }, { Id: ' p1 ' }],
      SpeakerOrder: ['p2', 'p2'],
    }),
    becomes: { 'agenda repeats': synced({ speakerIds: ['p2', 'p1'] }) },
  },
  {
    name: 'a speaker who is not served is left out and counted',
    ...speakers('unserved', { Speakers: [{ Id: 'nobody' }, { Id: 'p1' }, { Id: 'none' }] }),
    becomes: { 'agenda unserved': synced({ speakerIds: ['p1'] }, 'not_synced:speakerIds=2') },
  },
  {
    name: 'a speaker who is excluded is left out and counted',
    also: {
      Users: [aUser('no-name', { LastName: null })],
      Sessions: [aSession('of-no-name', { Speakers: [{ Id: 'no-name' }] })],
    },
    becomes: {
      'agenda of-no-name': synced({ speakerIds: undefined }, 'not_synced:speakerIds=1'),
      'speakers no-name': excluded('missing_required:lastName'),
    },
  },
  {
    name: 'an excluded session counts no speakers',
    ...speakers('no-title', { Title: null, Speakers: [{ Id: 'nobody' }] }),
    becomes: { 'agenda no-title': excluded('missing_required:name') },
  },
  {
    name: 'elements of Speakers without an id are left out, and marked',
    ...speakers('no-ids', { Speakers: [{ FirstName: 'Ada' }, false, null, '', { Id: 'p1' }] }),
    becomes: { 'agenda no-ids': synced({ speakerIds: ['p1'] }, 'left_out:speakerIds') },
  },
]

trapsOfA('who speaks at Source A', {}, whoSpeaks)
trapsOfA('speakers of the sessions of Source A', {}, [
  {
    name: 'a speaker whom several sessions name speaks at each of them that is synced',
    also: { Users: people },
    becomes: { 'speakers p3': synced({ sessionIds: ['ordered', 'plain'] }) },
  },
  ...orders,
])
