import {
  type PlatformReader,
  PlatformRefusalError,
  type PlatformTarget,
} from '../../loaders/platform/target.ts'
import type { Content } from '../../sql/tables.ts'
import type { IntegrationConfig } from '../config/config.ts'
import type { HttpLimits } from '../http/http.ts'
import { creditsInMemory, makeRateBudgets } from '../http/rate.ts'
import { ReadError } from '../http/read-error.ts'
import type { Retries } from '../http/retry.ts'
import { pointsOf } from '../runtime/events.ts'
import { targetTypeOf } from '../targets/registry.ts'
import type { TargetContext } from '../targets/target-type.ts'
import { retriesOf } from './limits.ts'
import { packFolder } from './pack-folder.ts'
import type { BaseContext, RunContext } from './run-context.ts'

/**
 * Returns the platform event to which an integration writes. `identity` is one text that contains all parts
 * of the platform event. The hash of a plan covers this text.
 */
export function platformOf({ platform }: IntegrationConfig) {
  const { type } = platform
  const { url, eventId } = targetTypeOf(platform).eventOf(platform)
  return { type, url, eventId, identity: url === '' ? type : JSON.stringify([type, url, eventId]) }
}

/** The limits of requests, with the HTTP connections to the platform. */
type PlatformContext = BaseContext & { readonly limits: HttpLimits }

/**
 * Checks the configuration of the platform before the run reads or writes anything.
 *
 * @throws ConfigError if a secret is missing or unusable
 */
export function requireUsable(context: PlatformContext, integration: IntegrationConfig): void {
  const { platform } = integration
  targetTypeOf(platform).open(platform, targetContext(context, integration), '')
}

export function targetOf(run: RunContext): PlatformTarget {
  const { platform } = run.integration
  const context = targetContext(run, run.integration)
  const retriesAt = (url: string) => withLock(run, context.retriesAt(url))
  return targetTypeOf(platform).open(platform, { ...context, retriesAt }, packFolder(run))
}

/**
 * Lets a run repeat a request only while the run has the lock of its integration. If the machine was cut off or
 * suspended, another process may have finished the run in the meantime.
 */
function withLock({ database }: RunContext, retries: Retries): Retries {
  return {
    ...retries,
    run(what, read) {
      let isFirst = true
      return retries.run(what, async (begin) => {
        // An empty transaction fails if the lock is lost.
        if (!isFirst) await database.transaction(async () => undefined)
        isFirst = false
        return read(begin)
      })
    },
  }
}

/**
 * Opens the platform for reading.
 *
 * @param budgetSeconds total time that may be spent waiting for the platform
 * @returns null if this platform cannot list its items
 * @throws ConfigError if a secret is missing or unusable
 */
export function platformReaderOf(
  context: PlatformContext,
  integration: IntegrationConfig,
  budgetSeconds?: number,
): PlatformReader | null {
  const { platform } = integration
  const { read } = targetTypeOf(platform)
  return read === null ? null : read(platform, targetContext(context, integration, budgetSeconds))
}

function targetContext(
  context: PlatformContext,
  integration: IntegrationConfig,
  budgetSeconds: number = context.config.http.retryBudgetSeconds,
): TargetContext {
  const { environment, events, limits, secrets } = context
  return {
    integrationId: integration.id,
    secrets,
    outputMode: context.config.output.mode,
    limits,
    at: pointsOf(events, integration.id),
    now: () => environment.now(),
    retriesAt: (url) => retriesOf(context, integration, budgetSeconds, url),
    budgetOf(url, account, requestsPerMinute, cause) {
      const budgets = context.budgets ?? makeRateBudgets(environment, creditsInMemory(environment))
      const { host } = new URL(url)
      return budgets.paced(`platform ${host} ${account}`, requestsPerMinute, (what, waitMs) =>
        events.emit(integration.id, {
          type: 'wait',
          what,
          cause,
          waitMs,
          host,
          status: null,
          isRetry: false,
        }),
      )
    },
  }
}

export type PlatformCounts = Awaited<ReturnType<typeof countAtPlatform>>

/**
 * Asks the platform how many items of each synced content it has. The run has already applied all changes
 * before it asks for the counts. Therefore the run continues if the platform does not answer.
 *
 * @returns counts by content, and notes that explain missing counts
 */
export async function countAtPlatform(run: RunContext) {
  const notes: string[] = []
  const counts = new Map<Content, number>()
  const reader = platformReaderOf(run, run.integration)
  if (reader === null) return { counts, notes }
  try {
    for (const content of run.integration.content) {
      const { total } = await reader.stateOf(content)
      if (total !== null) counts.set(content, total)
    }
  } catch (error) {
    if (!(error instanceof ReadError || error instanceof PlatformRefusalError)) throw error
    notes.push(
      `the platform did not say how many items it has, so its count was not reconciled: ${error.message}`,
    )
  }
  return { counts, notes }
}
