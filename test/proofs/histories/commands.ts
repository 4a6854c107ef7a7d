import { OtherBindingError } from '../../../loaders/ledger/binding.ts'
import { approve } from '../../../pipeline/run/run.ts'
import type { Environment } from '../../../pipeline/runtime/environment.ts'
import { exitCodeOf, notRun, type RunReport, worst } from '../../../pipeline/runtime/report.ts'
import { UserError } from '../../../pipeline/settings/errors.ts'
import type { Database } from '../../../sql/database.ts'
import { openPlace, runAll, sourceAt } from '../../harness/place.ts'
import type { SamplePlatform } from '../../harness/sample-platform/start.ts'
import { API_KEY, AUTHENTICATION_SECRET, EVENT_ID } from '../../harness/source-server.ts'
import { configOf } from '../model/options.ts'
import type { Settings } from './settings.ts'

export interface Clock {
  readonly environment: Environment
  pass(ms: number): void
}

export interface Place {
  readonly type: 'a' | 'b'
  readonly integrationId: string
  readonly database: Database
  readonly platform: SamplePlatform
  readonly output: string
  readonly clock: Clock
}

export type Command =
  | { readonly is: 'run'; readonly refresh: boolean }
  | { readonly is: 'plan' }
  | { readonly is: 'apply'; readonly hash: string }

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
  const { type, integrationId, platform, clock } = place
  const opened = openPlace({
    database: place.database,
    output: place.output,
    env: { API_KEY, AUTHENTICATION_SECRET, ...platform.env },
    environment: clock.environment,
    integration: {
      id: integrationId,
      source: { ...sourceAt(type, sourceUrl), eventId: EVENT_ID, timeZone: settings.timeZone },
      ...configOf(settings),
      platform: platform.config(settings.batchSize),
      passwords: { mode: 'none' },
    },
  })
  let reports: readonly RunReport[]
  try {
    reports =
      command.is === 'apply'
        ? await approve(opened.context, opened.integration, command.hash, 'Ada')
        : await runAll(opened, { command: command.is, refresh: command.is === 'run' && command.refresh })
  } catch (error) {
    if (!(error instanceof UserError || error instanceof OtherBindingError)) throw error
    reports = [notRun(integrationId, 'refused', error.message)]
  }
  return { reports, code: worst(reports.map((report) => exitCodeOf(report, 0))) }
}
