import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../sql/database.ts'
import { makeTally } from '../model/tally.ts'
import { openEngine } from '../support/engines.ts'
import { openStage, type Stage } from './stage.ts'

// The whole setting is `node test/histories/run.ts`; this one is for every day.
describe('histories leave the platform as the model foretells', () => {
  let database: Database
  let stage: Stage
  beforeAll(async () => {
    database = await openEngine('pglite')
    stage = await openStage(database)
  })
  afterAll(async () => {
    await stage.close()
    await database.close()
  })

  test.each(['a', 'b'] as const)('source %s', async (type) => {
    for (const seed of [7001, 7002]) {
      const commands: string[] = []
      const found = await stage.play(type, seed, makeTally(), (line) => commands.push(line))
      expect(found, `seed ${seed}\n${commands.join('\n')}`).toEqual([])
      expect(commands.length).toBeGreaterThan(10)
    }
  })
})
