import { expect, test } from 'vitest'
import { atSource, shownLink } from '../../../../pipeline/sources/contract/next-link.ts'

const from = new URL('http://a.example:8080/base/api/v1/4242/Users?$top=10')

test.each([
  ['?$skip=5', '/base/api/v1/4242/Users?$skip=5'],
  ['http://a.example:8080/base/api/v1/4242/Users?x=1', '/base/api/v1/4242/Users?x=1'],
  ['https://a.example/base/api/v1/4242/Users?x=1', '/base/api/v1/4242/Users?x=1'],
  ['http://internal:9/base/api/v1/4242/Users?x=1', '/base/api/v1/4242/Users?x=1'],
  ['//other.example/BASE/Api/V1/4242/users?x=1', '/base/api/v1/4242/Users?x=1'],
  ['/base/api/v1/4242/users/Page2?X=1', '/base/api/v1/4242/Users/Page2?X=1'],
  ['/base/api/v1/4242/Users/?x=1', '/base/api/v1/4242/Users/?x=1'],
])('the next link %s is read at the address of the source', (link, path) => {
  expect(atSource(link, from)?.href).toBe(`http://a.example:8080${path}`)
})

test.each([
  ['/base/api/v1/4242/Sessions?id=7', 'http://a.example:8080/base/api/v1/4242/Sessions'],
  ['/base/api/v1/4242/UsersOfOthers', 'http://a.example:8080/base/api/v1/4242/UsersOfOthers'],
  ['https://other.example/api/v1/4242/Users?token=7', 'https://other.example/api/v1/4242/Users'],
  ['/base/api/v1/4242/Users/..%2fSessions', 'http://a.example:8080/base/api/v1/4242/Users/..%2fSessions'],
  ['http://u:p@a.example:8080/base/api/v1/4242/Users', 'http://a.example:8080/base/api/v1/4242/Users'],
  ['file:///base/api/v1/4242/Users', 'file:///base/api/v1/4242/Users'],
  ['http://[', 'no whole address'],
])('the next link %s is refused, and shown without query and credentials', (link, shown) => {
  expect(atSource(link, from)).toBeNull()
  expect(shownLink(link, from)).toBe(shown)
})

test('a page below the address of its resource may link to another page; a relative link starts at the address of the page', () => {
  const page = new URL('http://a.example:8080/base/api/v1/4242/Users/page/1')
  const pathOf = (link: string) => atSource(link, from, page)?.pathname
  expect(pathOf('/base/api/v1/4242/Users/page/2')).toBe('/base/api/v1/4242/Users/page/2')
  expect(pathOf('2')).toBe('/base/api/v1/4242/Users/page/2')
  expect(pathOf('../?$skip=5')).toBe('/base/api/v1/4242/Users/')
  expect(pathOf('../../Sessions')).toBeUndefined()
})
