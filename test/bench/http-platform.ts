import { join } from 'node:path'
import { startSamplePlatform } from '../../pipeline/demo/sample-platform/start.ts'
import { loggedRun } from './logged-run.ts'
import type { Measure } from './measurement.ts'
import { makePlace } from './place.ts'
import { withNewDatabase } from './server.ts'

/** Operations that go to the sample platform, which flushes each batch to its disk before it answers. */
export const measureHttp: Measure = async ({ folder, postgresUrl, source }) => {
  const { url, token, eventId, close } = await startSamplePlatform({ storage: join(folder, 'platform') })
  try {
    return await withNewDatabase(postgresUrl, async (databaseUrl) => {
      const platform = { type: 'http', url, eventId, token: 'env:PLATFORM_TOKEN', batchSize: 100 }
      const more = { platform, passwords: { mode: 'none' } }
      const variables = { PLATFORM_TOKEN: token }
      const place = makePlace({ folder, databaseUrl, sourceUrl: source.url, more, variables })
      const run = await loggedRun(place, 'run')
      const seconds = run.stepSeconds('apply')
      return [
        {
          table: 'platform',
          what: 'http, batches of 100',
          registrants: source.count,
          values: { operations: run.changes, seconds, operationsPerSecond: run.changes / seconds },
        },
      ]
    })
  } finally {
    await close()
  }
}
