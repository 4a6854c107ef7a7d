import { describe, expect, test } from 'vitest'
import { readRecordOf } from '../../../../pipeline/sources/contract/read-record.ts'
import type { Resource } from '../../../../transforms/declare/resource.ts'
import * as a from '../../../../transforms/source-a/resources.ts'
import { pass, take } from '../../extract/through-parser.ts'

const readerOf = (resource: Resource, fields: Record<string, string> = {}) =>
  readRecordOf(resource, { timeZone: null, fields })
const readSession = readerOf(a.sessions)
const readSessionType = readerOf(a.sessionTypes)
const readUser = readerOf(a.users)
const parsers = [a.sessions, a.timeSlots, a.rooms, a.tracks, a.sessionTypes, a.users].map(
  (one) => [one.name, readerOf(one)] as const,
)

describe.each(parsers)('a record of %s', (_, parser) => {
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
  ])('a record is quarantined, and the message contains none of its values: %s', (text, path, message) => {
    expect(take(parser, text)).toEqual({ path, message })
  })

  test.each([
    ['{"Id":99999999999999999}', '99999999999999999'],
    ['{"iD":" S-1 "}', 'S-1'],
    ['{"Id":1.0}', '1.0'],
    ['{"Id":"a\\u0000b"}', 'ab'],
    ['{"ID":" ","id":5,"Id":9}', '5'],
    ['{"Id":1,"__PROTO__":{"name":"x","id":2}}', '1'],
  ])(
    'a record keeps its id as written; if the key has several spellings, the first with a value is used: %s',
    (text, id) => {
      const { values } = pass(parser, text)
      expect(values.source_id).toBe(id)
      expect(Object.values(values)).not.toContain('x')
    },
  )

  test('a record that contains only an id still has all columns', () => {
    const { values, warnings } = pass(parser, '{"Id":1}')
    expect(Object.values(values)).not.toContain(undefined)
    expect(warnings).toEqual([])
  })
})

describe('a session', () => {
  test.each<[string, unknown, unknown, readonly string[], readonly string[]]>([
    ['objects, however the key is spelled', [{ Id: 1 }, { ID: '2' }, 3], null, ['1', '2', '3'], []],
    ['no list', { Id: 1 }, null, [], ['left_out:speaker_ids']],
    ['an order of all speakers', [1, 2, 3], ['3', '1', '2'], ['3', '1', '2'], []],
    [
      'an order of some speakers, after which the others follow in their own order',
      [5, 1, 2, 3],
      ['3', '1'],
      ['3', '1', '5', '2'],
      [],
    ],
    ['an order with other ids, which are not added', [1, 2], ['9', '2', '8'], ['2', '1'], []],
    ['an order as numbers', [1, 2], [2], ['2', '1'], []],
    ['an order as text', [1, 2], '2,1', ['2', '1'], []],
    ['an order without speakers', [], ['1'], [], []],
    ['an order that repeats an id', [1, 2], ['2', '2', '1'], ['2', '1'], []],
  ])('gets its speakers in the right order from %s', (_, Speakers, SpeakerOrder, ids, warnings) => {
    const passed = pass(readSession, { Id: 1, Speakers, SpeakerOrder })
    expect(passed.values.speaker_ids).toEqual(ids)
    expect(passed.warnings).toEqual(warnings)
  })
})

test.each<[Record<string, unknown>, string | null, string | null]>([
  [{ Title: 'Talk', Name: 'x' }, 'Talk', 'talk'],
  [{ Name: '1:1 MEETING' }, '1:1 MEETING', '1:1 meeting'],
  [{ Title: null, Name: 'Talk' }, 'Talk', 'talk'],
  [{ Title: ' ', name: 'Talk' }, 'Talk', 'talk'],
  [{}, null, null],
])('a session type gets its name as title if it has no title: %j', (type, title, folded) => {
  expect(pass(readSessionType, { Id: 1, ...type }).values).toEqual({
    source_id: '1',
    title,
    title_folded: folded,
  })
})

describe('a user', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['in lower case', { EmailAddress: ' Ada@Example.COM ' }, 'ada@example.com'],
    ['if the id is blank', { Id: ' ', emailaddress: 'B@x' }, 'b@x'],
    ['if the id is not a text', { Id: {}, EmailAddress: 'c@x' }, 'c@x'],
  ])('without an id is identified by the e-mail address %s', (_, record, sourceId) => {
    const { values } = pass(readUser, record)
    expect(values).toMatchObject({ source_id: sourceId, id: null })
    expect(values.email_address).toBe(String(Object.values(record).at(-1)).trim())
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
  ])('with Roles %j has the role of a speaker: %s [R7]', (Roles, role) => {
    expect(pass(readUser, { Id: 1, Roles }).values.has_speaker_role).toBe(role)
  })

  test('if a configured key is also the key of a standard field, its value fills both columns', () => {
    const { values } = pass(readerOf(a.users, { facebook: 'Company', linkedin: 'Title' }), {
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

test('a warning about a value stays even if another value replaces it', () => {
  const user = pass(readUser, { Id: true, EmailAddress: 'Ada@Example.com' })
  expect(user.values.source_id).toBe('ada@example.com')
  expect(user.warnings).toContain('not_text:source_id')
  const type = pass(readSessionType, { Id: 1, Title: false, Name: 'Talk' })
  expect([type.values.title, type.warnings]).toEqual(['Talk', ['not_text:title']])
})
