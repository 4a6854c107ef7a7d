import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSamplePlatform } from '../../pipeline/demo/sample-platform/start.ts'
import type { Database } from '../../sql/database.ts'
import { startServer } from '../model/serve.ts'
import type { Tally } from '../model/tally.ts'
import { makeClock } from './clock.ts'
import { type HistoryDifference, play } from './history.ts'

/** Where histories are played one after the other: one database and one source, a new platform for each. */
export interface Stage {
  play(
    type: 'a' | 'b',
    seed: number,
    tally: Tally,
    tell?: (line: string) => void,
  ): Promise<readonly HistoryDifference[]>
  close(): Promise<void>
}

/** Few, so that what is read back takes several pages. */
const PAGE_SIZE = 9

export async function openStage(database: Database): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'histories-'))
  const clock = makeClock()
  const server = await startServer(clock.environment.now)
  return {
    async play(type, seed, tally, tell) {
      const integrationId = `history-${type}-${seed}`
      const storage = join(folder, integrationId)
      mkdirSync(storage)
      const platform = await startSamplePlatform({ storage, pageSize: PAGE_SIZE })
      try {
        const place = { type, integrationId, database, sourceUrl: server.url, output: storage, clock }
        return await play({
          ...place,
          seed,
          server,
          platform,
          tally,
          ...(tell === undefined ? {} : { tell }),
        })
      } finally {
        await platform.close()
        rmSync(storage, { recursive: true, force: true })
      }
    },
    async close() {
      await server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
