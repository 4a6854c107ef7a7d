import { expect, test } from 'vitest'
import { grows, type Measured } from './growth.ts'

const series = (memoryOf: (place: number) => number, more: Partial<Measured> = {}) =>
  Array.from({ length: 40 }, (_, place) => ({
    runs: place,
    memoryMb: memoryOf(place),
    handles: 30,
    threads: 11,
    connections: 4,
    ...more,
  }))

test('memory that breathes does not grow', () => {
  expect(grows(series((place) => 180 + (place % 5) * 12))).toEqual([])
})

test('nor does what is needed until everything is warm', () => {
  expect(grows(series((place) => (place < 8 ? 100 + place * 10 : 180)))).toEqual([])
})

test('a leak does', () => {
  expect(grows(series((place) => 180 + place * 5))).toEqual(['memoryMb grew from 255 to 355'])
})

test('so do handles, one for every other run', () => {
  const leaking = series(() => 180).map((one, place) => ({ ...one, handles: 30 + Math.floor(place / 2) }))
  expect(grows(leaking)).toEqual(['handles grew from 35 to 45'])
})

test('a worker that does nothing proves nothing', () => {
  expect(grows(series(() => 180, { runs: 3 }))).toEqual(['no run was finished meanwhile'])
  expect(grows(series(() => 180).slice(0, 7))).toEqual(['too few measurements to tell'])
})
