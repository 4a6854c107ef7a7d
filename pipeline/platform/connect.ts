import type { PlatformReader, PlatformTarget } from '../../loaders/platform/target.ts'
import type { TypedShape } from '../config/forms.ts'
import type { IntegrationConfig } from '../config.ts'
import { limitsOf, retriesOf } from '../open-run.ts'
import { packFolder } from '../pack-folder.ts'
import type { BaseContext, RunContext } from '../run-context.ts'
import { TARGETS } from './registry.ts'
import type { TargetContext, TargetType } from './target-type.ts'

/** The target of an integration, to be given the configuration of that integration only. */
export function targetTypeOf({ type }: IntegrationConfig['platform']): TargetType<TypedShape> {
  // Each takes the keys of its own: the types cannot know that these go together.
  return TARGETS[type] as unknown as TargetType<TypedShape>
}

/** The platform event that an integration writes to. */
export interface PlatformIdentity {
  readonly type: string
  readonly url: string
  readonly eventId: string
  /** All of it in one text, for the plan hash. */
  readonly identity: string
}

/** Names the platform event of an integration. */
export function platformOf({ platform }: IntegrationConfig): PlatformIdentity {
  const { type } = platform
  const { url, eventId } = targetTypeOf(platform).eventOf(platform)
  return { type, url, eventId, identity: url === '' ? type : JSON.stringify([type, url, eventId]) }
}

/**
 * Looks whether the platform can be written to as it is configured, before anything is read or written.
 *
 * @throws ConfigError for a secret that is missing or unusable
 */
export function requireUsable(context: BaseContext, integration: IntegrationConfig): void {
  const { platform } = integration
  targetTypeOf(platform).open(platform, targetContext(context, integration), { fence: 0, folder: '' })
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
  context: BaseContext,
  integration: IntegrationConfig,
  budgetSeconds?: number,
): PlatformReader | null {
  const { platform } = integration
  const { read } = targetTypeOf(platform)
  return read === null ? null : read(platform, targetContext(context, integration, budgetSeconds))
}

function targetContext(
  context: BaseContext,
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
