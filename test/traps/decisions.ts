import { type Became, excluded, synced } from './traps.ts'
import { aSession, aUser, trapsOfA } from './traps-of-a.ts'
import { bRegistrant, bSession, trapsOfB } from './traps-of-b.ts'

type Case = readonly [id: string, fields: Readonly<{ [key: string]: unknown }>, reason: string | null]

const idsOf = (...ids: readonly string[]) => ids.map((id) => ({ Id: id }))
const decided = (content: string, records: readonly Case[], detail: string | null = null) =>
  Object.fromEntries(
    records.map(([id, , reason]): readonly [string, Became] => [
      `${content} ${id}`,
      reason === null ? synced({}, detail) : excluded(reason),
    ]),
  )

const [NINE, TEN] = ['2031-05-04T13:00:00Z', '2031-05-04T14:00:00Z']
const SLOTS: readonly (readonly [id: string, start: string | null, end: string | null])[] = [
  ['no end', NINE, null],
  ['bad start', 'soon', TEN],
  ['bad end', NINE, 'later'],
  ['bad start, no end', 'soon', null],
  ['no start, bad end', null, 'later'],
  ['no length', NINE, NINE],
  ['backwards', NINE, '2031-05-04T12:59:59Z'],
]

/**
 * Sessions of Source A, each with the expected reason why it is not synced. If several reasons apply to a
 * session, the first in the order of the rules is expected. Null means synced.
 */
const SESSIONS_OF_A: readonly Case[] = [
  [
    'all that excludes at once',
    { Title: null, Enabled: false, SessionTypeId: 'meeting', TimeSlotId: 'backwards' },
    'not_published',
  ],
  ['disabled', { Enabled: false, VisibleToAnonymousUsers: true }, 'not_published'],
  [
    'a meeting without anything',
    { Title: null, TimeSlotId: null, SessionTypeId: 'meeting' },
    'one_to_one_meeting',
  ],
  ['no name, no slot', { Title: null, TimeSlotId: null }, 'missing_required:name'],
  ['no slot', { TimeSlotId: null }, 'missing_required:startTime'],
  ['no start, bad end', { TimeSlotId: 'no start, bad end' }, 'missing_required:startTime'],
  ['no end', { TimeSlotId: 'no end' }, 'missing_required:endTime'],
  ['bad start, no end', { TimeSlotId: 'bad start, no end' }, 'missing_required:endTime'],
  ['bad start', { TimeSlotId: 'bad start' }, 'bad_time'],
  ['bad end', { TimeSlotId: 'bad end' }, 'bad_time'],
  ['no length', { TimeSlotId: 'no length' }, 'bad_time'],
  ['backwards', { TimeSlotId: 'backwards' }, 'bad_time'],
]

const SPEAKS = { SpeakingAt: idsOf('s0') }

/**
 * Users of Source A, each with the expected reason why the user is not synced as a speaker; null means
 * synced.
 */
const SPEAKERS_OF_A: readonly Case[] = [
  ['says', SPEAKS, null],
  ['has the role only', { Roles: 'Speaker' }, 'not_a_speaker'],
  ['pending, no speaker', { IsPending: true }, 'not_a_speaker'],
  ['pending, nameless', { ...SPEAKS, IsPending: true, FirstName: null }, 'not_published'],
  ['nameless', { SpeakingAt: ['nowhere'], FirstName: null, LastName: null }, 'missing_required:firstName'],
  ['no last name', { ...SPEAKS, LastName: null }, 'missing_required:lastName'],
]

/**
 * Users of Source A, each with the expected reason why the user is not synced as an attendee; null means
 * synced.
 */
const ATTENDEES_OF_A: readonly Case[] = [
  ['lacks all', { FirstName: null, LastName: null, EmailAddress: null }, 'missing_required:firstName'],
  ['lacks two', { LastName: null, EmailAddress: null }, 'missing_required:lastName'],
  ['lacks the address', { EmailAddress: null }, 'missing_required:emailAddress'],
]

