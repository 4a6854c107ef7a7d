import { expect, test } from 'vitest'
import type { WorkerProcess } from './commands.ts'
import { overlaps } from './judge.ts'

/**
 * Makes a worker that has logged these lines, for example `10 step, 30 done`. If an end time is given, the
 * worker was killed at that time.
 */
function worker(pid: number, log: string, endedAtMs: number | null) {
  const lines = log.split(', ').map((line) => {
    const [, atMs, msg = ''] = /^(\d+) (.*)$/.exec(line) ?? []
    return { integration: 'summit', atMs: Number(atMs), msg }
  })
  return { pid, lines, endedAtMs: () => endedAtMs } as unknown as WorkerProcess
}

test('if workers run an integration one after another, no fault is found, even if a worker was killed or found the integration locked', () => {
  const first = worker(1, '10 job begun, 20 step, 30 done, 40 step, 50 at', 60)
  const second = worker(2, '45 job begun, 46 job ended, 61 step, 70 done', 100)
  expect(overlaps([first, second])).toEqual({ held: 3, faults: [] })
})

test('if two workers run an integration at the same time, a fault is found, whichever worker ends first', () => {
  const first = worker(1, '10 step, 90 done', null)
  const second = worker(2, '60 step, 70 done', 100)
  expect(overlaps([first, second]).faults).toEqual(['summit was run by 1 and 2 at once for 30 ms'])
  expect(overlaps([second, first]).faults).toHaveLength(1)
})
