import { describe, expect, test } from 'vitest'
import { exampleA } from '../../sources/a.ts'
import { type Records, startScriptedSource } from '../commands/scripted-source.ts'
import { smallEvent } from '../commands/small-event.ts'
import { check, sourceA } from './check-one.ts'

/** Returns an event in which every mapped field has a value, with the given resources replaced. */
function event(changes: Records = {}): Records {
  const { sessions, rooms, tracks, session_types: type, users } = exampleA.full
  return {
    Sessions: (smallEvent.Sessions ?? []).map((session) => ({ ...sessions, ...(session as object) })),
    TimeSlots: smallEvent.TimeSlots ?? [],
    Rooms: [rooms],
    Tracks: [tracks],
    SessionTypes: [type],
    Users: (smallEvent.Users ?? []).map((user) => ({ ...users, ...(user as object) })),
    ...changes,
  }
}

/** Returns the records with the given keys replaced. */
function changed(records: readonly unknown[] | undefined, values: Readonly<Record<string, unknown>>) {
  return (records ?? []).map((record) => ({ ...(record as object), ...values }))
}

async function checkEvent(
  records: Records,
  options: Readonly<Record<string, unknown>> = {},
  integration: Readonly<Record<string, unknown>> = {},
) {
  const source = await startScriptedSource(records)
  return check({ ...sourceA(source.url, options), ...integration })
}

test('a correctly configured account fails no rule, and only the custom fields cannot be checked', async () => {
  const checked = await checkEvent(event())
  expect(checked.ids('failed')).toEqual([])
  expect(checked.ids('not checkable')).toEqual(['sessions.PropertyValues'])
  expect(checked.rule('users.EmailAddress')).toEqual({
    rule: { id: 'users.EmailAddress', sentence: 'Anonymous sees EmailAddress of users', clause: 'spec 2.1' },
    status: 'ok',
    seen: 'a value in 4 of 4 users',
    todo: null,
  })
  expect(checked.rule('users').seen).toBe('4 users, read to the end')
  expect(checked.rule('speakers').seen).toBe('1 of 2 sessions name speakers, 4 of 4 users name sessions')
})

describe('a field that Anonymous cannot see', () => {
  const emptied = (fields: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(fields).map(([resource, names]) => {
        const values = Object.fromEntries(names.split(' ').map((name) => [name, '']))
        return [resource, changed(Reflect.get(event(), resource), values)]
      }),
    )

  test('a field that Anonymous cannot see fails if it is required, and the result names the setting in the account', async () => {
    const Users = 'FirstName LastName EmailAddress'
    const [ofUsers, ofSessions] = [
      await checkEvent(event(emptied({ Users, TimeSlots: 'StartTime EndTime' }))),
      await checkEvent(event(emptied({ Sessions: 'Title TimeSlotId' }))),
    ]
    expect(ofUsers.ids('failed').toSorted()).toEqual([
      'time_slots.EndTime',
      'time_slots.StartTime',
      'users.EmailAddress',
      'users.FirstName',
      'users.LastName',
    ])
    expect(ofUsers.rule('users.FirstName')).toMatchObject({
      seen: expect.stringMatching(/^empty for all 4 users/),
      todo: expect.stringContaining('Admin → Users → Profile Fields: set FirstName to View for Anonymous'),
    })
    expect(ofUsers.rule('time_slots.EndTime').todo).toContain('fill in EndTime of the time slots')
    expect(ofSessions.ids('failed')).toEqual(['sessions.Title', 'sessions.TimeSlotId'])
    expect(ofSessions.rule('sessions.Title').todo).toContain(
      'Admin → Sessions → Session Fields → Standard Fields: set Title to View for Anonymous or Attendees/Anonymous',
    )
  })

  test('a field that Anonymous cannot see is not checkable if it is optional', async () => {
    const optional = {
      Users: 'Title Company Biography PhotoLink SpeakingAt Facebook LinkedIn',
      Sessions: 'Description RoomId TrackId SessionTypeId Speakers Links',
      Rooms: 'Name Location',
      Tracks: 'Title',
      SessionTypes: 'Title Name',
    }
    const checked = await checkEvent(event(emptied(optional)))
    expect(checked.ids('failed')).toEqual([])
    const ids = checked.ids('not checkable').filter((id) => !/^(speakers|sessions.PropertyValues)$/.test(id))
    const expected = Object.entries(optional).flatMap(([resource, names]) =>
      // The name of a session type is in `Title` or in `Name`, so these keys share one rule.
      resource === 'SessionTypes'
        ? ['session_types.Title']
        : names.split(' ').map((name) => `${resource.toLowerCase()}.${name}`),
    )
    expect(ids.toSorted()).toEqual(expected.toSorted())
    for (const id of ids) {
      expect(checked.rule(id)).toMatchObject({
        seen: expect.stringMatching(
          /^empty for all \d .+: either nobody filled it in, or it is not set to View$/,
        ),
        todo: expect.stringMatching(/^if it should have values: /),
      })
    }
  })

  test('a field that Anonymous cannot see is not checked if its content is not synced', async () => {
    const users = changed(event().Users, { EmailAddress: null })
    const checked = await checkEvent(event({ Users: users }), {}, { content: ['agenda', 'speakers'] })
    expect(checked.ids('failed')).toEqual([])
    expect(checked.results.map(({ rule }) => rule.id)).not.toContain('users.EmailAddress')
  })
})