trapsOfA('decisions of Source A', { timeZone: 'America/New_York' }, [
  {
    name: 'of the reasons that exclude a session the first in the order of the rules counts [R64]',
    also: {
      SessionTypes: [{ Id: 'meeting', Title: '1:1 Meeting' }],
      TimeSlots: SLOTS.map(([Id, StartTime, EndTime]) => ({ Id, StartTime, EndTime })),
      Sessions: SESSIONS_OF_A.map(([id, fields]) => aSession(id, fields)),
    },
    becomes: decided('agenda', SESSIONS_OF_A),
  },
  {
    name: 'a location is what a room has of location and name, once [spec 2.2.7]',
    also: {
      Rooms: [
        { Id: 'name only', Name: 'Hall 1' },
        { Id: 'location only', Location: 'Wing' },
        { Id: 'same', Location: 'Hall 1', Name: 'Hall 1' },
        { Id: 'same but for the case', Location: 'hall 1', Name: 'Hall 1' },
        { Id: 'nothing' },
      ],
      Sessions: ['name only', 'location only', 'same', 'same but for the case', 'nothing'].map((RoomId) =>
        aSession(`in ${RoomId}`, { RoomId }),
      ),
    },
    becomes: {
      'agenda in name only': synced({ location: 'Hall 1' }),
      'agenda in location only': synced({ location: 'Wing' }),
      'agenda in same': synced({ location: 'Hall 1' }),
      'agenda in same but for the case': synced({ location: 'hall 1 - Hall 1' }),
      'agenda in nothing': synced({ location: undefined }),
    },
  },
  {
    name: 'a type or track without a title gives no filter and no track, and its mark lands there [R65]',
    track: { Title: {} },
    type: { Title: '\u0000' },
    agenda: synced(
      { sessionTracks: undefined, filterGroup: undefined, subFilters: undefined },
      'not_text:sessionTracks; unsupported_character:subFilters',
    ),
  },
  {
    name: 'speakers are in the order of the session; those that are not synced are left out and counted [spec 2.2.8, R33, R68]',
    also: {
      Users: [...['ü', '😀', 'u'].map((id) => aUser(id)), aUser('no name', { FirstName: null })],
      Sessions: [
        aSession('some', { Speakers: idsOf('no name', 'ü', 'nobody', '😀', 'u') }),
        aSession('none', { Speakers: idsOf('nobody') }),
      ],
    },
    becomes: {
      'agenda some': synced({ speakerIds: ['ü', '😀', 'u'] }, 'not_synced:speakerIds=2'),
      'agenda none': synced({ speakerIds: undefined }, 'not_synced:speakerIds=1'),
    },
  },
  {
    name: 'marks are those of the fields of an agenda item, in byte order, each once; an excluded one counts no references [R65]',
    also: {
      TimeSlots: [{ Id: 'twice', StartTime: '2031-11-02T01:15:00', EndTime: '2031-11-02T01:45:00' }],
      Rooms: [{ Id: 'marked', Location: {}, Name: ['Hall'] }],
      Sessions: [
        aSession('marks\u0000', {
          ...{ Title: 'x\u0000', Description: {}, Status: {}, TimeSlotId: 'twice', RoomId: 'marked' },
          ...{ TrackId: '?', SessionTypeId: '?', Speakers: ['nobody', {}], Links: ['javascript:1'] },
        }),
        aSession('excluded', { Title: {}, RoomId: '?', Speakers: ['nobody'] }),
      ],
    },
    becomes: {
      'agenda marks': synced(
        {},
        [
          ...['ambiguous_time:endTime', 'ambiguous_time:startTime'],
          ...['dangling_reference:sessionTracks', 'dangling_reference:subFilters'],
          ...['left_out:linkUrls', 'left_out:speakerIds', 'not_synced:speakerIds=1'],
          ...['not_text:description', 'not_text:location'],
          ...['unsupported_character:name', 'unsupported_character:uniqueId'],
        ].join('; '),
      ),
      'agenda excluded': excluded('missing_required:name', 'dangling_reference:location; not_text:name'),
    },
  },
  {
    name: 'times are UTC with four digits of the year [spec 2.2.2, spec 2.2.3]',
    slot: { StartTime: '0001-01-01T00:00:00Z', EndTime: '9999-12-31T23:59:59Z' },
    agenda: synced({ startTime: '0001-01-01T00:00:00Z', endTime: '9999-12-31T23:59:59Z' }),
  },
  {
    name: 'of the reasons that exclude a user the first in the order of the rules counts [R64]',
    also: {
      Users: [...SPEAKERS_OF_A, ...ATTENDEES_OF_A].map(([id, fields]) => aUser(id, fields)),
    },
    becomes: { ...decided('speakers', SPEAKERS_OF_A), ...decided('attendees', ATTENDEES_OF_A) },
  },
  {
    name: 'who lacks a name and an id lacks the name [R64]',
    also: { Users: [aUser(undefined, { ...SPEAKS, EmailAddress: 'x@people.example', FirstName: null })] },
    becomes: { 'speakers x@people.example': excluded('missing_required:firstName', null, null) },
  },
  {
    name: 'a session that is not published names a speaker all the same; roles do not [R8]',
    also: {
      Users: [aUser('named by a hidden session', { Roles: 'Attendee' })],
      Sessions: [aSession('hidden', { Enabled: false, Speakers: idsOf('named by a hidden session') })],
    },
    becomes: {
      'speakers named by a hidden session': synced({ sessionIds: undefined }, 'not_synced:sessionIds=1'),
    },
  },
  {
    name: 'sessions are those of both sides, each once, in the order of their bytes [spec 2.3.7, R68]',
    also: {
      Users: [aUser('both sides', { SpeakingAt: ['～', '😀', 'é', 'a', 'nowhere'] })],
      Sessions: [
        ...['Z', 'é'].map((id) => aSession(id, { Speakers: idsOf('both sides') })),
        ...['a', '～', '😀'].map((id) => aSession(id)),
      ],
    },
    becomes: {
      'speakers both sides': synced({ sessionIds: ['Z', 'a', 'é', '～', '😀'] }, 'not_synced:sessionIds=1'),
    },
  },
  {
    name: 'marks are those of the fields of a speaker, and of an attendee [R65]',
    also: {
      Users: [
        aUser('marks\u0000', {
          ...{ Company: 'C\u0000', Biography: {}, EmailAddress: 'a\u0000@x.example', SpeakingAt: ['s0', {}] },
          ...{ PhotoLink: 'data:image/png;base64,AA', Facebook: 'ask me!', LinkedIn: 'in/tide' },
        }),
        aUser('silent', { Title: {} }),
      ],
    },
    becomes: {
      'speakers marks': synced(
        {},
        [
          ...['left_out:facebookUrl', 'left_out:imageUrl', 'left_out:linkedinUrl', 'left_out:sessionIds'],
          ...['not_text:description', 'unsupported_character:company', 'unsupported_character:uniqueId'],
        ].join('; '),
      ),
      'attendees marks': synced(
        { biography: undefined, description: undefined },
        'unsupported_character:company; unsupported_character:emailAddress; unsupported_character:uniqueId',
      ),
      'speakers silent': excluded('not_a_speaker', 'not_text:title'),
    },
  },
])

