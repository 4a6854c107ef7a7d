import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isRunId, makeRunId } from '../../../pipeline/runtime/run-id.ts'

const ZEROS = new Uint8Array(10)
const ONES = new Uint8Array(10).fill(255)

test('a run id contains the time, then version, variant and random bits', () => {
  // Example of RFC 9562, appendix A.6: 1645557742000 ms is 017f22e2-79b0, with random bits cc3 and
  // 18c4dc0c0c07398f.
  const random = Uint8Array.from([0x0c, 0xc3, 0x18, 0xc4, 0xdc, 0x0c, 0x0c, 0x07, 0x39, 0x8f])
  expect(makeRunId(1645557742000, random, null)).toBe('017f22e2-79b0-7cc3-98c4-dc0c0c07398f')
  expect(makeRunId(0, ZEROS, null)).toBe('00000000-0000-7000-8000-000000000000')
  expect(makeRunId(0, ONES, null)).toBe('00000000-0000-7fff-bfff-ffffffffffff')
})

test('a new run id is greater than the last run id, even in the same millisecond or after the clock was set back', () => {
  const last = makeRunId(1_900_000_000_000, ONES, null)
  for (const now of [1_900_000_000_000, 1_800_000_000_000, 0]) {
    const next = makeRunId(now, ZEROS, last)
    expect(next > last).toBe(true)
    expect(next.slice(0, 13)).toBe(makeRunId(1_900_000_000_001, ZEROS, null).slice(0, 13))
  }
  expect(makeRunId(1_900_000_000_002, ZEROS, last).slice(0, 13)).toBe(
    makeRunId(1_900_000_000_002, ZEROS, null).slice(0, 13),
  )
})

test('every id is valid and unique, and ids sort in the order of the runs', () => {
  const bytes = fc.uint8Array({ minLength: 10, maxLength: 10 })
  const time = fc.integer({ min: 0, max: 2 ** 48 - 10 })
  fc.assert(
    fc.property(fc.array(fc.tuple(time, bytes), { minLength: 1, maxLength: 5 }), (runs) => {
      const ids: string[] = []
      for (const [now, random] of runs) ids.push(makeRunId(now, random, ids.at(-1) ?? null))
      for (const id of ids) expect(isRunId(id)).toBe(true)
      expect(ids.toSorted()).toEqual(ids)
      expect(new Set(ids).size).toBe(ids.length)
    }),
  )
})

test.each([
  ['', false],
  ['01a1fda0-0000-7000-8000-000000000001', true],
  ['01A1FDA0-0000-7000-8000-000000000001', false],
  ['01a1fda0-0000-4000-8000-000000000001', false],
  ['01a1fda0-0000-7000-c000-000000000001', false],
  ['01a1fda0-0000-7000-8000-000000000001\n', false],
])('%j is a run id (true or false): %s', (text, is) => {
  expect(isRunId(text)).toBe(is)
})
