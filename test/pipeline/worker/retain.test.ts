import { expect, test } from 'vitest'
import { retain } from '../../../pipeline/worker/retain.ts'

/** Applies a retention to integrations with a number of parts each, until so much time has passed. */
async function pass(parts: Record<string, number>, hours: number, random = 0) {
  const left = new Map(Object.entries(parts))
  const stop = new AbortController()
  const told: string[] = []
  let nowMs = 0
  await retain({
    ids: () => Object.keys(parts),
    async deletePart(id) {
      const more = left.get(id) ?? 0
      told.push(`${id} at ${(nowMs / 60_000).toFixed(1)}`)
      if (more < 0) throw new Error('the database is gone')
      left.set(id, Math.max(0, more - 1))
      return more > 0
    },
    scrub: async () => void told.push('scrub'),
    onTrouble: (what) => told.push(`cannot ${what}`),
    environment: {
      async sleep(ms) {
        nowMs += ms
        if (nowMs > hours * 3_600_000) stop.abort()
      },
      random: () => random,
    },
    stop: stop.signal,
  })
  return told
}

test('a worker deletes a part at a time, integration by integration, and frees the space at the end of a pass', async () => {
  expect(await pass({ summit: 2, expo: 0 }, 3)).toEqual([
    'summit at 1.0',
    'summit at 1.1',
    'summit at 1.2',
    'expo at 61.2',
    'scrub',
    'summit at 121.2',
  ])
})

test('each of many integrations has its turn once a day', async () => {
  const many = Object.fromEntries(Array.from({ length: 96 }, (_, place) => [`event-${place}`, 0]))
  const told = await pass(many, 24.1, 0.5)
  expect(told.slice(0, 2)).toEqual(['event-48 at 1.0', 'event-49 at 16.0'])
  expect(new Set(told.map((one) => one.split(' ', 1)[0])).size).toBe(96)
  expect(told).not.toContain('scrub')
})

test('a fault of one integration does not stop the others', async () => {
  expect(await pass({ summit: -1, expo: 0 }, 1.1)).toEqual([
    'summit at 1.0',
    'cannot apply the retention to summit',
    'expo at 61.0',
  ])
})
