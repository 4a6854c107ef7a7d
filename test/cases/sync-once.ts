import { join } from 'node:path'
import type { RunReport } from '../../pipeline/runtime/report.ts'
import type { Database } from '../../sql/database.ts'
import { openPlace, runLast, sourceAt } from '../harness/place.ts'
import { type Resources, serveRecords } from '../harness/serve-records.ts'
import type { Story } from './story.ts'

/** Maximum number of records on a page: small, so that most resources of a story take several pages. */
const PAGE_CAP = 3

interface Sync {
  readonly story: Story
  readonly database: Database
  /** Folder of the packs. */
  readonly output: string
  /** Records of the source, by resource. */
  readonly files: Resources
  readonly runId: string
}

/** Serves a story's records in the form of its source, and syncs these records as `event-sync run` does. */
export async function syncOnce({ story, database, output, files, runId }: Sync): Promise<RunReport> {
  const { type } = story.integration.source
  const server = await serveRecords(type, files, PAGE_CAP)
  try {
    const source = { ...story.integration.source, ...sourceAt(type, server.url) }
    const integration = { ...story.integration, id: story.name, source }
    const place = openPlace({ database, output: join(output, database.engine), integration })
    // The option `rebind` is needed because the server has a new address at each sync.
    const report = await runLast(place, { runId, rebind: true })
    if (report.status !== 'finished') throw new Error(report.error ?? `the run is ${report.status}`)
    return report
  } finally {
    await server.close()
  }
}
