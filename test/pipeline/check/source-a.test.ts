import { describe, expect, test } from 'vitest'
import { type Records, startScriptedSource } from '../commands/scripted-source.ts'
import { smallEvent } from '../commands/small-event.ts'
import { check, sourceA } from './check-one.ts'

/** An event in which every mapped field has a value, with the records that a test changes. */
function event(changes: Records = {}): Records {
  const person = {
    Title: 'Engineer',
    Company: 'Tidemark',
    Biography: 'Likes maps.',
    PhotoLink: 'https://images.example/u1.jpg',
    SpeakingAt: [{ Id: 101 }],
    Facebook: 'ada',
    LinkedIn: 'ada',
    Roles: 'Attendee|Speaker',
  }
  return {
    Sessions: (smallEvent.Sessions ?? []).map((session) => ({
      ...(session as object),
      ...{ Description: 'About maps.', RoomId: 1, TrackId: 1, SessionTypeId: 1, Links: 'https://a.example' },
    })),
    TimeSlots: smallEvent.TimeSlots ?? [],
    Rooms: [{ Id: 1, Name: 'Hall', Location: 'Level 1' }],
    Tracks: [{ Id: 1, Title: 'Water' }],
    SessionTypes: [{ Id: 1, Name: 'Panel' }],
    Users: (smallEvent.Users ?? []).map((user) => ({ ...(user as object), ...person })),
    ...changes,
  }
}

/** The same records, with these keys given other values. */
function changed(records: readonly unknown[] | undefined, values: Readonly<Record<string, unknown>>) {
  return (records ?? []).map((record) => ({ ...(record as object), ...values }))
}

async function checkEvent(records: Records, integration: Readonly<Record<string, unknown>> = {}) {
  const source = await startScriptedSource(records)
  return check({ ...sourceA(source.url), ...integration })
}

test('an account that is set up fails no rule; only the custom fields cannot be checked', async () => {
  const checked = await checkEvent(event())
  expect(checked.ids('failed')).toEqual([])
  expect(checked.ids('not checkable')).toEqual(['sessions.PropertyValues'])
  expect(checked.rule('users.EmailAddress')).toEqual({
    rule: { id: 'users.EmailAddress', sentence: 'Anonymous sees EmailAddress of users', clause: 'spec 2.1' },
    verdict: 'ok',
    seen: 'a value in 4 of 4 users',
    todo: null,
  })
  expect(checked.rule('users').seen).toBe('4 users, to the end')
  expect(checked.rule('speakers').seen).toBe('1 of 2 sessions name speakers, 4 of 4 users name sessions')
})

