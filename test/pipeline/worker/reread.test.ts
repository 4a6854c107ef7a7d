import { expect, onTestFinished, test } from 'vitest'
import { rereadOnChange } from '../../../pipeline/worker/reread.ts'

/** Starts to look for changes. Each call of `look` is one look, with the fingerprint of that time. */
function open() {
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  let fingerprint = 'a'
  let wake = Promise.withResolvers<void>()
  const read: string[] = []
  const readNow = rereadOnChange(
    () => fingerprint,
    async () => void read.push(fingerprint),
    { sleep: () => wake.promise },
    stop.signal,
  )
  return {
    read,
    readNow,
    async look(next: string) {
      fingerprint = next
      const now = wake
      wake = Promise.withResolvers()
      now.resolve()
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

test('the configuration is read once after its files were changed, and not while they are being written', async () => {
  const { read, look } = open()
  for (const next of ['a', 'b', 'c']) await look(next)
  expect(read).toEqual([])
  await look('c')
  expect(read).toEqual(['c'])
  for (const next of ['c', 'c', 'd', 'd', 'd']) await look(next)
  expect(read).toEqual(['c', 'd'])
})

test('a request reads the configuration at once, although no file was changed', async () => {
  const { read, readNow, look } = open()
  readNow()
  await look('a')
  expect(read).toEqual(['a'])
})
