import { describe, expect, test } from 'vitest'
import { readRecordOf } from '../../../../pipeline/sources/contract/read-record.ts'
import * as a from '../../../../transforms/resources/source-a.ts'
import { pass, take } from '../../extract/through-parser.ts'

type Reader = ReturnType<typeof readRecordOf>

const inZone = { timeZone: 'America/New_York', fields: {} }
const readUserWith = (fields: Record<string, string>) => readRecordOf(a.users, { timeZone: null, fields })
const readTimeSlotIn = (timeZone: string | null) => readRecordOf(a.timeSlots, { timeZone, fields: {} })
const readUser = readUserWith({})
const readTimeSlot = readTimeSlotIn('America/New_York')
const [readSession, readRoom, readTrack, readSessionType] = [
  a.sessions,
  a.rooms,
  a.tracks,
  a.sessionTypes,
].map((resource) => readRecordOf(resource, inZone)) as [Reader, Reader, Reader, Reader]
/** The same columns, each without a value. */
const allNull = (values: object) => Object.fromEntries(Object.keys(values).map((column) => [column, null]))

const parsers = [
  ['session', readSession],
  ['time slot', readTimeSlot],
  ['room', readRoom],
  ['track', readTrack],
  ['session type', readSessionType],
  ['user', readUser],
] as const

describe.each(parsers)('a %s', (_, parser) => {
  test.each([
    ['null', '$', 'not an object'],
    ['12345678901234567890', '$', 'not an object'],
    ['[{"Id":1}]', '$', 'not an object'],
    ['{"Id":null}', '$.Id', 'no id'],
    ['{"Id":" \\u0000 "}', '$.Id', 'no id'],
    ['{"Name":"Ada","Title":"ada@example.com"}', '$.Id', 'no id'],
    ['{"__proto__":{"Id":1,"id":1}}', '$.Id', 'no id'],
    ['{"Id":{"secret":"x"}}', '$.Id', 'the id is not text'],
    ['{"Id":true}', '$.Id', 'the id is not text'],
  ])('is quarantined, and nothing of it is in the message: %s', (text, path, message) => {
    expect(take(parser, text)).toEqual({ path, message })
  })

  test.each([
    ['{"Id":99999999999999999}', '99999999999999999'],
    ['{"iD":" S-1 "}', 'S-1'],
    ['{"Id":1.0}', '1.0'],
    ['{"Id":"a\\u0000b"}', 'ab'],
    ['{"ID":" ","id":5,"Id":9}', '5'],
    ['{"Id":1,"__PROTO__":{"name":"x","id":2}}', '1'],
  ])('has the id as written, of two spellings the first with a value: %s', (text, id) => {
    const { values } = pass(parser, text)
    expect(values.source_id).toBe(id)
    expect(Object.values(values)).not.toContain('x')
  })

  test('every column is there when nothing but the id is', () => {
    const { values, warnings } = pass(parser, '{"Id":1}')
    expect(Object.values(values)).not.toContain(undefined)
    expect(warnings).toEqual([])
  })
})

const sessionValues = {
  source_id: '11',
  title: 'Opening',
  description: '<p>Hello</p>',
  enabled: true,
  visible_to_anonymous_users: false,
  status: 'Accepted',
  time_slot_id: '4',
  room_id: '5',
  track_id: '3',
  session_type_id: '6',
  speaker_ids: ['8', '9'],
  link_urls: ['https://a.example/x'],
}

