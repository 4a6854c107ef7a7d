import { describe, expect, test } from 'vitest'
import { failureIn, isStatement, saidIn } from '../../../../pipeline/sources/contract/said.ts'
import { type JsonObject, parseJson } from '../../../../transforms/rules/values.ts'

const headersOf = (headers: Readonly<Record<string, string>>) => ({
  get: (name: string) => headers[name] ?? null,
})
const saidOf = (members: string, headers: Readonly<Record<string, string>> = {}) =>
  saidIn(parseJson(members) as JsonObject, headersOf(headers))

describe('an error that an answer reports beside its list [R2]', () => {
  test.each([
    ['{"error":"timeout"}', 'error'],
    ['{"Error":{"code":7}}', 'Error'],
    ['{"errors":[{"message":"x"}]}', 'errors'],
    ['{"@odata.error":"x"}', '@odata.error'],
    ['{"a":1,"errors":true}', 'errors'],
    ['{"error":500}', 'error'],
    ['{"_meta":{"errors":["shard 3"]}}', 'errors'],
    ['{"meta":{"page":{"error":"x"}}}', 'error'],
  ])('an error beside the list of an answer is found in %s', (members, key) => {
    expect(failureIn(parseJson(members) as JsonObject)).toBe(key)
  })

  test.each([
    ...['{}', '{"error":null}', '{"error":""}', '{"error":" "}', '{"errors":[]}', '{"errors":{}}'],
    ...['{"error":false}', '{"errors":0}', '{"errorCount":3}', '{"warnings":["x"]}'],
    '{"_links":{"errors":{"href":"/errors"}}}',
  ])('no error is found in %s', (members) => {
    expect(failureIn(parseJson(members) as JsonObject)).toBeNull()
  })
})

describe('the declared number of records is the largest number that an answer states', () => {
  test.each<[string, Record<string, string>, number | null]>([
    ['{"@odata.count":40}', {}, 40],
    ['{"odata.count":"40"}', {}, 40],
    ['{"Count":4e1}', {}, 40],
    ['{"count":7,"total":40}', {}, 40],
    ['{"meta":{"total_count":40}}', {}, 40],
    ['{"pagination":{"totalRecords":" 40 "}}', {}, 40],
    ['{"meta":{"pagination":{"page":1,"pageSize":10,"total":40}}}', {}, 40],
    ['{"meta":{"page":{"total":40}}}', {}, 40],
    ['{"totalSize":40}', {}, 40],
    ['{"hydra:totalItems":40}', {}, 40],
    ['{"total":{"value":40,"relation":"eq"}}', {}, 40],
    ['{}', { pagination: '{"totalItems":40}' }, 40],
    ['{}', { 'x-total-count': '40, 40' }, 40],
    ['{}', { 'x-total-count': '40' }, 40],
    ['{}', { 'x-pagination-total-count': '40' }, 40],
    ['{}', { 'x-wp-total': '40' }, 40],
    ['{}', { 'content-range': 'items 0-9/40' }, 40],
    ['{}', { 'x-pagination': '{"TotalCount":40,"PageSize":10}' }, 40],
    ['{"@odata.count":null,"count":-1,"total":2.5}', { 'x-total-count': 'many' }, null],
    ['{"count":{},"total":[40],"counter":40}', { 'content-range': 'items 0-9/*' }, null],
    ['{"count":true,"total":""}', { 'x-pagination': '{', 'content-range': 'bytes 0-9/40' }, null],
  ])('%s %j', (members, headers, records) => {
    expect(saidOf(members, headers).records).toBe(records)
  })
})

test.each([
  ...['total', 'totalCount', 'total_count', 'totalRecords', 'totalItems', 'totalElements', 'count', 'Total'],
  ...['total_results', 'recordCount', 'results_count', 'totalSessions', 'total_sessions', 'sessionCount'],
  ...['sessions_total', 'sessions@odata.count', '@odata.count'],
  ...['meta', 'pagination', 'page', 'paging', 'pager', 'result_info'].map((key) => `${key}.total`),
])('the number of records is found under %s beside a list that the source names', (path) => {
  const [key = '', inner] = path.endsWith('.total') ? path.split('.') : [path]
  expect(isStatement(key, 'sessions', false)).toBe(true)
  const members = { [key]: inner === undefined ? 40 : { [inner]: 40 } }
  expect(saidIn(members, headersOf({}), 'sessions').records).toBe(40)
})

test.each(['totalSpeakers', 'speakers@odata.count', 'speaker_count', 'sessions', 'name', 'totally'])(
  'the number under %s is not the number of sessions',
  (key) => {
    expect(isStatement(key, 'sessions', false)).toBe(false)
    expect(saidIn({ [key]: 40 }, headersOf({}), 'sessions').records).toBeNull()
  },
)

