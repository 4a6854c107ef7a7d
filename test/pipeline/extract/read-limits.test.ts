import { describe, expect, test } from 'vitest'
import type { IncomingRow } from '../../../loaders/staging/incoming.ts'
import { answerReader } from './read-in-memory.ts'
import { failedRead } from './requests.ts'
import { useServers } from './use-servers.ts'

const { start } = useServers()

/**
 * Reads one answer that consists of these records. `written` returns how many of the records a run would have
 * written.
 */
async function read(records: readonly string[], http: Readonly<Record<string, number>> = {}) {
  const server = await start((_, response) => response.end(`[${records.join(',')}]`))
  let written = 0
  const readAnswer = answerReader(server.url, http, () => {
    written += 1
  })
  return { outcome: readAnswer(''), written: () => written, again: readAnswer }
}

const good = (count: number) => Array.from({ length: count }, (_, index) => `{"Id":${index + 1}}`)
const bad = (count: number) => Array.from({ length: count }, () => '{}')

describe('http.maxRecords limits the records of a resource', () => {
  test('if there are as many records as http.maxRecords allows, they are all read', async () => {
    const { outcome } = await read(good(50), { maxRecords: 50 })
    expect((await outcome).totals.elements).toBe(50)
  })

  test('if there is one record more than http.maxRecords allows, the read fails', async () => {
    const { outcome, written } = await read(good(51), { maxRecords: 50 })
    expect(await failedRead(outcome)).toMatchObject({
      message:
        'the source returned more records than http.maxRecords (50): check what it returns, or raise the limit',
      retryable: false,
    })
    expect(written()).toBe(50)
  })
})

test('records that are read again only for a comparison do not count again', async () => {
  const { outcome, again } = await read(good(50), { maxRecords: 60 })
  await outcome
  expect((await again('', 'compared')).totals.elements).toBe(50)
})

test('http.maxBytes limits the size of all answers of a resource together', async () => {
  const { outcome, again } = await read(good(10), { maxBytes: 250 })
  await outcome
  await again('')
  expect(await failedRead(again(''))).toMatchObject({
    message:
      'the source returned more bytes than http.maxBytes (250): check what it returns, or raise the limit',
    retryable: false,
  })
})

test('an answer larger than http.maxResponseBytes fails at once [spec 8 p1]', async () => {
  const { outcome } = await read([`{"Id":1,"Biography":"${'x'.repeat(500_000)}"}`], {
    maxResponseBytes: 100_000,
  })
  expect(await failedRead(outcome)).toMatchObject({
    message: 'the answer is larger than http.maxResponseBytes (100000): check source.url, or raise the limit',
    retryable: false,
  })
})

describe('a record larger than http.maxRecordBytes is quarantined, and the others are read [R51]', () => {
  const LIMIT = 100_000
  const fault = { path: '$', message: `larger than http.maxRecordBytes (${LIMIT})` }
  async function rowsOf(...records: readonly string[]) {
    const rows: IncomingRow[] = []
    const server = await start((_, response) => response.end(`[${records.join(',')}]`))
    await answerReader(server.url, { maxRecordBytes: LIMIT }, (row) => rows.push(row))('')
    return rows
  }
  const text = (length: number) => 'x'.repeat(length)

  test.each<[string, string, string | null]>([
    ['in many pieces', `{"Id":7,"Biography":"${text(500_000)}"}`, '7'],
    ['with its id at the end', `{"Biography":"${text(500_000)}","Id":"7"}`, '7'],
    ['without an id', `{"Biography":"${text(500_000)}"}`, null],
    [
      'with an e-mail address instead of an id',
      `{"Biography":"${text(500_000)}","EmailAddress":"A@b.example"}`,
      'a@b.example',
    ],
    ['with an id that is too long', `{"Id":"${text(200_000)}","EmailAddress":"a@b.example"}`, null],
    ['above the limit by one byte', `{"Id":7,"Biography":"${text(LIMIT - 22)}"}`, '7'],
    [
      'above the limit in bytes, but not in characters',
      `{"Id":7,"Biography":"${'é'.repeat(LIMIT / 2)}"}`,
      '7',
    ],
    ['with 200,000 members in front of its id', `{${'"a":1,'.repeat(200_000)}"Id":7}`, '7'],
  ])('%s', async (_, record, sourceId) => {
    const rows = await rowsOf('{"Id":1}', record, '{"Id":2}')
    expect(rows.map((row) => row.sourceId)).toEqual(['1', sourceId, '2'])
    expect(rows[1]).toMatchObject({ fault, doc: null, values: [] })
    expect(rows.filter((row) => row.fault !== null)).toHaveLength(1)
  })

  test('a record of exactly http.maxRecordBytes is read', async () => {
    const [row] = await rowsOf(`{"Id":7,"Biography":"${text(LIMIT - 23)}"}`)
    expect(row).toMatchObject({ sourceId: '7', fault: null })
  })

  test('a large record with an id has the same version after a change, and two large records never have the same version', async () => {
    const hashOf = async (record: string) => (await rowsOf(record))[0]?.versionHash
    const first = await hashOf(`{"Id":7,"Biography":"${text(500_000)}"}`)
    expect(await hashOf(`{"Biography":"${text(100_100)}","Id":7,"Title":"new"}`)).toBe(first)
    expect(await hashOf(`{"Id":8,"Biography":"${text(500_000)}"}`)).not.toBe(first)
    const nameless = await hashOf(`{"Biography":"${text(500_000)}","Title":"one"}`)
    expect(await hashOf(`{"Biography":"${text(500_000)}","Title":"other"}`)).not.toBe(nameless)
  })
})

describe('a read fails early if nearly all of the first 2000 records cannot be read', () => {
  test.each([
    [1900, '95 of 100'],
    [2000, 'all of them'],
  ])('%d unreadable records fail the read: %s', async (count) => {
    const { outcome, written } = await read([...good(2000 - count), ...bad(count), ...bad(100_000)])
    expect(await failedRead(outcome)).toMatchObject({
      message: `${count} of the first 2000 records cannot be read; the first: no id ($.Id): correct this in the records, or in the rule that the message names`,
      retryable: false,
    })
    expect(written()).toBe(2000)
  })

  test.each([
    ['fewer than 95 of 100', [...good(101), ...bad(1899), ...bad(2000)], 4000],
    ['fewer than 2000 records', bad(1999), 1999],
  ])('unreadable records are quarantined one by one if there are %s', async (_, records, elements) => {
    const { outcome } = await read(records)
    expect((await outcome).totals.elements).toBe(elements)
  })
})