test('a required field without a value in almost all records fails like a hidden field, unless there are few records [spec 2.1.1]', async () => {
  const users = Array.from({ length: 40 }, (_, index) => ({
    ...(event().Users?.[0] as object),
    Id: index,
    EmailAddress: index < 3 ? `${index}@people.example` : null,
  }))
  const many = await checkEvent(event({ Users: users }))
  expect(many.rule('users.EmailAddress').status).toBe('failed')
  expect(many.rule('users.EmailAddress').seen).toBe('a value in only 3 of 40 users; required for attendees')
  const few = await checkEvent(event({ Users: users.slice(2, 21) }))
  expect(few.rule('users.EmailAddress').status).toBe('ok')
  expect(few.rule('users.EmailAddress').seen).toBe(
    'a value in 1 of 19 users; those without are not synced as attendees',
  )
})

const local = [{ Id: 1, StartTime: '2031-05-04T13:00:00', EndTime: { EventTime: '2031-05-04T14:00:00' } }]
const { Sessions: sessions = [], TimeSlots: timeSlots = [], Users: users = [] } = event()
const nobodySpeaks = {
  Sessions: changed(sessions, { Speakers: [] }),
  Users: changed(users, { SpeakingAt: [], Roles: 'Attendee' }),
}
const NOBODY = {
  speakers: { status: 'not checkable', seen: expect.stringContaining('nobody is a speaker') },
}
const NOT_CHECKABLE = { status: 'not checkable', todo: null }
const notUsable = 'present in 4 of 4 users, but never usable; it is left out'
const ofName = (text: string) => expect.stringContaining(text)

