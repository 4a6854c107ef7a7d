import { expect, test } from 'vitest'
import { HttpFault, ReadError } from '../../../pipeline/http/read-error.ts'
import {
  type Ending,
  type Page,
  type ReadPage,
  SourceMovedError,
} from '../../../pipeline/sources/contract/source.ts'
import { watchedPages } from '../../../pipeline/sources/watched-pages.ts'

const url = new URL('https://source.example/list')
const said = { records: null, total: null, pages: null, next: null, more: null }
const pageOf = (elements: number): Page => ({
  ...{ elements, first: null, last: null, ids: [], versions: [], twice: 0, members: {}, form: 'list', said },
})
const LAST_LINK: Ending = { proof: 'last link', declared: null }

/** Makes pages with these numbers of records, or errors in their place. */
function pagesOf(...answers: readonly (number | Error)[]) {
  let number = 0
  return watchedPages('Fair', async () => {
    const answer = answers[number] ?? 0
    number += 1
    await Promise.resolve()
    if (answer instanceof Error) throw answer
    return pageOf(answer)
  })
}

const fault = (status: number | null) =>
  new HttpFault(`answered ${status}`, { kind: status === null ? 'connection' : 'status', status })
const readAll = async (readPage: ReadPage, count: number) => {
  for (let page = 0; page < count; page += 1) await readPage(url, null).catch(() => undefined)
}

test.each([
  ['status 500', fault(500)],
  ['status 403', fault(403)],
  ['a broken connection', fault(null)],
  ['an answer without a list', new ReadError('no list')],
])('if `readToEnd` hides that a page could not be read, with %s, the read fails', async (_, error) => {
  const pages = pagesOf(2, error)
  await readAll(pages.readPage, 2)
  expect(() => pages.requireAllRead(LAST_LINK)).toThrow(error)
})

test.each([
  ['status 404', fault(404)],
  ['an end of overlapping pages', new SourceMovedError('the last element read is gone')],
])('`readToEnd` may take %s for the end of a list', async (_, error) => {
  const pages = pagesOf(2, error)
  await readAll(pages.readPage, 2)
  pages.requireAllRead({ proof: 'empty page', declared: null })
})

test('pages that are requested at the same time, which would mix their records, fail the read', async () => {
  const pages = pagesOf(2, 2)
  const results = await Promise.allSettled([pages.readPage(url, null), pages.readPage(url, null)])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  expect(() => pages.requireAllRead(LAST_LINK)).toThrow(
    '`readToEnd` of Fair requested a page before the page before was read: await each call of `readPage`',
  )
})

test('if `readToEnd` does not wait for its last page, the read fails', async () => {
  const pages = pagesOf(2)
  const last = pages.readPage(url, null)
  expect(() => pages.requireAllRead(LAST_LINK)).toThrow('returned before all its pages were read: await')
  await last
  pages.requireAllRead(LAST_LINK)
})

test.each<[Ending, string]>([
  [{ proof: 'total met', declared: null }, 'returned `total met` without a total'],
  [{ proof: 'empty page', declared: 2 }, 'returned `empty page`, but its last page has records'],
])('a proof that does not fit the pages fails the read: %j', async (ending, message) => {
  const pages = pagesOf(2)
  await readAll(pages.readPage, 1)
  expect(() => pages.requireAllRead(ending)).toThrow(message)
})