test.each<[string, Record<string, string>, number | null]>([
  ['{"pageCount":3}', {}, 3],
  ['{"_meta":{"pageCount":3,"perPage":10,"totalCount":20}}', {}, 3],
  ['{}', { 'x-wp-totalpages': '3', 'x-total-pages': '2' }, 3],
  ['{}', { 'x-pagination-page-count': '3' }, 3],
  ['{"meta":{"pagination":{"pageCount":3}}}', {}, 3],
  ['{}', { link: '</x?page=1>; rel=first, </x?page=3>; rel="last"' }, 3],
  ['{}', { link: '</x?page=last>; rel="last"' }, null],
  // A total of 21 records needs three pages of ten records.
  ['{"_meta":{"pageCount":3,"perPage":10,"totalCount":21}}', {}, null],
  ['{}', { 'x-pagination-page-count': '3', 'x-pagination-per-page': '10', 'x-total-count': '30' }, null],
])(
  'the declared number of pages counts only if it allows more than the declared records: %s %j',
  (members, headers, pages) => {
    expect(saidOf(members, headers).pages).toBe(pages)
  },
)

describe('a sign that more records follow', () => {
  test.each<[string, Record<string, string>, string]>([
    ['{"hasMore":true}', {}, 'hasMore'],
    ['{"has_more":"true"}', {}, 'has_more'],
    ['{"IsTruncated":true}', {}, 'IsTruncated'],
    ['{"has_more":"1"}', {}, 'has_more'],
    ['{"HasMore":"Yes"}', {}, 'HasMore'],
    ['{"meta":{"pagination":{"links":{"next":"/x"}}}}', {}, 'next'],
    ['{"links":[{"rel":"self","href":"/x"},{"rel":"next","href":"/y"}]}', {}, 'next'],
    ['{"nextRecordsUrl":"/y"}', {}, 'nextRecordsUrl'],
    ['{"metadata":{"continue":"x"}}', {}, 'continue'],
    ['{"exceededTransferLimit":true}', {}, 'exceededTransferLimit'],
    ['{"incomplete_results":true}', {}, 'incomplete_results'],
    ['{"done":false}', {}, 'done'],
    ['{"last":false}', {}, 'last'],
    ['{"nextPageToken":"x"}', {}, 'nextPageToken'],
    ['{"continuationToken":"x"}', {}, 'continuationToken'],
    ['{"next_cursor":7}', {}, 'next_cursor'],
    ['{"@odata.nextLink":"/x?a=1"}', {}, '@odata.nextLink'],
    ['{"_links":{"next":{"href":"/x"}}}', {}, 'next'],
    ['{"pageInfo":{"hasNextPage":true}}', {}, 'hasNextPage'],
    ['{"LastEvaluatedKey":{"id":1}}', {}, 'LastEvaluatedKey'],
    ['{}', { link: '</x?page=2>; rel=next' }, 'Link: rel=next'],
    ['{}', { 'x-next-page': '2' }, 'x-next-page'],
    ['{}', { 'x-has-more': 'true' }, 'x-has-more'],
    ['{}', { 'x-pagination': '{"HasNext":true}' }, 'HasNext'],
  ])('is found in %s %j', (members, headers, more) => {
    expect(saidOf(members, headers).more).toBe(more)
  })

  test.each<[string, Record<string, string>]>([
    ['{"hasMore":false,"isTruncated":"false","done":true,"last":true,"next":null}', {}],
    ['{"nextPageToken":"","continuationToken":null,"next_cursor":0}', {}],
    ['{"has_more":"0","HasMore":" No ","more":{"a":1},"links":[{"rel":"next","href":""},"next"]}', {}],
    ['{"@odata.nextLink":{},"nextLink":[],"next_url":7}', {}],
    ['{"_links":{"self":{"href":"/x"},"next":{"href":null},"last":{"href":"/y"}}}', {}],
    ['{"nextEvent":"x","more_info":"x"}', { link: '</x?page=1>; rel=prev', 'x-next-page': '' }],
    ['{}', { 'x-has-more': 'false', 'x-next-page': ' 0 ' }],
  ])('is not found in %s %j', (members, headers) => {
    expect(saidOf(members, headers)).toMatchObject({ more: null, next: null })
  })

  test.each<[string, Record<string, string>, string | null]>([
    ['{"@odata.nextLink":"/x?a=1"}', {}, '/x?a=1'],
    ['{"next_page_token":"nell@x.example"}', {}, null],
    ['{"_links":{"next":{"href":" /x "}}}', {}, '/x'],
    ['{}', { link: '</x?page=2>; rel=next' }, '/x?page=2'],
  ])('may be a link: %s %j', (members, headers, next) => {
    expect(saidOf(members, headers).next).toBe(next)
  })
})
