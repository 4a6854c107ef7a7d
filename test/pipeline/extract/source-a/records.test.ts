import { describe, expect, test } from 'vitest'
import {
  readRoom,
  readSession,
  readSessionType,
  readTimeSlotIn,
  readTrack,
  readUserWith,
} from '../../../../pipeline/extract/source-a/records.ts'
import { pass, take } from '../through-door.ts'

const readUser = readUserWith({ facebook: 'Facebook', linkedin: 'LinkedIn' })
const readTimeSlot = readTimeSlotIn('America/New_York')
const doors = [
  ['session', readSession],
  ['time slot', readTimeSlot],
  ['room', readRoom],
  ['track', readTrack],
  ['session type', readSessionType],
  ['user', readUser],
] as const

describe.each(doors)('a %s', (_, door) => {
  test.each(['null', '7', '"x"', '[]', '[{"Id":1}]', 'true', '12345678901234567890'])(
    'that is no object is quarantined: %s',
    (text) => {
      expect(take(door, text)).toEqual({ path: '$', message: 'not an object' })
    },
  )

  test.each([
    '{}',
    '{"Id":null}',
    '{"Id":""}',
    '{"Id":" \\u0000 "}',
    '{"Name":"Ada","Title":"ada@example.com"}',
  ])('without an id is quarantined, and nothing of it is in the message: %s', (text) => {
    expect(take(door, text)).toEqual({ path: '$.Id', message: 'no id' })
  })

  test.each(['{"Id":true}', '{"Id":{"secret":"x"}}', '{"Id":[1]}'])(
    'whose id is no text is quarantined: %s',
    (text) => {
      expect(take(door, text)).toEqual({ path: '$.Id', message: 'the id is not text' })
    },
  )

  test.each([
    ['{"Id":99999999999999999}', '99999999999999999'],
    ['{"ID":7}', '7'],
    ['{"id":"007"}', '007'],
    ['{"iD":" S-1 "}', 'S-1'],
    ['{"Id":1.0}', '1.0'],
    ['{"Id":"a\\u0000b"}', 'ab'],
  ])('has the id as written: %s', (text, id) => {
    expect(pass(door, text).values.source_id).toBe(id)
  })

  test('of two spellings of a key the first with a value counts', () => {
    for (const text of [
      '{"Id":"","ID":null,"id":5,"iD":6}',
      '{"id":5,"Id":null}',
      '{"ID":" ","id":5,"Id":9}',
    ]) {
      expect(pass(door, text).values.source_id).toBe('5')
    }
  })

  test.each(['__proto__', '__PROTO__', '__Proto__'])('takes nothing from a key %s', (key) => {
    const { values } = pass(
      door,
      `{"Id":1,"${key}":{"name":"x","title":"x","firstname":"x","id":2,"location":"x"}}`,
    )
    expect(values.source_id).toBe('1')
    expect(Object.values(values)).not.toContain('x')
    expect(take(door, `{"${key}":{"Id":1,"id":1}}`)).toEqual({ path: '$.Id', message: 'no id' })
  })

  test('every column is there when nothing but the id is', () => {
    const { values, marks } = pass(door, '{"Id":1}')
    expect(Object.values(values)).not.toContain(undefined)
    expect(marks).toEqual([])
  })
})

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
    expect(pass(readSession, record)).toEqual({
      marks: [],
      values: {
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
      },
    })
  })

  test('has nothing where nothing came', () => {
    expect(pass(readSession, { Id: 11, Title: null, Description: ' ', Speakers: null, Links: null })).toEqual(
      {
        marks: [],
        values: {
          source_id: '11',
          title: null,
          description: null,
          enabled: null,
          visible_to_anonymous_users: null,
          status: null,
          time_slot_id: null,
          room_id: null,
          track_id: null,
          session_type_id: null,
          speaker_ids: [],
          link_urls: [],
        },
      },
    )
  })

  test('spells its keys as it likes', () => {
    const { values } = pass(readSession, {
      id: 1,
      TITLE: 'T',
      timeslotID: 2,
      RoomID: 3,
      trackid: 4,
      sessionTypeID: 5,
    })
    expect(values).toMatchObject({
      title: 'T',
      time_slot_id: '2',
      room_id: '3',
      track_id: '4',
      session_type_id: '5',
    })
  })

  test('marks what is there but no text', () => {
    const { values, marks } = pass(
      readSession,
      '{"Id":1,"Title":{"en":"x"},"Description":"a\\u0000b","RoomId":[1],"Enabled":"false"}',
    )
    expect(values).toMatchObject({ title: null, description: 'ab', room_id: null, enabled: null })
    expect(marks.toSorted()).toEqual([
      'not_text:room_id',
      'not_text:title',
      'unsupported_character:description',
    ])
  })

  test('keeps the digits of what it refers to', () => {
    const { values } = pass(
      readSession,
      '{"Id":1,"TimeSlotId":99999999999999999,"Speakers":[{"Id":88888888888888888},77777777777777777]}',
    )
    expect(values).toMatchObject({
      time_slot_id: '99999999999999999',
      speaker_ids: ['88888888888888888', '77777777777777777'],
    })
  })

  test.each<[string, unknown, unknown, readonly string[], readonly string[]]>([
    ['objects, however the key is spelled', [{ Id: 1 }, { ID: '2' }, { id: 3 }], null, ['1', '2', '3'], []],
    ['bare ids', [1, '2', ' 3 '], undefined, ['1', '2', '3'], []],
    ['repeats', [{ Id: 1 }, 1, '1'], null, ['1'], []],
    ['elements without an id', [{ Name: 'x' }, null, '', true, 4], null, ['4'], ['left_out:speaker_ids']],
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
  ])('names its speakers: %s', (_, Speakers, SpeakerOrder, ids, marks) => {
    const passed = pass(readSession, { Id: 1, Speakers, SpeakerOrder })
    expect(passed.values.speaker_ids).toEqual(ids)
    expect(passed.marks).toEqual(marks)
  })

  test('gives its links, and says when some were left out', () => {
    const passed = pass(readSession, {
      Id: 1,
      Links: [{ Url: 'https://a.example' }, 'ftp://b.example', 'http://c.example'],
    })
    expect(passed.values.link_urls).toEqual(['https://a.example', 'http://c.example'])
    expect(passed.marks).toEqual(['left_out:link_urls'])
  })
})

