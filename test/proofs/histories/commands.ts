import { OtherBindingError } from '../../../loaders/ledger/binding.ts'
import { rollBack } from '../../../pipeline/run/rollback.ts'
import { approve } from '../../../pipeline/run/run.ts'
import type { Environment } from '../../../pipeline/runtime/environment.ts'
import { exitCodeOf, notRun, type RunReport, worst } from '../../../pipeline/runtime/report.ts'
import { UserError } from '../../../pipeline/settings/errors.ts'
import type { Database } from '../../../sql/database.ts'
import { type Place as Opened, openPlace, runAll, sourceAt } from '../../harness/place.ts'
import type { SamplePlatform } from '../../harness/sample-platform/start.ts'
import { API_KEY, AUTHENTICATION_SECRET, EVENT_ID } from '../../harness/source-server.ts'
import { configOf } from '../model/options.ts'
import type { HistoryModel, Item } from './model-history.ts'
import type { Run } from './model-report.ts'
import { operate } from './operate.ts'
import type { Settings } from './settings.ts'

export interface Clock {
  readonly environment: Environment
  pass(ms: number): void
}

export interface Place {
  readonly type: 'a' | 'b'
  /** The id of the integration in the configuration, and in the database. */
  readonly ids: HistoryModel['ids']
  readonly database: Database
  readonly platform: SamplePlatform
  readonly output: string
  readonly clock: Clock
}

export type Command =
  | { readonly is: 'run'; readonly refresh: boolean }
  | { readonly is: 'plan' }
  | { readonly is: 'apply'; readonly hash: string }
  | { readonly is: 'rollback'; readonly to: Run }
  | Deed

/** What an operator does with an integration, other than to run it. */
export type Deed =
  /** `untilMs` is null if the pause lasts until `resume`. */
  | { readonly is: 'pause'; readonly untilMs: number | null }
  | { readonly is: 'resume' }
  | { readonly is: 'rename'; readonly from: string; readonly to: string }
  /** The id of the integration is changed in the configuration. */
  | { readonly is: 'edit'; readonly to: string }
  | { readonly is: 'suppress' | 'unsuppress'; readonly item: Item }
  | { readonly is: 'purge'; readonly keepRuns: number }
  | { readonly is: 'forget'; readonly item: Item }

export interface Ended {
  readonly reports: readonly RunReport[]
  readonly code: number
}

/** Runs a command of `event-sync` within this process. */
export async function execute(
  place: Place,
  sourceUrl: string,
  settings: Settings,
  command: Command,
): Promise<Ended> {
  const { type, ids, platform, clock } = place
  const opened = openPlace({
    database: place.database,
    output: place.output,
    env: { API_KEY, AUTHENTICATION_SECRET, ...platform.env },
    environment: clock.environment,
    // Suppressed ids can be e-mail addresses, which the product stores only if it has a key.
    config: { sealingKey: 'env:KEY' },
    integration: {
      id: ids.configured,
      source: { ...sourceAt(type, sourceUrl), eventId: EVENT_ID, timeZone: settings.timeZone },
      ...configOf(settings),
      platform: platform.config(settings.batchSize),
      passwords: { mode: 'none' },
    },
  })
  let reports: readonly RunReport[]
  try {
    reports = await doCommand(opened, command)
  } catch (error) {
    if (!(error instanceof UserError || error instanceof OtherBindingError)) throw error
    reports = [notRun(ids.configured, 'refused', error.message)]
  }
  return { reports, code: worst(reports.map((report) => exitCodeOf(report, 0))) }
}

async function doCommand(opened: Opened, command: Command): Promise<readonly RunReport[]> {
  const { context, integration } = opened
  switch (command.is) {
    case 'run':
      return runAll(opened, { command: 'run', refresh: command.refresh })
    case 'plan':
      return runAll(opened, { command: 'plan' })
    case 'apply':
      return approve(context, integration, command.hash, 'Ada')
    case 'rollback':
      return rollBack(context, integration, command.to.id ?? '')
    default:
      await operate(opened, command)
      return []
  }
}
