import { describe, expect, test } from 'vitest'
import { readRecordOf } from '../../../../pipeline/sources/contract/read-record.ts'
import * as b from '../../../../transforms/resources/source-b.ts'
import { pass, take } from '../../extract/through-parser.ts'

const readRegistrantWith = (fields: Record<string, string>) =>
  readRecordOf(b.registrants, { timeZone: null, fields })
const readSessionIn = (timeZone: string | null) => readRecordOf(b.sessions, { timeZone, fields: {} })
const readRegType = readRecordOf(b.regTypes, { timeZone: null, fields: {} })
const readRegistrant = readRegistrantWith({})
const readSession = readSessionIn('Europe/Berlin')
const parsers = [
  ['session', readSession],
  ['registrant', readRegistrant],
  ['registrant type', readRegType],
] as const

describe.each(parsers)('a %s', (_, parser) => {
  test.each([
    ['null', '$', 'not an object'],
    ['"x"', '$', 'not an object'],
    ['{"id":""}', '$.id', 'no id'],
    ['{"Id":7,"ID":8}', '$.id', 'no id'],
    ['{"email":"ada@example.com","name":"Ada"}', '$.id', 'no id'],
    ['{"__proto__":{"id":1}}', '$.id', 'no id'],
    ['{"id":{"value":"ada@example.com"}}', '$.id', 'the id is not text'],
  ])('is quarantined, and nothing of it is in the message: %s', (text, path, message) => {
    expect(take(parser, text)).toEqual({ path, message })
  })

  test.each([
    ['{"id":99999999999999999}', '99999999999999999'],
    ['{"id":" 007 "}', '007'],
    ['{"Id":1,"id":2}', '2'],
  ])('has the id as written: %s', (text, id) => {
    expect(pass(parser, text).values.source_id).toBe(id)
  })
})

describe('a session', () => {
  test('gives each column', () => {
    const record = {
      id: 5,
      name: ' Opening ',
      description: '<p>x</p>',
      date: '2031-08-08',
      start_time: '11:45:00',
      end_time: '12:30:00',
      timezone: 'US/Eastern',
    }
    expect(pass(readSession, record)).toEqual({
      warnings: [],
      values: {
        source_id: '5',
        name: 'Opening',
        description: '<p>x</p>',
        start_time: '2031-08-08T15:45:00Z',
        start_time_status: 'read',
        end_time: '2031-08-08T16:30:00Z',
        end_time_status: 'read',
        time_zone: 'US/Eastern',
      },
    })
  })

  test('has nothing where nothing came', () => {
    expect(pass(readSession, { id: 5, date: null, start_time: null, description: '' })).toEqual({
      warnings: [],
      values: {
        source_id: '5',
        name: null,
        description: null,
        start_time: null,
        start_time_status: 'absent',
        end_time: null,
        end_time_status: 'absent',
        time_zone: 'Europe/Berlin',
      },
    })
  })

  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    [
      'the configured zone',
      { start_time: '09:00' },
      { start_time: '2031-08-08T07:00:00Z', time_zone: 'Europe/Berlin' },
    ],
    [
      'an unknown zone of its own',
      { start_time: '09:00', timezone: 'Mars' },
      { start_time: '2031-08-08T07:00:00Z', time_zone: 'Europe/Berlin' },
    ],
  ])('has its times in %s', (_, fields, expected) => {
    expect(pass(readSession, { id: 5, date: '2031-08-08', ...fields }).values).toMatchObject(expected)
  })

  test('keys count exactly as they are spelled', () => {
    expect(pass(readSession, { id: 5, Name: 'x', NAME: 'y' }).values.name).toBeNull()
  })
})

