import { join } from 'node:path'
import type { RunReport } from '../../pipeline/runtime/report.ts'
import type { Database } from '../../sql/database.ts'
import { openPlace, runLast, sourceAt } from '../harness/place.ts'
import { type Resources, serveRecords } from '../harness/serve-records.ts'

/** An integration as in event-sync.yaml, but without id, platform, address and credentials. */
export interface Setup {
  readonly source: { readonly type: 'a' | 'b'; readonly [option: string]: unknown }
  readonly content?: readonly string[]
  readonly removals?: Readonly<Record<string, unknown>>
  readonly guards?: Readonly<Record<string, unknown>>
  readonly exclude?: readonly unknown[]
  readonly fields?: Readonly<Record<string, unknown>>
}

/** The database and the output folder of a sync. */
export interface Place {
  readonly database: Database
  /** Folder of the packs. */
  readonly output: string
  /** Id of the integration. */
  readonly id: string
}

/** Maximum number of records on a page: so small that a group of traps takes several pages. */
const PAGE_CAP = 10

/**
 * Serves records on loopback in the form of their source, and syncs these records as `event-sync run` does.
 *
 * @param pageCap maximum number of elements in one answer
 */
export async function syncRecords(
  place: Place,
  setup: Setup,
  records: Resources,
  pageCap = PAGE_CAP,
): Promise<RunReport> {
  const server = await serveRecords(setup.source.type, records, pageCap)
  try {
    return await syncFrom(server.url, place, setup)
  } finally {
    await server.close()
  }
}

/** Syncs the records that a source on loopback serves. */
function syncFrom(url: string, { database, output, id }: Place, setup: Setup): Promise<RunReport> {
  const source = { ...setup.source, ...sourceAt(setup.source.type, url) }
  const integration = { ...setup, id, source }
  // The option `rebind` is needed because the server of a second sync has another address, which the product
  // takes for another source.
  return runLast(openPlace({ database, output: join(output, database.engine), integration }), {
    rebind: true,
  })
}