describe('a time slot', () => {
  test.each<[string, unknown, string | null, string]>([
    [
      'the event time',
      { UTC: '2031-05-04T16:00:00Z', EventTime: '2031-05-04T09:00:00-07:00' },
      '2031-05-04T16:00:00Z',
      'read',
    ],
    [
      'UTC where the event time has no offset',
      { UTC: '2031-05-04T16:00:00', EventTime: '2031-05-04T09:00:00' },
      '2031-05-04T16:00:00Z',
      'read',
    ],
    [
      'the event time in the configured zone',
      { eventtime: '2031-05-04T09:00' },
      '2031-05-04T13:00:00Z',
      'read',
    ],
    ['a text', '2031-05-04 09:00', '2031-05-04T13:00:00Z', 'read'],
    ['an hour that occurs twice', '2031-11-02T01:30:00', '2031-11-02T05:30:00Z', 'ambiguous'],
    ['an hour that is skipped', '2031-03-09T02:30:00', null, 'unreadable'],
    ['no time', 'tomorrow', null, 'unreadable'],
    ['nothing', null, null, 'absent'],
  ])('starts at %s', (_, StartTime, start_time, start_time_status) => {
    const { values } = pass(readTimeSlot, { Id: 1, StartTime })
    expect(values).toEqual({
      source_id: '1',
      start_time,
      start_time_status,
      end_time: null,
      end_time_status: 'absent',
    })
  })

  test('ends likewise, each time with its own marks', () => {
    const { values, marks } = pass(readTimeSlot, { ID: 1, starttime: 5, ENDTIME: ['x'] })
    expect(values).toMatchObject({ start_time_status: 'unreadable', end_time_status: 'absent' })
    expect(marks).toEqual(['not_text:end_time'])
  })

  test('has no local times without a zone', () => {
    const { values } = pass(readTimeSlotIn(null), {
      Id: 1,
      StartTime: '2031-05-04T09:00',
      EndTime: '2031-05-04T09:00Z',
    })
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
    expect(pass(readUser, record)).toEqual({
      marks: [],
      values: {
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
      },
    })
  })

  test('has nothing where nothing came', () => {
    expect(pass(readUser, '{"Id":21}')).toEqual({
      marks: [],
      values: {
        source_id: '21',
        id: '21',
        first_name: null,
        last_name: null,
        email_address: null,
        title: null,
        company: null,
        biography: null,
        photo_link: null,
        facebook_url: null,
        linkedin_url: null,
        has_speaker_role: false,
        is_pending: null,
        speaking_at: [],
      },
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

  test.each([{ FirstName: 'Ada' }, { EmailAddress: '' }, { EmailAddress: ['ada@x'] }])(
    'without an id and an e-mail address is quarantined: %j',
    (record) => {
      expect(take(readUser, record)).toEqual({ path: '$.Id', message: 'no id' })
    },
  )

  test.each<[unknown, boolean]>([
    ['Speaker', true],
    ['Admin|Speaker', true],
    ['admin, SPEAKER', true],
    ['Admin;speaker ', true],
    [['Admin', ' Speaker '], true],
    ['Speakers', false],
    ['Keynote Speaker', false],
    ['', false],
    [null, false],
    [[], false],
    [['Admin', null, 7, {}], false],
    [true, false],
    [{ Speaker: true }, false],
  ])('has the role of a speaker by Roles %j: %s', (Roles, role) => {
    expect(pass(readUser, { Id: 1, Roles }).values.has_speaker_role).toBe(role)
  })

  test.each<[unknown, string | null, readonly string[]]>([
    ['http://p.example/a b.jpg', null, ['left_out:photo_link']],
    ['/photos/1.jpg', null, ['left_out:photo_link']],
    ['HTTPS://P.example/x', 'HTTPS://P.example/x', []],
    ['', null, []],
  ])('has a photo only by a URL: %j', (PhotoLink, photo_link, marks) => {
    const passed = pass(readUser, { Id: 1, PhotoLink })
    expect(passed.values.photo_link).toBe(photo_link)
    expect(passed.marks).toEqual(marks)
  })

  test('pages that cannot be used are left out and marked', () => {
    const { values, marks } = pass(readUser, {
      Id: 1,
      Facebook: 'my page',
      LinkedIn: ['x'],
      SpeakingAt: 'x,',
    })
    expect(values).toMatchObject({ facebook_url: null, linkedin_url: null, speaking_at: ['x'] })
    expect(marks.toSorted()).toEqual(['left_out:facebook_url', 'not_text:linkedin_url'])
  })

  test.each([
    [
      { facebook: 'Blog', linkedin: 'LINKEDINURL' },
      { blog: 'ada', LinkedInUrl: 'byron', Facebook: 'no', LinkedIn: 'no' },
    ],
    [
      { facebook: 'Website', linkedin: 'Facebook' },
      { website: 'ada', FACEBOOK: 'byron', LinkedIn: 'no' },
    ],
    [
      { facebook: 'facebookurl', linkedin: 'Linkedinurl' },
      { FacebookUrl: 'ada', LinkedInUrl: 'byron' },
    ],
  ])('has its pages under the configured keys, whatever their case: %j', (fields, record) => {
    const { values } = pass(readUserWith(fields), { Id: 1, ...record })
    expect(values).toMatchObject({
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
  expect(user.marks).toContain('not_text:source_id')
  const type = pass(readSessionType, { Id: 1, Title: false, Name: 'Talk' })
  expect([type.values.title, type.marks]).toEqual(['Talk', ['not_text:title']])
})