describe('a registrant', () => {
  test('gives each column', () => {
    const record = {
      id: 31,
      first_name: 'Ada',
      last_name: 'Byron',
      email: ' Ada@Example.com ',
      job_title: 'Countess',
      company: 'Analytical',
      bio: '<b>x</b>',
      mobile_phone: '+1 555',
      twitter_handle: '@ada',
      reg_type_id: { id: 20, value: 'Speaker' },
      session_ids: [3, 20, 1],
      waitlisted_session_ids: [99],
      cancelled_at: null,
    }
    expect(pass(readRegistrant, record)).toEqual({
      warnings: [],
      values: {
        source_id: '31',
        first_name: 'Ada',
        last_name: 'Byron',
        email: 'Ada@Example.com',
        job_title: 'Countess',
        company: 'Analytical',
        bio: '<b>x</b>',
        mobile_phone: '+1 555',
        twitter_handle: 'ada',
        reg_type_id: '20',
        reg_type_value: 'Speaker',
        reg_type_folded: 'speaker',
        session_ids: ['1', '20', '3'],
        cancelled_at: null,
      },
    })
  })

  test('has nothing where nothing came', () => {
    const { values, warnings } = pass(readRegistrant, { id: 31, email: '', bio: null, mobile_phone: ' ' })
    expect(warnings).toEqual([])
    const { source_id, session_ids, ...rest } = values
    expect([source_id, session_ids]).toEqual(['31', []])
    expect(new Set(Object.values(rest))).toEqual(new Set([null]))
    expect(Object.keys(rest)).toHaveLength(12)
  })

  test('numbers count as their text, other values as absent and marked', () => {
    const { values, warnings } = pass(
      readRegistrant,
      '{"id":1,"mobile_phone":15550100200300400500,"first_name":7,"bio":{"x":1},"company":true,"twitter_handle":[]}',
    )
    expect(values).toMatchObject({
      mobile_phone: '15550100200300400500',
      first_name: '7',
      bio: null,
      company: null,
      twitter_handle: null,
    })
    expect(warnings.toSorted()).toEqual(['not_text:bio', 'not_text:company', 'not_text:twitter_handle'])
  })

  test.each<[unknown, string | null, string | null, string | null]>([
    [20, '20', null, '20'],
    [' Speaker ', 'Speaker', null, 'speaker'],
    [JSON.rawJSON('99999999999999999'), '99999999999999999', null, '99999999999999999'],
    [{ id: 20, value: 'Speaker' }, '20', 'Speaker', 'speaker'],
    [{ id: '20', value: ' SPEAKER' }, '20', 'SPEAKER', 'speaker'],
    [{ id: 20, value: null }, '20', null, '20'],
    [{ id: '', value: 'Speaker' }, null, 'Speaker', 'speaker'],
    [{}, null, null, null],
    [null, null, null, null],
    [[20], null, null, null],
  ])('has a type by reg_type_id %j [R18, R62]', (reg_type_id, id, value, folded) => {
    const { values } = pass(readRegistrant, { id: 1, reg_type_id })
    expect(values).toMatchObject({ reg_type_id: id, reg_type_value: value, reg_type_folded: folded })
  })

  test.each<[unknown, readonly string[], readonly string[]]>([
    [[2, '10', 1], ['1', '10', '2'], []],
    [[{ id: 2 }, { id: '1' }], ['1', '2'], []],
    ['3, 1,2', ['1', '2', '3'], []],
    [[{ name: 'x' }, 4], ['4'], ['left_out:session_ids']],
  ])('names its sessions by session_ids %j [R19]', (session_ids, ids, warnings) => {
    const passed = pass(readRegistrant, { id: 1, session_ids })
    expect([passed.values.session_ids, passed.warnings]).toEqual([ids, warnings])
  })

  test.each<[string, string | null]>([
    ['" "', null],
    ['"0000-00-00 00:00:00"', null],
    ['"2031-01-02 03:04:05"', '2031-01-02 03:04:05'],
    ['1924905845', '1924905845'],
    ['{"at":1.0}', '{"at":1.0}'],
  ])('is cancelled by cancelled_at %s: %j [R67]', (value, cancelled) => {
    expect(pass(readRegistrant, `{"id":1,"cancelled_at":${value}}`).values.cancelled_at).toBe(cancelled)
  })

  test('has no Twitter handle where it is none', () => {
    const { values, warnings } = pass(readRegistrant, { id: 1, twitter_handle: '@' })
    expect([values.twitter_handle, warnings]).toEqual([null, ['left_out:twitter_handle']])
  })

  test('has its e-mail address under the configured key, spelled exactly', () => {
    const parser = readRegistrantWith({ email: 'work_email' })
    expect(pass(parser, { id: 1, work_email: 'w@x', email: 'p@x' }).values.email).toBe('w@x')
    expect(pass(parser, { id: 1, Work_Email: 'w@x', email: 'p@x' }).values.email).toBeNull()
    expect(pass(parser, { id: 1, work_email: '' }).values.email).toBeNull()
  })

  test('a configured key that is also a field of its own serves both', () => {
    const { values } = pass(readRegistrantWith({ email: 'company' }), { id: 1, company: 'c@x' })
    expect(values).toMatchObject({ email: 'c@x', company: 'c@x' })
  })
})

test.each<[Record<string, unknown>, string | null, string | null]>([
  [{ name: ' Speaker ' }, 'Speaker', 'speaker'],
  [{ name: 7 }, '7', '7'],
  [{ name: null }, null, null],
  [{}, null, null],
])('a registrant type has a name: %j', (type, name, folded) => {
  expect(pass(readRegType, { id: 20, ...type }).values).toEqual({
    source_id: '20',
    name,
    name_folded: folded,
  })
})
