import { join } from 'node:path'
import { machine } from '../../pipeline/commands/session.ts'
import { loadConfig } from '../../pipeline/config.ts'
import { startSampleSourceA } from '../../pipeline/demo/sample-source-a.ts'
import { sampleSourceBDefaults, startSampleSourceB } from '../../pipeline/demo/sample-source-b.ts'
import { silentProgress } from '../../pipeline/progress.ts'
import type { RunReport } from '../../pipeline/report.ts'
import { runIntegration } from '../../pipeline/run.ts'
import type { Database } from '../../sql/database.ts'
import type { Story } from './story.ts'

/** Small enough that most resources of a story take several pages. */
const PAGE_CAP = 3

interface Sync {
  readonly story: Story
  readonly database: Database
  /** Folder of the packs. */
  readonly output: string
  /** What the source holds, by resource. */
  readonly files: Readonly<Record<string, readonly unknown[]>>
  readonly runId: string
}

/** Serves a story's records as its source does, and syncs them as `event-sync run` does. */
export async function syncOnce({ story, database, output, files, runId }: Sync): Promise<RunReport> {
  const { type } = story.integration.source
  const server = type === 'a' ? await serveA(files) : await serveB(files)
  try {
    const credentials = { apiKey: 'env:API_KEY', authenticationSecret: 'env:AUTHENTICATION_SECRET' }
    const source = {
      ...story.integration.source,
      // The binding of an integration: the server's own address is another one each time.
      url: server.url,
      eventId: type === 'a' ? '4242' : '77',
      ...(type === 'a' ? {} : credentials),
    }
    const integration = { ...story.integration, id: story.name, source, platform: { type: 'jsonl' } }
    const env = {
      API_KEY: sampleSourceBDefaults.apiKey,
      AUTHENTICATION_SECRET: sampleSourceBDefaults.authenticationSecret,
    }
    const text = JSON.stringify({ integrations: [integration] })
    const config = loadConfig('event-sync.yaml', { env, readFile: () => text })
    const secrets = { env, readFile: () => text, configFolder: output }
    const [loaded] = config.integrations
    if (loaded === undefined) throw new Error('the configuration has no integration')
    const context = {
      config,
      database,
      environment: machine,
      secrets,
      outputFolder: join(output, database.engine),
      progress: silentProgress,
    }
    const options = { command: 'run', runId, rebind: true, fresh: false } as const
    const [report] = await runIntegration(context, loaded, options)
    if (report?.status !== 'finished') throw new Error(report?.error ?? `the run is ${report?.status}`)
    return report
  } finally {
    await server.close()
  }
}

type Files = Sync['files']

function serveA(files: Files) {
  const data = {
    Sessions: files.Sessions ?? [],
    TimeSlots: files.TimeSlots ?? [],
    Rooms: files.Rooms ?? [],
    Tracks: files.Tracks ?? [],
    SessionTypes: files.SessionTypes ?? [],
    Users: files.Users ?? [],
  }
  return startSampleSourceA(data, { pageCap: PAGE_CAP })
}

function serveB(files: Files) {
  const data = {
    sessions: files.sessions ?? [],
    registrants: files.registrants ?? [],
    regTypes: files.reg_types ?? [],
  }
  return startSampleSourceB(data, { pageCap: PAGE_CAP })
}
