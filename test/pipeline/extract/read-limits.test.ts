import { describe, expect, test } from 'vitest'
import { answerReader } from './read-in-memory.ts'
import { failedRead } from './requests.ts'
import { useServers } from './use-servers.ts'

const { start } = useServers()

/** Reads one answer with these records, and tells how many of them would have been written. */
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

describe('a resource has at most http.maxRecords records', () => {
  test('as many are read', async () => {
    const { outcome } = await read(good(50), { maxRecords: 50 })
    expect((await outcome).totals.elements).toBe(50)
  })

  test('one more fails the read', async () => {
    const { outcome, written } = await read(good(51), { maxRecords: 50 })
    expect(await failedRead(outcome)).toMatchObject({
      message:
        'the source returned more records than http.maxRecords (50): check what it returns, or raise the limit',
      retryable: false,
    })
    expect(written()).toBe(50)
  })
})

test('what one answer may be, many may be no more than http.maxBytes together', async () => {
  const { outcome, again } = await read(good(10), { maxBytes: 250 })
  await outcome
  await again('')
  expect(await failedRead(again(''))).toMatchObject({
    message:
      'the source returned more bytes than http.maxBytes (250): check what it returns, or raise the limit',
    retryable: false,
  })
})

test.each([
  [
    'maxResponseBytes',
    'the answer is larger than http.maxResponseBytes (100000): check source.url, or raise the limit',
  ],
  [
    'maxRecordBytes',
    'a record is larger than http.maxRecordBytes (100000): raise the limit if records may be that large',
  ],
])('an answer larger than http.%s allows fails at once [spec 8 p1]', async (name, message) => {
  const { outcome } = await read([`{"Id":1,"Biography":"${'x'.repeat(500_000)}"}`], { [name]: 100_000 })
  expect(await failedRead(outcome)).toMatchObject({ message, retryable: false })
})

describe('where nearly all of the first 2000 records cannot be read, the rest is not waited for', () => {
  test.each([
    [1900, 'with 95 of 100'],
    [2000, 'with all of them'],
  ])('%d: %s', async (count) => {
    const { outcome, written } = await read([...good(2000 - count), ...bad(count), ...bad(100_000)])
    expect(await failedRead(outcome)).toMatchObject({
      message: `${count} of the first 2000 records cannot be read: check that the records have ids`,
      retryable: false,
    })
    expect(written()).toBe(2000)
  })

  test.each([
    ['fewer of them', [...good(101), ...bad(1899), ...bad(2000)], 4000],
    ['fewer records', bad(1999), 1999],
  ])('%s are quarantined one by one', async (_, records, elements) => {
    const { outcome } = await read(records)
    expect((await outcome).totals.elements).toBe(elements)
  })
})
