import { expect, test } from 'vitest'
import { HttpFault } from '../../../../pipeline/http/read-error.ts'
import { makePageSize } from '../../../../pipeline/sources/a/page-size.ts'
import { type Page, type ReadPage, SourceMovedError } from '../../../../pipeline/sources/contract/source.ts'

const page = {} as Page
const refused = () => new HttpFault('answered 400', { kind: 'status', status: 400 })
const address = (top: number) => new URL(`http://a.example/Users?$top=${top}&$skip=0`)

/**
 * Makes a reader that refuses pages with more than `most` records. `asked` contains the requested page sizes.
 */
function reading(most: number, end: () => Page = () => page) {
  const asked: number[] = []
  const read: ReadPage = async (url) => {
    const top = Number(url.searchParams.get('$top'))
    asked.push(top)
    if (top > most) throw refused()
    return end()
  }
  return { asked, read }
}

test('a page size that works for one resource is used for all other resources, and the report states it [R9]', async () => {
  const size = makePageSize()
  expect([size.current(), size.notes()]).toEqual([1000, []])
  const first = reading(100)
  await size.reading(first.read)(address(1000), null)
  expect(first.asked).toEqual([1000, 500, 250, 100])
  const second = reading(100)
  await size.reading(second.read)(address(size.current()), null)
  expect(second.asked).toEqual([100])
  expect(size.notes()).toEqual([
    'the source refused $top=1000 with 400, so it was read in pages of 100 records',
  ])
})

test('a page size that works is kept even if the source has changed; if every size is refused, the size does not change', async () => {
  const size = makePageSize()
  const moved = reading(500, () => {
    throw new SourceMovedError('moved')
  })
  await expect(size.reading(moved.read)(address(1000), null)).rejects.toThrow('moved')
  expect([size.current(), moved.asked]).toEqual([500, [1000, 500]])
  const other = makePageSize()
  await expect(other.reading(reading(0).read)(address(1000), null)).rejects.toThrow(
    /^answered 400: .*smaller pages were refused too$/,
  )
  expect([other.current(), other.notes()]).toEqual([1000, []])
})

test.each([
  ['another status', address(1000), new HttpFault('answered 404', { kind: 'status', status: 404 })],
  ['a link with a size of its own', address(77), refused()],
])('%s is not requested again with a smaller page size', async (_, url, fault) => {
  let requests = 0
  const read: ReadPage = async () => {
    requests += 1
    throw fault
  }
  await expect(makePageSize().reading(read)(url, null)).rejects.toBe(fault)
  expect(requests).toBe(1)
})