describe('a field that Anonymous does not see', () => {
  test.each([
    ['Users', 'FirstName', 'Admin → Users → Profile Fields: set FirstName to View for Anonymous'],
    ['Users', 'LastName', 'Admin → Users → Profile Fields: set LastName to View for Anonymous'],
    ['Users', 'EmailAddress', 'Admin → Users → Profile Fields: set EmailAddress to View for Anonymous'],
    [
      'Sessions',
      'Title',
      'Admin → Sessions → Session Fields → Standard Fields: set Title to View for Anonymous or Attendees/Anonymous',
    ],
    [
      'Sessions',
      'TimeSlotId',
      'Admin → Sessions → Session Fields → Standard Fields: set TimeSlotId to View for Anonymous or Attendees/Anonymous',
    ],
    ['TimeSlots', 'StartTime', 'fill StartTime of the time slots in the source account'],
    ['TimeSlots', 'EndTime', 'fill EndTime of the time slots in the source account'],
  ] as const)(
    'fails in %s where it is required: %s, with the place in the account',
    async (resource, name, todo) => {
      const full = event()
      const checked = await checkEvent(event({ [resource]: changed(full[resource], { [name]: null }) }))
      const id = `${{ Users: 'users', Sessions: 'sessions', TimeSlots: 'time_slots' }[resource]}.${name}`
      expect(checked.rule(id).verdict).toBe('failed')
      expect(checked.rule(id).seen).toMatch(/^empty for all \d /)
      expect(checked.rule(id).todo).toContain(todo)
      expect(checked.ids('failed')).toContain(id)
    },
  )

  test.each([
    ['Users', 'Title'],
    ['Users', 'Company'],
    ['Users', 'Biography'],
    ['Users', 'PhotoLink'],
    ['Users', 'SpeakingAt'],
    ['Users', 'Facebook'],
    ['Users', 'LinkedIn'],
    ['Sessions', 'Description'],
    ['Sessions', 'RoomId'],
    ['Sessions', 'TrackId'],
    ['Sessions', 'SessionTypeId'],
    ['Sessions', 'Speakers'],
    ['Sessions', 'Links'],
    ['Rooms', 'Name'],
    ['Rooms', 'Location'],
    ['Tracks', 'Title'],
    ['SessionTypes', 'Name'],
  ] as const)('is not checkable in %s where it is optional: %s may be empty', async (resource, name) => {
    const full = event()
    const checked = await checkEvent(event({ [resource]: changed(full[resource], { [name]: '' }) }))
    expect(checked.ids('failed')).toEqual([])
    const resourceName = { TimeSlots: 'time_slots', SessionTypes: 'session_types' }[resource as string]
    // The title of a session type goes by either name.
    const id = `${resourceName ?? resource.toLowerCase()}.${resource === 'SessionTypes' ? 'Title' : name}`
    expect(checked.ids('not checkable').filter((other) => other !== 'sessions.PropertyValues')).toEqual([id])
    expect(checked.rule(id).seen).toMatch(
      /^empty for all \d [a-z ]+: either nobody filled it, or it is not set to View$/,
    )
    expect(checked.rule(id).todo).toMatch(/^where it should have values: /)
  })

  test('of a content that is not synced is not looked at', async () => {
    const users = changed(event().Users, { EmailAddress: null })
    const checked = await checkEvent(event({ Users: users }), { content: ['agenda', 'speakers'] })
    expect(checked.ids('failed')).toEqual([])
    expect(checked.findings.map(({ rule }) => rule.id)).not.toContain('users.EmailAddress')
  })
})

test('a required field that next to nobody has is as good as hidden; with few records, chance', async () => {
  const users = Array.from({ length: 40 }, (_, index) => ({
    ...(event().Users?.[0] as object),
    Id: index,
    EmailAddress: index < 3 ? `${index}@people.example` : null,
  }))
  const many = await checkEvent(event({ Users: users }))
  expect(many.rule('users.EmailAddress').verdict).toBe('failed')
  expect(many.rule('users.EmailAddress').seen).toBe('a value in only 3 of 40 users; required for attendees')
  const few = await checkEvent(event({ Users: users.slice(2, 21) }))
  expect(few.rule('users.EmailAddress').verdict).toBe('ok')
  expect(few.rule('users.EmailAddress').seen).toBe(
    'a value in 1 of 19 users; those without are not synced as attendees',
  )
})

test('a field that comes but is never usable is told apart from one that does not come', async () => {
  const links = await checkEvent(event({ Users: changed(event().Users, { PhotoLink: 'none yet' }) }))
  expect(links.rule('users.PhotoLink')).toMatchObject({
    verdict: 'ok',
    seen: 'comes in 4 of 4 users, but never as something that can be used; it is left out',
  })
  const names = await checkEvent(event({ Users: changed(event().Users, { FirstName: { en: 'Ada' } }) }))
  expect(names.rule('users.FirstName')).toMatchObject({ verdict: 'failed', todo: 'see what FirstName holds' })
})

describe('a resource without records', () => {
  test.each([
    ['users, which cannot be', { Users: [] }, 'users', 'failed', /Profile Fields: set every row to View/],
    [
      'time slots, though there are sessions',
      { TimeSlots: [] },
      'time_slots',
      'failed',
      /give the sessions time slots/,
    ],
    [
      'time slots, where there are no sessions',
      { TimeSlots: [], Sessions: [] },
      'time_slots',
      'not checkable',
      null,
    ],
    ['sessions', { Sessions: [] }, 'sessions', 'not checkable', /where it has sessions: /],
    ['rooms', { Rooms: [] }, 'rooms', 'not checkable', null],
  ] as const)('%s', async (_what, records, id, verdict, todo) => {
    const { rule } = await checkEvent(event(records))
    expect(rule(id).verdict).toBe(verdict)
    if (todo === null) expect(rule(id).todo).toBeNull()
    else expect(rule(id).todo).toMatch(todo)
  })

  test('leaves its fields not checkable', async () => {
    const { rule } = await checkEvent(event({ Users: [] }))
    expect(rule('users.EmailAddress')).toMatchObject({
      verdict: 'not checkable',
      seen: 'no users came that could be looked at',
    })
  })
})