const rolesAndSessions: readonly Case[] = [
  ['speaking', SPEAKS, 'not_a_speaker'],
  ['role', { Roles: ['Speaker'] }, 'not_a_speaker'],
  ['role and speaking', { ...SPEAKS, Roles: ['Speaker'] }, null],
  ['role under a number key, and speaking', { ...SPEAKS, Roles: { 0: 'Admin', 2: 'Speaker' } }, null],
  ['role in JSON as text, and speaking', { ...SPEAKS, Roles: '["Admin","Speaker"]' }, null],
]
trapsOfA('speakers of Source A by role and sessions', { speakers: 'both', sessionStatuses: ['Accepted'] }, [
  {
    name: 'a speaker has the role and a session [R7, R8]',
    also: { Users: rolesAndSessions.map(([id, fields]) => aUser(id, fields)) },
    becomes: decided('speakers', rolesAndSessions, 'not_synced:sessionIds=1'),
  },
  {
    name: 'a session of another status is not published, nor is a hidden one of that status [R28, R34]',
    also: {
      Sessions: [
        aSession('accepted', { Status: 'Accepted' }),
        aSession('rejected', { Status: 'Rejected' }),
        aSession('accepted, hidden', { Status: 'Accepted', Enabled: false }),
      ],
    },
    becomes: {
      'agenda accepted': synced(),
      'agenda rejected': excluded('not_published'),
      'agenda accepted, hidden': excluded('not_published'),
    },
  },
])

