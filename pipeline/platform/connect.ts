import type { PlatformReader, PlatformTarget } from '../../loaders/platform/target.ts'
import type { IntegrationConfig } from '../config.ts'
import { limitsOf, retriesOf } from '../open-run.ts'
import { packFolder } from '../pack-folder.ts'
import type { Context, RunContext } from '../run-context.ts'
import { passwordsOf } from './passwords.ts'
import { targetTypeOf } from './registry.ts'
import type { TargetContext } from './target-type.ts'

/**
 * Looks whether the platform can be written to as it is configured, before anything is read or written.
 *
 * @throws ConfigError for a secret that is missing or unusable
 */
export function requireDeliverable(context: Omit<Context, 'database'>, integration: IntegrationConfig): void {
  readerOf(context, integration)
  passwordsOf(context, integration)
}

/**
 * Opens the way by which a run's operations reach the platform.
 *
 * @param fence number of the run
 */
export function targetOf(run: RunContext, fence: number): PlatformTarget {
  const { platform } = run.integration
  return targetTypeOf(platform).open(platform, targetContext(run, run.integration), {
    fence,
    folder: packFolder(run),
  })
}

/**
 * Opens the way by which the platform is asked what it has, with a retry budget of its own; null where it cannot be asked.
 *
 * @param budgetSeconds time that may be spent on waiting, in all
 * @throws ConfigError for a secret that is missing or unusable
 */
export function readerOf(
  context: Omit<Context, 'database'>,
  integration: IntegrationConfig,
  budgetSeconds?: number,
): PlatformReader | null {
  const { platform } = integration
  const { read } = targetTypeOf(platform)
  return read === null ? null : read(platform, targetContext(context, integration, budgetSeconds))
}

function targetContext(
  context: Omit<Context, 'database'>,
  integration: IntegrationConfig,
  budgetSeconds: number = context.config.http.retryBudgetSeconds,
): TargetContext {
  const { environment, progress, secrets } = context
  return {
    integrationId: integration.id,
    secrets,
    limits: limitsOf(context, integration),
    progress,
    now: () => environment.now(),
    retriesAt: (url) => retriesOf(context, integration, budgetSeconds, url),
  }
}
