import type { IntegrationConfig } from '../config/config.ts'
import { creditsInMemory, makeRateBudgets } from '../http/rate.ts'
import { ReadError } from '../http/read-error.ts'
import type { Retries } from '../http/retry.ts'
import { pointsOf, type RunEvent } from '../runtime/events.ts'
import type { RunId } from '../runtime/run-id.ts'
import { STEPS, type StepPlace } from '../runtime/step.ts'
import type { StepTime } from '../schemas/runs.ts'
import { UnprovedError } from '../sources/contract/source.ts'
import { limitsOf, retriesOf } from './limits.ts'
import type { ReaderContext } from './run-context.ts'
import { type BaseContext, type Context, connect, type RunContext, StepError } from './run-context.ts'

/**
 * Opens everything that a run of an integration uses.
 *
 * @param notes notes for the report that were made before the run
 */
export function openRunContext(
  context: Context,
  integration: IntegrationConfig,
  runId: RunId,
  notes: readonly string[] = [],
): RunContext {
  const stepTimes: StepTime[] = []
  return {
    ...context,
    ...openReader(context, integration),
    integration,
    runId,
    notes,
    stepTimes,
    at: pointsOf(context.events, integration.id),
    async step(name, work) {
      const place = { number: STEPS.indexOf(name) + 1, of: STEPS.length }
      const ended = (ms: number) => stepTimes.push({ step: name, ms })
      try {
        return await emitStep(context, integration.id, name, place, work, ended)
      } catch (error) {
        // An error in the extract step can also come from the database, so only read errors are attributed to
        // the source.
        const isOfSource =
          name === 'extract' && (error instanceof ReadError || error instanceof UnprovedError)
        throw new StepError(name, isOfSource ? `source ${integration.source.type}` : '', error)
      }
    },
  }
}

/**
 * Does one step of a command for an integration, and emits events at the beginning and the end of the step.
 *
 * @param ended receives the duration of the step in milliseconds
 */
export async function emitStep<Result>(
  { environment, events, cancelled }: BaseContext,
  integrationId: string,
  step: string,
  place: StepPlace,
  work: () => Promise<Result>,
  ended: (ms: number) => void = () => undefined,
): Promise<Result> {
  const startedMs = environment.now()
  const end = (errorType: string | null) => {
    const ms = Math.max(0, environment.now() - startedMs)
    ended(ms)
    events.emit(integrationId, { type: 'step ended', step, ms, errorType })
  }
  events.emit(integrationId, { type: 'step begun', step, place })
  try {
    cancelled?.throwIfAborted()
    const result = await work()
    end(null)
    return result
  } catch (error) {
    end(error instanceof Error ? error.name : 'unknown')
    throw error
  }
}

/**
 * Opens the source of an integration for reading without a database. The default retries are the retries of a
 * run.
 */
export function openReader(
  context: BaseContext,
  integration: IntegrationConfig,
  retries: Retries = retriesOf(context, integration, context.config.http.retryBudgetSeconds),
): ReaderContext {
  const { environment, events, secrets } = context
  const emit = (event: RunEvent) => events.emit(integration.id, event)
  const limits = limitsOf(context, integration)
  const connected = connect(integration, { environment, secrets, limits, retries })
  const { account, requestCost, within } = connected.source
  const { host } = within
  const cause = 'the source allows no more requests for now'
  const report = (what: string, waitMs: number) =>
    emit({ type: 'wait', what, cause, waitMs, host, status: null, isRetry: false })
  const budgets = context.budgets ?? makeRateBudgets(environment, creditsInMemory(environment))
  const rate = budgets.of(account === null ? host : `${host} ${account}`, requestCost, report)
  return { integrationId: integration.id, environment, emit, connected, limits, retries, rate }
}