trapsOfA(
  'agenda and attendees of Source A alone',
  {},
  [
    {
      name: 'speakers that another integration syncs stay as they are named [R69]',
      session: { Speakers: idsOf('nobody', 'u0') },
      agenda: synced({ speakerIds: ['nobody', 'u0'] }),
    },
  ],
  ['agenda', 'attendees'],
)

trapsOfA(
  'speakers of Source A alone',
  {},
  [
    {
      name: 'sessions and attendees that another integration syncs stay as they are named [R68, R69]',
      also: {
        Users: [aUser('alone', { EmailAddress: null, SpeakingAt: ['nowhere'] })],
        Sessions: [aSession('untitled', { Title: null, Speakers: idsOf('alone') })],
      },
      becomes: { 'speakers alone': synced({ sessionIds: ['nowhere', 'untitled'], attendeeId: 'alone' }) },
    },
  ],
  ['speakers'],
)

/** Sessions of Source B, each with the expected reason why it is not synced; null means synced. */
const SESSIONS_OF_B: readonly Case[] = [
  ['nothing', { name: null, date: null, start_time: null, end_time: null }, 'missing_required:name'],
  ['no date', { date: null }, 'missing_required:startTime'],
  ['no start, bad end', { start_time: null, end_time: 'late' }, 'missing_required:startTime'],
  ['no end', { end_time: null }, 'missing_required:endTime'],
  ['bad start', { start_time: 'soon' }, 'bad_time'],
  ['bad end', { end_time: 'late' }, 'bad_time'],
  ['one second long', { end_time: '09:00:01' }, null],
]

const CANCELLED = { cancelled_at: '2031-02-14 09:30:00' }
const NAMELESS = { first_name: null, last_name: null, email: null }
const GUEST = { reg_type_id: 901 }

/**
 * Registrants of Source B, each with the expected reason why the registrant is not synced as an attendee;
 * null means synced.
 */
const ATTENDEES_OF_B: readonly Case[] = [
  ['cancelled, and lacks all', { ...NAMELESS, ...CANCELLED }, 'cancelled'],
  ['lacks all', NAMELESS, 'missing_required:firstName'],
  ['lacks two', { last_name: null, email: null }, 'missing_required:lastName'],
  ['lacks the address', { email: null, ...GUEST }, 'missing_required:emailAddress'],
]

/**
 * Registrants of Source B, each with the expected reason why the registrant is not synced as a speaker; null
 * means synced.
 */
const SPEAKERS_OF_B: readonly Case[] = [
  ['bare text', { reg_type_id: 'speaker' }, null],
  ['bare text that is the id of a type without a name', { reg_type_id: 'SPEAKER' }, null],
  ['unknown type', { reg_type_id: 99 }, 'not_a_speaker'],
  ['no type, no names, cancelled', { ...NAMELESS, ...CANCELLED, reg_type_id: null }, 'not_a_speaker'],
  ['no first name', { first_name: null }, 'missing_required:firstName'],
  ['no last name', { last_name: null }, 'missing_required:lastName'],
]

