import type { Database } from '../sql/database.ts'
import type { Config, IntegrationConfig, SecretEnvironment } from './config.ts'
import type { Environment } from './environment.ts'
import type { ConnectedSource } from './extract/connect.ts'
import type { HttpLimits } from './extract/http.ts'
import type { RateBudget } from './extract/rate.ts'
import type { Retries } from './extract/retry.ts'
import type { RateBudgets } from './extract/shared-rate.ts'
import type { Progress } from './observe/told.ts'
import type { RunId } from './run-id.ts'

/** What commands work with that need no database. */
export interface BaseContext {
  readonly config: Config
  readonly environment: Environment
  readonly secrets: SecretEnvironment
  /** Folder of the packs, absolute. */
  readonly outputFolder: string
  readonly progress: Progress
  /** Shared with other processes; left out where there is none to share with: then each run paces itself. */
  readonly budgets?: RateBudgets
}

/** What every other command works with. */
export interface Context extends BaseContext {
  readonly database: Database
}

/** Steps of a run, in their order. Source: design 3, "run". */
export type Step = 'extract' | 'refresh' | 'stage' | 'transform' | 'plan' | 'apply' | 'audit'

/** What the steps of one run work with. */
export interface RunContext extends Context {
  readonly integration: IntegrationConfig
  readonly integrationId: string
  readonly runId: RunId
  readonly connected: ConnectedSource
  readonly limits: HttpLimits & { readonly maxRecordBytes: number; readonly resumeMinutes: number }
  readonly retries: Retries
  readonly rate: RateBudget
  /** Does one step, telling people that it begins; a failure is a StepError that names the step. */
  step<Result>(name: Step, work: () => Promise<Result>): Promise<Result>
}

/** A step of a run failed. */
export class StepError extends Error {
  override readonly name = 'StepError'
  readonly step: Step

  /** @param place where in the step, such as `source a` */
  constructor(step: Step, place: string, cause: unknown) {
    const message = cause instanceof Error ? cause.message : String(cause)
    super(`${step} failed: ${place === '' ? '' : `${place}, `}${message}`, { cause })
    this.step = step
  }
}

/** The moment as the ledger writes it. */
export function timestamp(environment: Environment): string {
  return new Date(environment.now()).toISOString()
}
