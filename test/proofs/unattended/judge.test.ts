import { expect, test } from 'vitest'
import type { WorkerProcess } from './commands.ts'
import { overlaps } from './judge.ts'

/**
 * Makes a worker that logged these lines, for example `10 step, 30 done`, and was killed at the end time, if
 * given.
 */
function worker(pid: number, log: string, endedAtMs: number | null) {
  const lines = log.split(', ').map((line) => {
    const [, atMs, msg = ''] = /^(\d+) (.*)$/.exec(line) ?? []
    return { integration: 'summit', atMs: Number(atMs), msg }
  })
  return { pid, lines, endedAtMs: () => endedAtMs } as unknown as WorkerProcess
}

test('workers one after another are not a fault, even if one was killed or found the integration locked', () => {
  const first = worker(1, '10 job begun, 20 step, 30 done, 40 step, 50 at', 60)
  const second = worker(2, '45 job begun, 46 job ended, 61 step, 70 done', 100)
  expect(overlaps([first, second])).toEqual({ held: 3, faults: [] })
})

test('two workers at once are a fault, whichever ends first', () => {
  const first = worker(1, '10 step, 90 done', null)
  const second = worker(2, '60 step, 70 done', 100)
  expect(overlaps([first, second]).faults).toEqual(['summit was run by 1 and 2 at once for 30 ms'])
  expect(overlaps([second, first]).faults).toHaveLength(1)
})
