import { expect, test } from 'vitest'
import { pgliteDatabases } from './databases.ts'
import { openLane } from './lane.ts'
import { killRound } from './round.ts'

test('a run on PGlite that is killed while it reads, and again before its plan is stored, changes nothing', async () => {
  const lane = await openLane(pgliteDatabases(), 'b', 'jsonl', ['first'])
  try {
    const result = await killRound(lane, 'first', [
      { point: 'reading saved', hit: 6 },
      { point: 'plan made', hit: 1 },
    ])
    expect(result).toMatchObject({
      hits: ['reading saved', 'plan made'],
      differences: [],
    })
    // The second one had read everything: the third asks for nothing again.
    const requests = [...(lane.stories.get('first')?.requests.values() ?? [])]
    expect(result.requestsSaved).toBe(requests.reduce((sum, count) => sum + count, 0))
  } finally {
    await lane.close()
  }
})

test('a run that is killed again and again on its way to a platform lands everything once', async () => {
  const lane = await openLane(pgliteDatabases(), 'a', 'http', ['first'])
  try {
    const points = ['batch stored', 'platform asked', 'platform answered', 'answer recorded'] as const
    const kills = points.map((point) => ({ point, hit: 4 }))
    expect(await killRound(lane, 'first', kills)).toMatchObject({ hits: points, differences: [] })
  } finally {
    await lane.close()
  }
})
