import { describe, expect, test } from 'vitest'
import { readRecordOf } from '../../../../pipeline/sources/contract/read-record.ts'
import type { Resource } from '../../../../transforms/declare/resource.ts'
import * as b from '../../../../transforms/source-b/resources.ts'
import { pass, take } from '../../extract/through-parser.ts'

const readerOf = (resource: Resource) => readRecordOf(resource, { timeZone: null, fields: {} })
const readRegistrant = readerOf(b.registrants)
const readRegType = readerOf(b.regTypes)
const parsers = [b.sessions, b.registrants, b.regTypes].map((one) => [one.name, readerOf(one)] as const)

describe.each(parsers)('a record of %s', (_, parser) => {
  test.each([
    ['null', '$', 'not an object'],
    ['"x"', '$', 'not an object'],
    ['{"id":""}', '$.id', 'no id'],
    ['{"Id":7,"ID":8}', '$.id', 'no id'],
    ['{"email":"ada@example.com","name":"Ada"}', '$.id', 'no id'],
    ['{"__proto__":{"id":1}}', '$.id', 'no id'],
    ['{"id":{"value":"ada@example.com"}}', '$.id', 'the id is not text'],
  ])('a record is quarantined, and the message contains none of its values: %s', (text, path, message) => {
    expect(take(parser, text)).toEqual({ path, message })
  })

  test.each([
    ['{"id":99999999999999999}', '99999999999999999'],
    ['{"id":" 007 "}', '007'],
    ['{"Id":1,"id":2}', '2'],
  ])('a record keeps its id as written: %s', (text, id) => {
    expect(pass(parser, text).values.source_id).toBe(id)
  })
})

describe('a registrant', () => {
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
  ])('gets its registrant type from reg_type_id %j [R18, R62]', (reg_type_id, id, value, folded) => {
    const { values } = pass(readRegistrant, { id: 1, reg_type_id })
    expect(values).toMatchObject({ reg_type_id: id, reg_type_value: value, reg_type_folded: folded })
  })

  test.each<[unknown, readonly string[], readonly string[]]>([
    [[2, '10', 1], ['1', '10', '2'], []],
    [[{ id: 2 }, { id: '1' }], ['1', '2'], []],
    ['3, 1,2', ['1', '2', '3'], []],
    [[{ name: 'x' }, 4], ['4'], ['left_out:session_ids']],
  ])('gets its sessions from session_ids %j [R19]', (session_ids, ids, warnings) => {
    const passed = pass(readRegistrant, { id: 1, session_ids })
    expect([passed.values.session_ids, passed.warnings]).toEqual([ids, warnings])
  })

  test.each<[string, string | null]>([
    ['" "', null],
    ['"0000-00-00 00:00:00"', null],
    ['"2031-01-02 03:04:05"', '2031-01-02 03:04:05'],
    ['1924905845', '1924905845'],
    ['{"at":1.0}', '{"at":1.0}'],
  ])('with cancelled_at %s has the cancellation %j [R67]', (value, cancelled) => {
    expect(pass(readRegistrant, `{"id":1,"cancelled_at":${value}}`).values.cancelled_at).toBe(cancelled)
  })
})

test.each<[Record<string, unknown>, string | null, string | null]>([
  [{ name: ' Speaker ' }, 'Speaker', 'speaker'],
  [{ name: 7 }, '7', '7'],
  [{ name: null }, null, null],
  [{}, null, null],
])('a registrant type gets its name from %j', (type, name, folded) => {
  expect(pass(readRegType, { id: 20, ...type }).values).toEqual({
    source_id: '20',
    name,
    name_folded: folded,
  })
})
