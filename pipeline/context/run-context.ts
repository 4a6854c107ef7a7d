import type { Database } from '../../sql/database.ts'
import type { Config, IntegrationConfig, SecretEnvironment } from '../config/config.ts'
import type { Connections } from '../http/connections.ts'
import type { HttpLimits } from '../http/http.ts'
import type { RateBudget } from '../http/rate.ts'
import type { Retries } from '../http/retry.ts'
import type { RateBudgets } from '../http/shared-rate.ts'
import type { Environment } from '../runtime/environment.ts'
import type { Listener, Point, RunEvent } from '../runtime/events.ts'
import type { RunId } from '../runtime/run-id.ts'
import { messageOf } from '../text/message-of.ts'
import type { ConnectedSource } from './connect.ts'

export interface BaseContext {
  readonly config: Config
  readonly environment: Environment
  readonly secrets: SecretEnvironment
  /** Folder of the packs, absolute. */
  readonly outputFolder: string
  /** Takes what happens to an integration as it happens. */
  readonly events: Listener
  /** Aborted where the caller gives up: what is under way ends at its next step or wait. */
  readonly cancelled?: AbortSignal
  /** Shared with other processes; left out where there is none to share with: then each run paces itself. */
  readonly budgets?: RateBudgets
}

export interface Context extends BaseContext {
  readonly database: Database
}

export type Step = 'extract' | 'refresh' | 'stage' | 'transform' | 'plan' | 'apply' | 'audit'

/** What the configuration allows a reading to take, beside its single answers; the last two for each resource. */
type ReadLimits = Pick<Config['http'], 'resumeMinutes' | 'maxRecordBytes' | 'maxRecords' | 'maxBytes'>

export interface RunContext extends Context {
  readonly integration: IntegrationConfig
  readonly integrationId: string
  readonly runId: RunId
  readonly connected: ConnectedSource
  /** Its connections are those of the run, to its source and its platform; they are closed as it ends. */
  readonly limits: HttpLimits & ReadLimits & { readonly connections: Connections }
  readonly retries: Retries
  readonly rate: RateBudget
  emit(event: RunEvent): void
  at(point: Point): void
  /** Does one step, and emits when it begins and ends; a failure is a StepError that names the step. */
  step<Result>(name: Step, work: () => Promise<Result>): Promise<Result>
}

export class StepError extends Error {
  override readonly name = 'StepError'
  readonly step: Step

  /** @param place where in the step, such as `source a` */
  constructor(step: Step, place: string, cause: unknown) {
    super(`${step} failed: ${place === '' ? '' : `${place}, `}${messageOf(cause)}`, { cause })
    this.step = step
  }
}

/** The moment as the ledger writes it. */
export function timestamp(environment: Environment): string {
  return new Date(environment.now()).toISOString()
}
