import { OtherBindingError } from '../../loaders/binding.ts'
import { approve } from '../../pipeline/commands/apply.ts'
import { ConfigError, loadConfig } from '../../pipeline/config.ts'
import type { SamplePlatform } from '../../pipeline/demo/sample-platform/start.ts'
import { silentProgress } from '../../pipeline/progress.ts'
import { exitCodeOf, notRun, type RunReport, worst } from '../../pipeline/report.ts'
import { runIntegration } from '../../pipeline/run.ts'
import type { Database } from '../../sql/database.ts'
import { API_KEY, AUTHENTICATION_SECRET, EVENT_ID } from '../model/serve.ts'
import type { Clock } from './clock.ts'
import type { Settings } from './settings.ts'

/** Where the commands of one history work. */
export interface Place {
  readonly type: 'a' | 'b'
  readonly integrationId: string
  readonly database: Database
  readonly sourceUrl: string
  readonly platform: Pick<SamplePlatform, 'url' | 'token' | 'eventId'>
  readonly output: string
  readonly clock: Clock
}

export type Command =
  | { readonly is: 'run'; readonly refresh: boolean }
  | { readonly is: 'plan' }
  | { readonly is: 'apply'; readonly hash: string }

/** How a command ended. */
export interface Ended {
  readonly reports: readonly RunReport[]
  readonly code: number
}

/** Does what `event-sync` does with that command. */
export async function execute(place: Place, settings: Settings, command: Command): Promise<Ended> {
  const { integration, context } = open(place, settings)
  let reports: readonly RunReport[]
  try {
    const options = { rebind: false, fresh: false }
    reports =
      command.is === 'apply'
        ? await approve(context, integration, command.hash, 'Ada')
        : await runIntegration(context, integration, {
            ...options,
            command: command.is,
            refresh: command.is === 'run' && command.refresh,
          })
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof OtherBindingError)) throw error
    reports = [notRun(place.integrationId, 'refused', error.message)]
  }
  return { reports, code: worst(reports.map((report) => exitCodeOf(report, 0))) }
}

function open(
  { type, integrationId, database, sourceUrl, platform, output, clock }: Place,
  settings: Settings,
) {
  const env = { TOKEN: platform.token, KEY: API_KEY, SECRET: AUTHENTICATION_SECRET }
  const keys = type === 'b' ? { apiKey: 'env:KEY', authenticationSecret: 'env:SECRET' } : {}
  const { content, removals: action, maxShare, minCount, blackout, massUpdate, onHold } = settings
  const { url, eventId } = platform
  const text = JSON.stringify({
    integrations: [
      {
        id: integrationId,
        source: { type, url: sourceUrl, eventId: EVENT_ID, timeZone: settings.timeZone, ...keys },
        content,
        platform: { type: 'http', url, eventId, token: 'env:TOKEN', batchSize: settings.batchSize },
        passwords: { mode: 'none' },
        removals: { action, maxShare, minCount },
        guards: { blackout, massUpdate, onHold },
      },
    ],
  })
  const config = loadConfig('event-sync.yaml', { env, readFile: () => text })
  const [integration] = config.integrations
  if (integration === undefined) throw new Error('the configuration has no integration')
  const context = {
    config,
    database,
    environment: clock.environment,
    secrets: { env, readFile: () => text, configFolder: output },
    outputFolder: output,
    progress: silentProgress,
  }
  return { integration, context }
}
