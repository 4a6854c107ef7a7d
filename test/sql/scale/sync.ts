import { join } from 'node:path'
import { migrate } from '../../../pipeline/database/migrate.ts'
import { openPostgres } from '../../../pipeline/database/postgres.ts'
import { openPlace, runLast, sourceAt } from '../../harness/place.ts'

/** The integration that is synced; the others are copies of it. */
export const LARGE = 'large'

/** Where a run reads from, and what it writes to. */
export interface Place {
  readonly folder: string
  readonly databaseUrl: string
  readonly sourceUrl: string
}

/** Syncs all registrants of the source as `event-sync run` does. */
export async function sync({ folder, databaseUrl, sourceUrl }: Place): Promise<void> {
  const database = await openPostgres(databaseUrl)
  try {
    await migrate(database)
    const source = { ...sourceAt('b', sourceUrl), timeZone: 'UTC' }
    const integration = { id: LARGE, source, content: ['speakers', 'attendees'] }
    const report = await runLast(openPlace({ database, output: join(folder, 'out'), integration }))
    if (report.status !== 'finished') throw new Error(report.error ?? `the run is ${report.status}`)
  } finally {
    await database.close()
  }
}