trapsOfB('decisions of Source B', { timeZone: 'America/New_York' }, [
  {
    name: 'of the reasons that exclude a session the first in the order of the rules counts [R64]',
    also: { sessions: SESSIONS_OF_B.map(([id, fields]) => bSession(id, fields)) },
    becomes: decided('agenda', SESSIONS_OF_B),
  },
  {
    name: 'marks are those of the fields of an agenda item, in byte order [R65]',
    also: {
      sessions: [
        bSession('marks', {
          ...{ name: 'x\u0000', description: {}, date: '2031-11-02', start_time: '01:15', end_time: '01:45' },
        }),
        bSession('excluded', { name: {}, start_time: {} }),
      ],
    },
    becomes: {
      'agenda marks': synced(
        {},
        'ambiguous_time:endTime; ambiguous_time:startTime; not_text:description; unsupported_character:name',
      ),
      'agenda excluded': excluded('missing_required:name', 'not_text:name; not_text:startTime'),
    },
  },
  {
    name: 'of the reasons that exclude a registrant the first in the order of the rules counts [R18, R64]',
    also: {
      regTypes: [{ id: 'SPEAKER', name: null }],
      registrants: [...ATTENDEES_OF_B, ...SPEAKERS_OF_B].map(([id, fields]) => bRegistrant(id, fields)),
    },
    becomes: { ...decided('attendees', ATTENDEES_OF_B), ...decided('speakers', SPEAKERS_OF_B) },
  },
  {
    name: 'sessions that are not synced are left out and counted; the others are in the order of their bytes [R19, R68]',
    registrant: { session_ids: ['no name', '～', 'nowhere', '😀', 'É'] },
    also: { sessions: [bSession('no name', { name: null }), ...['É', '～', '😀'].map((id) => bSession(id))] },
    attendees: synced({ personalAgenda: ['É', '～', '😀'] }, 'not_synced:personalAgenda=2'),
    speakers: synced({ sessionIds: ['É', '～', '😀'] }, 'not_synced:sessionIds=2'),
  },
  {
    name: 'marks are those of the fields of a speaker, and of an attendee [R65]',
    also: {
      registrants: [
        bRegistrant('marks\u0000', {
          ...{ job_title: {}, bio: {}, email: 'a\u0000@x.example', mobile_phone: {} },
          ...{ twitter_handle: '@', session_ids: ['s0', {}] },
        }),
      ],
    },
    becomes: {
      'speakers marks': synced(
        {},
        'left_out:sessionIds; left_out:twitter; not_text:description; not_text:title; unsupported_character:uniqueId',
      ),
      'attendees marks': synced(
        {},
        [
          ...['left_out:personalAgenda', 'not_text:biography', 'not_text:phone', 'not_text:title'],
          ...['unsupported_character:emailAddress', 'unsupported_character:uniqueId'],
        ].join('; '),
      ),
    },
  },
])

trapsOfB('speakers of Source B by a name in another case', { speakerRegistrantType: ' SPEAKER ' }, [
  { name: 'source.speakerRegistrantType [R18, R37]', registrant: {}, speakers: synced() },
])

trapsOfB(
  'speakers of Source B alone',
  {},
  [
    {
      name: 'sessions and attendees that another integration syncs stay as they are named [R68, R69]',
      registrant: { ...CANCELLED, session_ids: ['nowhere'] },
      speakers: synced({ sessionIds: ['nowhere'] }),
      also: { registrants: [bRegistrant('gone', CANCELLED)] },
      becomes: { 'speakers gone': synced({ attendeeId: 'gone' }) },
    },
  ],
  ['speakers'],
)

trapsOfB(
  'attendees of Source B alone',
  {},
  [
    {
      name: 'sessions that another integration syncs stay as they are named [R68, R69]',
      registrant: { session_ids: ['nowhere', 's0', 'É'] },
      attendees: synced({ personalAgenda: ['nowhere', 's0', 'É'] }),
    },
  ],
  ['attendees'],
)