describe('a session', () => {
  test('gives each column', () => {
    const record = {
      Id: 11,
      Title: ' Opening ',
      Description: '<p>Hello</p>',
      Enabled: true,
      Status: 'Accepted',
      VisibleToAnonymousUsers: false,
      Code: 'X1',
      TrackId: 3,
      TimeSlotId: 4,
      RoomId: '5',
      SessionTypeId: 6,
      Speakers: [{ Id: 9 }, { Id: 8 }],
      SpeakerOrder: ['8'],
      Links: 'https://a.example/x',
    }
    expect(pass(readSession, record)).toEqual({ warnings: [], values: sessionValues })
  })

  test('has nothing where nothing came', () => {
    expect(pass(readSession, { Id: 11, Title: null, Description: ' ', Speakers: null, Links: null })).toEqual(
      {
        warnings: [],
        values: { ...allNull(sessionValues), source_id: '11', speaker_ids: [], link_urls: [] },
      },
    )
  })

  test('marks what is there but no text', () => {
    const { values, warnings } = pass(
      readSession,
      '{"Id":1,"Title":{"en":"x"},"Description":"a\\u0000b","RoomId":[1],"Enabled":"false"}',
    )
    expect(values).toMatchObject({ title: null, description: 'ab', room_id: null, enabled: null })
    expect(warnings.toSorted()).toEqual([
      'not_text:room_id',
      'not_text:title',
      'unsupported_character:description',
    ])
  })

  test.each<[string, unknown, unknown, readonly string[], readonly string[]]>([
    ['objects, however the key is spelled', [{ Id: 1 }, { ID: '2' }, 3], null, ['1', '2', '3'], []],
    ['no list', { Id: 1 }, null, [], ['left_out:speaker_ids']],
    ['an order of all', [1, 2, 3], ['3', '1', '2'], ['3', '1', '2'], []],
    [
      'an order of some: the others after, in their order',
      [5, 1, 2, 3],
      ['3', '1'],
      ['3', '1', '5', '2'],
      [],
    ],
    ['an order that names others, who are not added', [1, 2], ['9', '2', '8'], ['2', '1'], []],
    ['an order as numbers', [1, 2], [2], ['2', '1'], []],
    ['an order as text', [1, 2], '2,1', ['2', '1'], []],
    ['an order alone', [], ['1'], [], []],
    ['an order that repeats', [1, 2], ['2', '2', '1'], ['2', '1'], []],
  ])('names its speakers: %s', (_, Speakers, SpeakerOrder, ids, warnings) => {
    const passed = pass(readSession, { Id: 1, Speakers, SpeakerOrder })
    expect(passed.values.speaker_ids).toEqual(ids)
    expect(passed.warnings).toEqual(warnings)
  })

  test('says when some of its links were left out', () => {
    const passed = pass(readSession, { Id: 1, Links: ['ftp://b.example', 'http://c.example'] })
    expect([passed.values.link_urls, passed.warnings]).toEqual([['http://c.example'], ['left_out:link_urls']])
  })
})

describe('a time slot', () => {
  // How times are read: test/transforms/rules/times.test.ts.
  test('has each of its times with its status and marks', () => {
    const StartTime = { UTC: '2031-05-04T16:00:00Z', EventTime: '2031-05-04T09:00:00-07:00' }
    expect(pass(readTimeSlot, { Id: 1, StartTime, ENDTIME: '2031-11-02T01:30:00' }).values).toEqual({
      source_id: '1',
      start_time: '2031-05-04T16:00:00Z',
      start_time_status: 'read',
      end_time: '2031-11-02T05:30:00Z',
      end_time_status: 'ambiguous',
    })
    const { values, warnings } = pass(readTimeSlot, { ID: 1, starttime: 5, EndTime: ['x'] })
    expect(values).toMatchObject({ start_time_status: 'unreadable', end_time_status: 'absent' })
    expect(warnings).toEqual(['not_text:end_time'])
  })

  test('has no local times without a zone', () => {
    const [StartTime, EndTime] = ['2031-05-04T09:00', '2031-05-04T09:00Z']
    const { values } = pass(readTimeSlotIn(null), { Id: 1, StartTime, EndTime })
    expect(values).toMatchObject({ start_time_status: 'unreadable', end_time: '2031-05-04T09:00:00Z' })
  })
})

describe('lookups', () => {
  test('a room has a name and a location', () => {
    expect(pass(readRoom, { Id: 1, name: 'Blue', LOCATION: 2 }).values).toEqual({
      source_id: '1',
      name: 'Blue',
      location: '2',
    })
  })

  test('a track has a title', () => {
    expect(pass(readTrack, { Id: 1, Title: 'Water' }).values).toEqual({ source_id: '1', title: 'Water' })
  })

  test.each<[Record<string, unknown>, string | null, string | null]>([
    [{ Title: 'Talk', Name: 'x' }, 'Talk', 'talk'],
    [{ Name: '1:1 MEETING' }, '1:1 MEETING', '1:1 meeting'],
    [{ Title: null, Name: 'Talk' }, 'Talk', 'talk'],
    [{ Title: ' ', name: 'Talk' }, 'Talk', 'talk'],
    [{}, null, null],
  ])('a session type has a title, or else a name: %j', (type, title, folded) => {
    expect(pass(readSessionType, { Id: 1, ...type }).values).toEqual({
      source_id: '1',
      title,
      title_folded: folded,
    })
  })
})

const userValues = {
  source_id: '21',
  id: '21',
  first_name: 'Ada',
  last_name: 'Byron',
  email_address: 'Ada@Example.com',
  title: 'Countess',
  company: 'Analytical',
  biography: '<b>x</b>',
  photo_link: 'https://p.example/a.jpg',
  facebook_url: 'https://facebook.com/ada',
  linkedin_url: 'https://www.linkedin.com/in/ada-b',
  has_speaker_role: true,
  is_pending: false,
  speaking_at: ['1', '10', '2'],
}