test('records without an id are counted, and fail their resource where none has one', async () => {
  const [first, ...others] = event().Sessions ?? []
  const one = await checkEvent(event({ Sessions: [...changed([first], { Id: null }), ...others] }))
  expect(one.rule('sessions')).toMatchObject({
    verdict: 'ok',
    seen: '2 sessions, to the end; 1 of them cannot be used and would be quarantined',
  })
  const none = await checkEvent(event({ Sessions: changed(event().Sessions, { Id: null }) }))
  expect(none.rule('sessions').verdict).toBe('failed')
  expect(none.rule('sessions.Title').verdict).toBe('not checkable')
})

describe('times without an offset', () => {
  const local = [{ Id: 1, StartTime: '2031-05-04T13:00:00', EndTime: { EventTime: '2031-05-04T14:00:00' } }]

  test('fail where source.timeZone is not set, since they would be bad_time', async () => {
    const { rule } = await checkEvent(event({ TimeSlots: [...local, ...(event().TimeSlots ?? [])] }))
    expect(rule('timeZone')).toMatchObject({
      verdict: 'failed',
      seen: 'times without an offset in 1 of 2 time slots, and source.timeZone is not set: bad_time',
    })
    expect(rule('timeZone').todo).toContain('set source.timeZone')
  })

  test('are fine in a time zone', async () => {
    const source = await startScriptedSource(event({ TimeSlots: local }))
    const { rule } = await check(sourceA(source.url, { timeZone: 'America/New_York' }))
    expect(rule('timeZone').verdict).toBe('ok')
    expect(rule('time_slots.StartTime').verdict).toBe('ok')
  })

  test('are not what makes a time unreadable that no zone would mend', async () => {
    const { rule } = await checkEvent(
      event({ TimeSlots: [{ ...local[0], StartTime: 'soon', EndTime: 'later' }] }),
    )
    expect(rule('timeZone')).toMatchObject({
      verdict: 'ok',
      seen: 'source.timeZone is not set, and no time of 1 time slot needs it',
    })
    expect(rule('time_slots.StartTime').verdict).toBe('failed')
  })

  test('are not checkable where no time came', async () => {
    const { rule } = await checkEvent(event({ TimeSlots: [] }))
    expect(rule('timeZone').verdict).toBe('not checkable')
  })
})

describe('speakers', () => {
  const nobody = event({
    Sessions: changed(event().Sessions, { Speakers: [] }),
    Users: changed(event().Users, { SpeakingAt: [], Roles: 'Attendee' }),
  })

  test.each(['listed', 'role', 'both'])(
    'are there by source.speakers: %s, or not checkable',
    async (speakers) => {
      const [some, none] = [await startScriptedSource(event()), await startScriptedSource(nobody)]
      expect((await check(sourceA(some.url, { speakers }))).rule('speakers').verdict).toBe('ok')
      const { rule } = await check(sourceA(none.url, { speakers }))
      expect(rule('speakers').verdict).toBe('not checkable')
      expect(rule('speakers').seen).toContain('nobody is a speaker')
    },
  )
})

test('fields named in source.fields are looked for under that name', async () => {
  const source = await startScriptedSource(
    event({ Users: changed(event().Users, { Fb: 'ada', Facebook: null }) }),
  )
  const named = await check(sourceA(source.url, { fields: { facebook: 'Fb' } }))
  expect(named.rule('users.Fb').verdict).toBe('ok')
  const default_ = await check(sourceA(source.url))
  expect(default_.rule('users.Facebook').todo).toContain('source.fields.facebook')
})