/** Each case has a title, changes to the event, the expected results by rule, and options of the source. */
test.each<[string, Records, Readonly<Record<string, object>>, object?]>([
  [
    'a field that comes but is never usable',
    { Users: changed(users, { PhotoLink: 'none yet', FirstName: { en: 'Ada' } }) },
    {
      'users.PhotoLink': { status: 'ok', seen: notUsable },
      'users.FirstName': { status: 'failed', todo: 'check the values of FirstName' },
    },
  ],
  [
    'no users, although every event has some',
    { Users: [] },
    {
      users: { status: 'failed', todo: ofName('Profile Fields: set every row to View') },
      'users.EmailAddress': { status: 'not checkable', seen: 'no usable users were returned' },
    },
  ],
  [
    'no time slots, though there are sessions',
    { TimeSlots: [] },
    {
      time_slots: { status: 'failed', todo: ofName('give the sessions time slots') },
      timeZone: { status: 'not checkable' },
    },
  ],
  [
    'neither time slots nor sessions',
    { TimeSlots: [], Sessions: [] },
    {
      time_slots: NOT_CHECKABLE,
      sessions: { status: 'not checkable', todo: ofName('if it has sessions: ') },
    },
  ],
  ['no rooms', { Rooms: [] }, { rooms: NOT_CHECKABLE }],
  [
    'a session without an id',
    { Sessions: [...changed(sessions.slice(0, 1), { Id: null }), ...sessions.slice(1)] },
    {
      sessions: {
        status: 'ok',
        seen: '2 sessions, read to the end; 1 of them cannot be read and would be quarantined; the first: no id ($.Id)',
      },
    },
  ],
  [
    'sessions without ids',
    { Sessions: changed(sessions, { Id: null }) },
    { sessions: { status: 'failed' }, 'sessions.Title': { status: 'not checkable' } },
  ],
  [
    'times without an offset, which would be bad_time',
    { TimeSlots: [...local, ...timeSlots] },
    {
      timeZone: {
        status: 'failed',
        seen: 'times without an offset in 1 of 2 time slots, and source.timeZone is not set: bad_time',
        todo: ofName('set source.timeZone'),
      },
    },
  ],
  [
    'times without an offset, in a time zone',
    { TimeSlots: local },
    { timeZone: { status: 'ok' }, 'time_slots.StartTime': { status: 'ok' } },
    { timeZone: 'America/New_York' },
  ],
  ...(
    [
      ['EventTime with an offset', '2031-07-04T09:00:00+02:00', '2031-07-04T07:00:00Z', '+02:00'],
      ['EventTime beside UTC', '2031-07-04T09:00:00', '2031-07-04T07:00:00Z', '+02:00'],
      ['EventTime that is UTC', '2031-07-04T07:00:00', '2031-07-04T07:00:00Z', 'UTC'],
    ] as const
  ).map(([name, EventTime, UTC, offset]): [string, Records, Record<string, object>, object] => [
    `another offset than that of source.timeZone: ${name}`,
    { TimeSlots: [{ ...local[0], StartTime: { EventTime, UTC }, EndTime: '2031-07-04T10:00:00Z' }] },
    {
      offsets: {
        status: 'failed',
        seen: `another offset than that of source.timeZone (America/New_York) in 1 of 1 time slot with an offset: ${offset} instead of -04:00 1`,
      },
    },
    { timeZone: 'America/New_York' },
  ]),
  [
    'times that are unreadable in every time zone',
    { TimeSlots: [{ ...local[0], StartTime: 'soon', EndTime: 'later' }] },
    {
      timeZone: {
        status: 'ok',
        seen: 'source.timeZone is not set, and no time of 1 time slot needs it',
      },
      'time_slots.StartTime': { status: 'failed' },
    },
  ],
  ...['listed', 'role', 'both'].flatMap((speakers): [string, Records, Record<string, object>, object][] => [
    [`speakers by source.speakers: ${speakers}`, {}, { speakers: { status: 'ok' } }, { speakers }],
    [`no speakers by source.speakers: ${speakers}`, nobodySpeaks, NOBODY, { speakers }],
  ]),
  [
    'a field with a configured name',
    { Users: changed(users, { Fb: 'ada', Facebook: null }) },
    { 'users.Fb': { status: 'ok' } },
    { fields: { facebook: 'Fb' } },
  ],
  [
    'a field with a name that is not configured',
    { Users: changed(users, { Fb: 'ada', Facebook: null }) },
    { 'users.Facebook': { todo: ofName('source.fields.facebook') } },
  ],
])('the check of Source A finds: %s', async (_, records, found, options = {}) => {
  const { rule } = await checkEvent(event(records), { ...options })
  for (const [id, result] of Object.entries(found)) expect(rule(id), id).toMatchObject(result)
})