describe('a user', () => {
  test('gives each column', () => {
    const record = {
      Id: 21,
      FirstName: 'Ada',
      LastName: ' Byron ',
      EmailAddress: 'Ada@Example.com',
      Title: 'Countess',
      Company: 'Analytical',
      Biography: '<b>x</b>',
      PhotoLink: 'https://p.example/a.jpg',
      Website: 'https://w.example',
      LinkedIn: 'ada-b',
      Facebook: 'facebook.com/ada',
      Roles: 'Admin|Speaker',
      IsPending: false,
      ProfileIsPublic: true,
      SpeakingAt: [{ Id: 2 }, { Id: 10 }, 1],
    }
    expect(pass(readUser, record)).toEqual({ warnings: [], values: userValues })
  })

  test('has nothing where nothing came', () => {
    expect(pass(readUser, '{"Id":21}')).toEqual({
      warnings: [],
      values: { ...allNull(userValues), source_id: '21', id: '21', has_speaker_role: false, speaking_at: [] },
    })
  })

  test.each<[string, Record<string, unknown>, string]>([
    ['in lower case', { EmailAddress: ' Ada@Example.COM ' }, 'ada@example.com'],
    ['where the id is blank', { Id: ' ', emailaddress: 'B@x' }, 'b@x'],
    ['where the id is no text', { Id: {}, EmailAddress: 'c@x' }, 'c@x'],
  ])('without an id goes by the e-mail address %s', (_, record, sourceId) => {
    const { values } = pass(readUser, record)
    expect(values).toMatchObject({ source_id: sourceId, id: null })
    expect(values.email_address).toBe(String(Object.values(record).at(-1)).trim())
  })

  test('without an id and an e-mail address is quarantined', () => {
    expect(take(readUser, { EmailAddress: ['ada@x'] })).toEqual({ path: '$.Id', message: 'no id' })
  })

  test.each<[unknown, boolean]>([
    ['Speaker', true],
    ['admin, SPEAKER', true],
    ['Admin;speaker ', true],
    [['Admin', ' Speaker '], true],
    ['Speakers', false],
    ['Keynote Speaker', false],
    [null, false],
    [['Admin', null, 7, {}], false],
    [{ Speaker: true }, false],
  ])('has the role of a speaker by Roles %j: %s [R7]', (Roles, role) => {
    expect(pass(readUser, { Id: 1, Roles }).values.has_speaker_role).toBe(role)
  })

  test('addresses that cannot be used are left out and marked', () => {
    const record = {
      Id: 1,
      Facebook: 'my page',
      LinkedIn: ['x'],
      PhotoLink: '/photos/1.jpg',
      SpeakingAt: 'x,',
    }
    const { values, warnings } = pass(readUser, record)
    expect(values).toMatchObject({
      facebook_url: null,
      linkedin_url: null,
      photo_link: null,
      speaking_at: ['x'],
    })
    expect(warnings.toSorted()).toEqual([
      'left_out:facebook_url',
      'left_out:photo_link',
      'not_text:linkedin_url',
    ])
  })

  test('has its pages under the configured keys, whatever their case', () => {
    const record = { Id: 1, blog: 'ada', LinkedInUrl: 'byron', Facebook: 'no', LinkedIn: 'no' }
    expect(pass(readUserWith({ facebook: 'Blog', linkedin: 'LINKEDINURL' }), record).values).toMatchObject({
      facebook_url: 'https://www.facebook.com/ada',
      linkedin_url: 'https://www.linkedin.com/in/byron',
    })
  })

  test('a configured key that is also a field of its own serves both', () => {
    const { values } = pass(readUserWith({ facebook: 'Company', linkedin: 'Title' }), {
      Id: 1,
      Company: 'acme',
      Title: 'boss',
    })
    expect(values).toMatchObject({
      company: 'acme',
      title: 'boss',
      facebook_url: 'https://www.facebook.com/acme',
      linkedin_url: 'https://www.linkedin.com/in/boss',
    })
  })
})

test('what was noticed of a value is told even where another stands in for it', () => {
  const user = pass(readUser, { Id: true, EmailAddress: 'Ada@Example.com' })
  expect(user.values.source_id).toBe('ada@example.com')
  expect(user.warnings).toContain('not_text:source_id')
  const type = pass(readSessionType, { Id: 1, Title: false, Name: 'Talk' })
  expect([type.values.title, type.warnings]).toEqual(['Talk', ['not_text:title']])
})
