import { expect, test } from 'vitest'
import { pgliteDatabases } from './databases.ts'
import { killRound } from './round.ts'
import { openScenario } from './scenario.ts'

/** A dozen processes one after the other, on a machine that may be busy. */
const MANY_PROCESSES_MS = 600_000

test(
  'a run on PGlite that is killed while it reads, and again before its plan is stored, changes nothing',
  async () => {
    const scenario = await openScenario(pgliteDatabases(), 'b', 'jsonl', ['first'])
    try {
      const result = await killRound(scenario, 'first', [
        { point: 'reading saved', hit: 6 },
        { point: 'plan made', hit: 1 },
      ])
      expect(result).toMatchObject({
        hits: ['reading saved', 'plan made'],
        differences: [],
      })
      // The second one had read everything: the third asks for nothing again.
      const requests = [...(scenario.stories.get('first')?.requests.values() ?? [])]
      expect(result.requestsSaved).toBe(requests.reduce((sum, count) => sum + count, 0))
    } finally {
      await scenario.close()
    }
  },
  MANY_PROCESSES_MS,
)

test(
  'a run that is killed again and again on its way to a platform lands everything once',
  async () => {
    const scenario = await openScenario(pgliteDatabases(), 'a', 'http', ['first'])
    try {
      const points = ['batch stored', 'platform asked', 'platform answered', 'answer recorded'] as const
      const kills = points.map((point) => ({ point, hit: 4 }))
      expect(await killRound(scenario, 'first', kills)).toMatchObject({ hits: points, differences: [] })
    } finally {
      await scenario.close()
    }
  },
  MANY_PROCESSES_MS,
)

test(
  'a run that is killed again and again while it accounts for itself writes the pack of an undisturbed one',
  async () => {
    const scenario = await openScenario(pgliteDatabases(), 'b', 'jsonl', ['first'])
    try {
      const kills = [
        { point: 'figures stored', hit: 1 },
        { point: 'pack file written', hit: 1 },
        { point: 'pack file written', hit: 8 },
        // SHA256SUMS is there, the manifest not.
        { point: 'pack file written', hit: 12 },
        { point: 'pack file written', hit: 13 },
        { point: 'pack written', hit: 1 },
      ] as const
      const result = await killRound(scenario, 'first', kills)
      expect(result).toMatchObject({ hits: kills.map(({ point }) => point), differences: [] })
    } finally {
      await scenario.close()
    }
  },
  MANY_PROCESSES_MS,
)
