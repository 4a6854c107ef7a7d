import { join } from 'node:path'
import { machine } from '../../pipeline/commands/session.ts'
import { loadConfig } from '../../pipeline/config.ts'
import { startSampleSourceA } from '../../pipeline/demo/sample-source-a.ts'
import { sampleSourceBDefaults, startSampleSourceB } from '../../pipeline/demo/sample-source-b.ts'
import { silentProgress } from '../../pipeline/progress.ts'
import type { RunReport } from '../../pipeline/report.ts'
import { runIntegration } from '../../pipeline/run.ts'
import type { Database } from '../../sql/database.ts'

/** What a source holds, by resource: `Sessions`, `Users`…; `sessions`, `registrants`, `regTypes`. */
export type Resources = Readonly<Record<string, readonly unknown[]>>

/** An integration as in event-sync.yaml, without id, platform, address and credentials. */
export interface Setup {
  readonly source: { readonly type: 'a' | 'b'; readonly [option: string]: unknown }
  readonly content?: readonly string[]
  readonly removals?: Readonly<Record<string, unknown>>
  readonly guards?: Readonly<Record<string, unknown>>
}

/** Where a sync takes place. */
export interface Place {
  readonly database: Database
  /** Folder of the packs. */
  readonly output: string
  /** Id of the integration. */
  readonly id: string
}

/** Small enough that a group of traps takes several pages. */
const PAGE_CAP = 10

/**
 * Serves records on loopback as their source does, and syncs them as `event-sync run` does.
 *
 * @param pageCap most elements in one answer
 */
export async function syncRecords(
  place: Place,
  setup: Setup,
  records: Resources,
  pageCap = PAGE_CAP,
): Promise<RunReport> {
  const server = setup.source.type === 'a' ? await serveA(records, pageCap) : await serveB(records, pageCap)
  try {
    return await syncFrom(server.url, place, setup)
  } finally {
    await server.close()
  }
}

/** Syncs what a source on loopback serves. */
export async function syncFrom(
  url: string,
  { database, output, id }: Place,
  setup: Setup,
): Promise<RunReport> {
  const isA = setup.source.type === 'a'
  const source = {
    ...setup.source,
    url,
    eventId: isA ? '4242' : sampleSourceBDefaults.eventId,
    ...(isA ? {} : { apiKey: 'env:API_KEY', authenticationSecret: 'env:AUTHENTICATION_SECRET' }),
  }
  const text = JSON.stringify({ integrations: [{ ...setup, id, source, platform: { type: 'jsonl' } }] })
  const env = {
    API_KEY: sampleSourceBDefaults.apiKey,
    AUTHENTICATION_SECRET: sampleSourceBDefaults.authenticationSecret,
  }
  const config = loadConfig('event-sync.yaml', { env, readFile: () => text })
  const [integration] = config.integrations
  if (integration === undefined) throw new Error('the configuration has no integration')
  const context = {
    config,
    database,
    environment: machine,
    secrets: { env, readFile: () => text, configFolder: output },
    outputFolder: join(output, database.engine),
    progress: silentProgress,
  }
  // The server of a second sync has another address: to the product that is another source.
  const options = { command: 'run', rebind: true, fresh: false } as const
  const [report] = await runIntegration(context, integration, options)
  if (report === undefined) throw new Error('nothing was run')
  return report
}

function serveA(records: Resources, pageCap: number) {
  const { Sessions = [], TimeSlots = [], Rooms = [], Tracks = [], SessionTypes = [], Users = [] } = records
  const data = { Sessions, TimeSlots, Rooms, Tracks, SessionTypes, Users }
  return startSampleSourceA(data, { pageCap })
}

function serveB({ sessions = [], registrants = [], regTypes = [] }: Resources, pageCap: number) {
  return startSampleSourceB({ sessions, registrants, regTypes }, { pageCap })
}
