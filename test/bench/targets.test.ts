import { expect, test } from 'vitest'
import type { Measurement } from './measurement.ts'
import { medians } from './results.ts'
import { judge } from './targets.ts'

const line = (
  table: string,
  what: string,
  registrants: number,
  values: Measurement['values'],
): Measurement => ({
  table,
  what,
  registrants,
  values,
})

test('of three rounds the one in the middle counts, value by value', () => {
  const rounds = [3, 1, 2].map((seconds) => line('t', 'w', 10, { seconds, peakMb: -seconds }))
  expect(medians([...rounds, line('t', 'w', 20, { seconds: 9 })])).toEqual([
    line('t', 'w', 10, { seconds: 2, peakMb: -2 }),
    line('t', 'w', 20, { seconds: 9 }),
  ])
})

test('the largest size is judged, and growth against a tenth of it', () => {
  const measured = [
    line('extract and stage', 'plan', 100, { timesCopy: 9, stagedSeconds: 1, overIdleMb: 100 }),
    line('extract and stage', 'plan', 1000, { timesCopy: 1.9, stagedSeconds: 12.1, overIdleMb: 109 }),
    line('runs', 'unchanged run', 1000, {
      stagingRowsWritten: 1,
      withoutPackTimesExtract: 2,
      overIdleMb: 161,
    }),
  ]
  expect(judge(measured).map(({ target, seen, met }) => [target, seen, met])).toEqual([
    ['extract and stage: at most 2 times COPY, the two steps', '1.9 (plan)', true],
    ['peak memory: at most 160 MB over idle', '161 (unchanged run)', false],
    ['peak memory over idle: at most 1.1 times that of a tenth', '1.61 (unchanged run)', false],
    ['unchanged run: no row written to staging', '1 (unchanged run)', false],
    ['unchanged run without the pack: at most 2 times extract', '2 (unchanged run)', true],
    ['time per record: at most 1.2 times that of a tenth', '1.21 (plan)', false],
  ])
})

test('a pack is judged where it has a million rows, and a request more than the least is one too many', () => {
  const measured = [
    line('audit pack', 'export', 10, { rows: 999_999, rowsPerSecond: 1 }),
    line('audit pack', 'export', 100, { rows: 1_000_000, rowsPerSecond: 100_000 }),
    line('requests', 'source B', 10, { requests: 5, leastRequests: 5, refused: 0 }),
    line('requests', 'source A', 10, { requests: 6, leastRequests: 5, refused: 0 }),
    line('requests', 'source C', 10, { requests: 5, leastRequests: 5, refused: 1 }),
  ]
  expect(judge(measured).map(({ registrants, met }) => [registrants, met])).toEqual([
    [100, true],
    [10, true],
    [10, false],
    [10, false],
  ])
})
