import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { explainItem } from '../../pipeline/inspect/explain.ts'
import { applyStored } from '../../pipeline/run/run.ts'
import { machine } from '../../pipeline/runtime/environment.ts'
import { exitCodeOf, type RunReport } from '../../pipeline/runtime/report.ts'
import type { Explanation } from '../../pipeline/schemas/items.ts'
import { type Database, inOneSnapshot } from '../../sql/database.ts'
import type { Content } from '../../sql/tables.ts'
import { openPlace, runLast, sourceAt } from '../harness/place.ts'
import { readPack } from '../harness/read-pack.ts'
import { type Resources, serveRecords } from '../harness/serve-records.ts'
import { makeFolder } from '../support/folder.ts'
import type { Setup } from '../traps/sync.ts'

/** Result of a command. */
export interface Ended {
  readonly report: RunReport
  readonly code: number
  /** The guard that held the plan, or null if no guard held it. */
  readonly guard: string | null
  readonly detail: string
  /** The operations of the pack, each as `remove attendees u1`, or null if there is no pack. */
  readonly sent: readonly string[] | null
}

/** An integration with its commands. The source of the integration has the same address in all runs. */
export interface Integration {
  run(): Promise<Ended>
  plan(): Promise<Ended>
  /** Applies a plan like `event-sync apply`. */
  approve(planHash: string | null): Promise<Ended>
  /** Explains an item like `event-sync explain`, but does not print anything. */
  explain(content: Content, uniqueId: string, showPersonal?: boolean): Promise<Explanation>
  /** Replaces the options for the runs that follow. */
  configure(setup: Setup): void
  /** Moves the clock forward. */
  wait(hours: number): void
}

/** The database, the output folder and the id of an integration. */
export interface IntegrationPlace {
  readonly database: Database
  readonly output: string
  readonly id: string
}

type AtEnd = (end: () => void | Promise<void>) => unknown
let count = 0

/** Makes an output folder and an integration id, so that several tests can share a database. */
export function newPlace(database: Database, atEnd: AtEnd = onTestFinished): IntegrationPlace {
  count += 1
  return { database, output: makeFolder(atEnd), id: `place-${count}` }
}

/** An integration with a source on loopback. The test can change the records of the source. */
export interface ServedIntegration extends Integration {
  readonly id: string
  hold(records: Resources): void
}

/** Serves records and makes an integration that reads them, without a run. */
export async function serveIntegration(
  database: Database,
  setup: Setup,
  records: Resources,
  atEnd: AtEnd = onTestFinished,
): Promise<ServedIntegration> {
  const server = await serve(setup, records)
  atEnd(server.close)
  const place = newPlace(database, atEnd)
  return { ...makeIntegration(place, server.url, setup), id: place.id, hold: server.hold }
}

/** Makes an integration with a source on loopback. */
export function makeIntegration(place: IntegrationPlace, url: string, first: Setup): Integration {
  let setup = first
  let lateMs = 0

  function open() {
    const { source } = setup
    return openPlace({
      database: place.database,
      output: join(place.output, place.database.engine),
      integration: { ...setup, id: place.id, source: { ...source, ...sourceAt(source.type, url) } },
      environment: { ...machine, now: () => Date.now() + lateMs },
    })
  }

  async function execute(command: 'run' | 'plan'): Promise<Ended> {
    return endedOf(await runLast(open(), { command }))
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

/**
 * Serves records on loopback in the form of their source. The test can change the records that are served.
 */
export const serve = ({ source }: Setup, records: Resources) => serveRecords(source.type, records)
