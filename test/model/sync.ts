import { machine } from '../../pipeline/commands/session.ts'
import { loadConfig } from '../../pipeline/config.ts'
import { silentProgress } from '../../pipeline/progress.ts'
import type { RunReport } from '../../pipeline/report.ts'
import { runIntegration } from '../../pipeline/run.ts'
import type { Database } from '../../sql/database.ts'
import type { ReadSource } from './model-run.ts'
import { API_KEY, AUTHENTICATION_SECRET, EVENT_ID } from './serve.ts'

/** Where a run reads from and writes to. */
export interface Place {
  readonly database: Database
  /** Folder of the packs. */
  readonly output: string
  readonly url: string
  readonly integrationId: string
}

/** Syncs a source that is being served, as `event-sync run` does. */
export async function sync(place: Place, source: ReadSource, runId: string): Promise<RunReport> {
  const { database, output, url, integrationId } = place
  const credentials = source.type === 'b' ? { apiKey: 'env:KEY', authenticationSecret: 'env:SECRET' } : {}
  const integration = {
    id: integrationId,
    source: { type: source.type, url, eventId: EVENT_ID, ...credentials, ...source.options },
    content: source.content,
    platform: { type: 'jsonl' },
    removals: { action: source.removals, maxShare: source.maxShare, minCount: source.minCount },
    guards: { blackout: source.blackout, massUpdate: source.massUpdate, onHold: source.onHold },
  }
  const env = { KEY: API_KEY, SECRET: AUTHENTICATION_SECRET }
  const text = JSON.stringify({ integrations: [integration] })
  const config = loadConfig('event-sync.yaml', { env, readFile: () => text })
  const [loaded] = config.integrations
  if (loaded === undefined) throw new Error('the configuration has no integration')
  const context = {
    config,
    database,
    environment: machine,
    secrets: { env, readFile: () => text, configFolder: output },
    outputFolder: output,
    progress: silentProgress,
  }
  const [report] = await runIntegration(context, loaded, {
    command: 'run',
    runId,
    rebind: false,
    fresh: false,
  })
  if (report === undefined) throw new Error('a run gives a report')
  return report
}
