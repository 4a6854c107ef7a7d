import { expect, test } from 'vitest'
import { takeTurns } from '../../../pipeline/inspect/page-turns.ts'

/** A clock that moves only while a page is written and in `sleep`, and the pages that were written. */
function pagesOn() {
  const written: string[] = []
  let nowMs = 0
  let wake = () => {}
  const pages = takeTurns({
    monotonic: () => nowMs,
    sleep: (ms, signal) =>
      new Promise<void>((resolve) => {
        wake = () => {
          nowMs += ms
          resolve()
        }
        signal?.addEventListener('abort', () => resolve())
      }),
  })
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  return {
    after: (run: string) =>
      pages.after(async () => {
        nowMs += 50
        written.push(`${run} at ${nowMs}`)
      }),
    close: pages.close,
    written,
    async wakeUp() {
      await settle()
      wake()
      await settle()
    },
    wait(ms: number) {
      nowMs += ms
    },
  }
}

test('after a page, the next waits ten times as long as the page took, and covers all runs that end until then', async () => {
  const { after, written, wakeUp, wait } = pagesOn()
  await after('one')
  await after('two')
  await after('three')
  expect(written).toEqual(['one at 50'])
  await wakeUp()
  expect(written).toEqual(['one at 50', 'three at 600'])
  wait(499)
  await after('four')
  expect(written).toHaveLength(2)
  await wakeUp()
  expect(written).toEqual(['one at 50', 'three at 600', 'four at 1150'])
  wait(500)
  await after('five')
  expect(written.at(-1)).toBe('five at 1700')
})

test('a run that ends while a page is written is on the next page', async () => {
  const { after, written, wakeUp } = pagesOn()
  await Promise.all([after('one'), after('two')])
  expect(written).toEqual(['one at 50'])
  await wakeUp()
  expect(written).toEqual(['one at 50', 'two at 600'])
})

test('the page that waits is written at the end of the process, without its wait', async () => {
  const { after, close, written } = pagesOn()
  await after('one')
  await after('two')
  await close()
  expect(written).toEqual(['one at 50', 'two at 100'])
})

test('without a page that waits, nothing is written at the end', async () => {
  const { after, close, written } = pagesOn()
  await after('one')
  await close()
  expect(written).toEqual(['one at 50'])
})
