import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { applyStored } from '../../pipeline/commands/apply.ts'
import { machine } from '../../pipeline/commands/session.ts'
import { loadConfig } from '../../pipeline/config.ts'
import { startSampleSourceA } from '../../pipeline/demo/sample-source-a.ts'
import { sampleSourceBDefaults, startSampleSourceB } from '../../pipeline/demo/sample-source-b.ts'
import { explainItem } from '../../pipeline/explain/explain.ts'
import type { Explanation } from '../../pipeline/explain/explanation.ts'
import { silentProgress } from '../../pipeline/progress.ts'
import { exitCodeOf, type RunReport } from '../../pipeline/report.ts'
import { runIntegration } from '../../pipeline/run.ts'
import type { Database } from '../../sql/database.ts'
import { inOneSnapshot } from '../../sql/statements.ts'
import type { Content } from '../../sql/tables.ts'
import { readPack } from '../traps/pack.ts'
import type { Resources, Setup } from '../traps/sync.ts'

/** How a command ended. */
export interface Ended {
  readonly report: RunReport
  readonly code: number
  /** Guard of the hold; null without one. */
  readonly guard: string | null
  readonly detail: string
  /** Operations of the pack as `remove attendees u1`; null without a pack. */
  readonly sent: readonly string[] | null
}

/** An integration whose source stays where it is from run to run, and its commands. */
export interface Integration {
  run(): Promise<Ended>
  plan(): Promise<Ended>
  /** `event-sync apply` of that plan. */
  approve(planHash: string | null): Promise<Ended>
  /** `event-sync explain`, as it is before it is printed. */
  explain(content: Content, uniqueId: string, showPersonal?: boolean): Promise<Explanation>
  /** Other options from now on. */
  configure(setup: Setup): void
  /** Lets time go by. */
  wait(hours: number): void
}

/** Makes the integration of a source on loopback. */
export function makeIntegration(
  place: { readonly database: Database; readonly output: string; readonly id: string },
  url: string,
  first: Setup,
): Integration {
  let setup = first
  let lateMs = 0
  const env = {
    API_KEY: sampleSourceBDefaults.apiKey,
    AUTHENTICATION_SECRET: sampleSourceBDefaults.authenticationSecret,
  }

  function open() {
    const keys = { apiKey: 'env:API_KEY', authenticationSecret: 'env:AUTHENTICATION_SECRET' }
    const isA = setup.source.type === 'a'
    const eventId = isA ? '4242' : sampleSourceBDefaults.eventId
    const source = { ...setup.source, url, eventId, ...(isA ? {} : keys) }
    const text = JSON.stringify({
      integrations: [{ ...setup, id: place.id, source, platform: { type: 'jsonl' } }],
    })
    const config = loadConfig('event-sync.yaml', { env, readFile: () => text })
    const [integration] = config.integrations
    if (integration === undefined) throw new Error('the configuration has no integration')
    const context = {
      config,
      database: place.database,
      environment: { ...machine, now: () => Date.now() + lateMs },
      secrets: { env, readFile: () => text, configFolder: place.output },
      outputFolder: join(place.output, place.database.engine),
      progress: silentProgress,
    }
    return { context, integration }
  }

  async function execute(command: 'run' | 'plan'): Promise<Ended> {
    const { context, integration } = open()
    const reports = await runIntegration(context, integration, { command, rebind: false, fresh: false })
    return endedOf(reports.at(-1))
  }

  return {
    run: () => execute('run'),
    plan: () => execute('plan'),
    async approve(planHash) {
      const { context, integration } = open()
      return endedOf(await applyStored(context, integration, planHash ?? '', 'Ada'))
    },
    explain(content, uniqueId, showPersonal = false) {
      const { context, integration } = open()
      const { config, database } = context
      return database.transaction(async (transaction) => {
        await inOneSnapshot(transaction)
        return explainItem(transaction, { config, integration, content, uniqueId, showPersonal })
      })
    },
    configure(next) {
      setup = next
    },
    wait(hours) {
      lateMs += hours * 3_600_000
    },
  }
}

function endedOf(report: RunReport | undefined): Ended {
  if (report === undefined) throw new Error('nothing was run')
  const hasPack = report.output !== null && existsSync(join(report.output, 'manifest.json'))
  const operations = hasPack ? readPack(report.output).operations : null
  return {
    report,
    code: exitCodeOf(report, 0),
    guard: report.held?.guard ?? null,
    detail: report.held?.detail ?? '',
    sent: operations?.map(({ op, content, uniqueId }) => `${op} ${content} ${uniqueId}`) ?? null,
  }
}

/** Serves records on loopback as their source does; they can change. */
export function serve({ source }: Setup, records: Resources) {
  return source.type === 'a' ? serveA(records) : serveB(records)
}

async function serveA(records: Resources) {
  const data = (given: Resources) => {
    const { Sessions = [], TimeSlots = [], Rooms = [], Tracks = [], SessionTypes = [], Users = [] } = given
    return { Sessions, TimeSlots, Rooms, Tracks, SessionTypes, Users }
  }
  const server = await startSampleSourceA(data(records))
  return { url: server.url, close: server.close, hold: (given: Resources) => server.setData(data(given)) }
}

async function serveB(records: Resources) {
  const data = ({ sessions = [], registrants = [], regTypes = [] }: Resources) => {
    return { sessions, registrants, regTypes }
  }
  const server = await startSampleSourceB(data(records))
  return { url: server.url, close: server.close, hold: (given: Resources) => server.setData(data(given)) }
}
