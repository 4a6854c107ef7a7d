import { expect, test } from 'vitest'
import { questionsFor } from '../../../pipeline/extract/resource/ask-for-ids.ts'

const SEARCHABLE = { changes: { key: 'updated_at', isAsked: false, isStaged: false } }
const numbered = (count: number, length: number) =>
  Array.from({ length: count }, (_, index) => String(index + 1).padStart(length, '0'))
const ask = (ids: readonly string[], known: readonly string[] = ['first', 'last'], mostQuestions = 1000) =>
  questionsFor(SEARCHABLE, { ids, known, mostQuestions })

test('each request for ids starts and ends with a known id; if only one id is known, the request starts with this id', () => {
  expect(ask(['b', 'a'])).toEqual([['first', 'a', 'b', 'last']])
  expect(ask(['a'], ['only'])).toEqual([['only', 'a']])
})

test.each([
  [98, 8, [100]],
  [99, 8, [100, 3]],
  [250, 36, [100, 100, 56]],
])(
  '%i ids of %i characters are requested in groups of at most 100 ids, including the known ids',
  (count, length, sizes) => {
    expect(ask(numbered(count, length)).map((question) => question.length)).toEqual(sizes)
  },
)

test.each([8, 36, 64])(
  'each id of %i characters is requested once, and no address of a request gets too long',
  (length) => {
    const ids = numbered(300, length)
    const known = numbered(2, length).map((id) => `k${id.slice(1)}`)
    const questions = ask(ids, known)
    expect(questions.flatMap((question) => question.slice(1, -1))).toEqual(ids)
    for (const question of questions) {
      const url = new URL('https://source.example/api/v1/registrants.json')
      url.searchParams.set('search', `id=*in*${question.join('|')}`)
      expect(url.href.length).toBeLessThan(4200)
    }
  },
)

test('no ids are requested if this needs too many requests, no id is known, an id needs escaping, or the source has no search', () => {
  expect(ask(numbered(98 * 2, 4), undefined, 2)).toHaveLength(2)
  expect(ask(numbered(98 * 2 + 1, 4), undefined, 2)).toEqual([])
  expect(ask(['a'], [])).toEqual([])
  for (const id of ['a b', 'a|b', 'a,b', '', 'ä', 'x'.repeat(65)]) {
    expect(ask(['a', id])).toEqual([])
    expect(ask(['a'], [id])).toEqual([])
  }
  expect(questionsFor({}, { ids: ['a'], known: ['b'], mostQuestions: 1 })).toEqual([])
  expect(ask([])).toEqual([])
})
