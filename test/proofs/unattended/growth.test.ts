import { expect, test } from 'vitest'
import { grows, type Measured } from './growth.ts'

const series = (more: (place: number) => Partial<Measured>) =>
  Array.from({ length: 40 }, (_, place) => {
    return { runs: place, memoryMb: 180, handles: 30, threads: 11, connections: 4, ...more(place) }
  })

test.each<[string, (place: number) => Partial<Measured>, readonly string[]]>([
  ['memory that goes up and down', (place) => ({ memoryMb: 180 + (place % 5) * 12 }), []],
  ['warming up', (place) => (place < 8 ? { memoryMb: 100 + place * 10 } : {}), []],
  ['a leak', (place) => ({ memoryMb: 180 + place * 5 }), ['memoryMb grew from 255 to 355']],
  [
    'a handle for every other run',
    (place) => ({ handles: 30 + Math.floor(place / 2) }),
    ['handles grew from 35 to 45'],
  ],
  ['a worker that does nothing', () => ({ runs: 3 }), ['no run was finished meanwhile']],
])('%s', (_, more, faults) => {
  expect(grows(series(more))).toEqual(faults)
})

test('too few measurements', () => {
  expect(grows(series(() => ({})).slice(0, 7))).toEqual(['too few measurements to tell'])
})
