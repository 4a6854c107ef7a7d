import { join } from 'node:path'
import { httpTarget } from '../loaders/platform/http.ts'
import { jsonlTarget } from '../loaders/platform/jsonl.ts'
import type { PlatformTarget } from '../loaders/platform/target.ts'
import type { IntegrationConfig } from './config.ts'
import { passwordsOf } from './passwords.ts'
import { connectPlatform } from './platform-connection.ts'
import type { Context, RunContext } from './run-context.ts'

/** The platform event that an integration writes to. */
export interface PlatformIdentity {
  readonly type: 'jsonl' | 'http'
  readonly url: string
  readonly eventId: string
  /** All of it in one text, for the plan hash. */
  readonly identity: string
}

/** Names the platform event of an integration. */
export function platformOf({ platform }: IntegrationConfig): PlatformIdentity {
  if (platform.type === 'jsonl') return { type: 'jsonl', url: '', eventId: '', identity: 'jsonl' }
  const { type, url, eventId } = platform
  return { type, url, eventId, identity: JSON.stringify([type, url, eventId]) }
}

/** Folder of a run's pack. Source: design 9 (contract). */
export function packFolder(context: { outputFolder: string; integrationId: string; runId: string }): string {
  return join(context.outputFolder, context.integrationId, context.runId)
}

/**
 * Looks whether the platform can be written to as it is configured, before anything is read or written.
 *
 * @throws ConfigError for a secret that is missing or unusable
 */
export function requireDeliverable(context: Omit<Context, 'database'>, integration: IntegrationConfig): void {
  if (integration.platform.type === 'http') connectPlatform(context, integration, integration.platform)
  passwordsOf(context, integration)
}

/**
 * Opens the way by which a run's operations reach the platform; a new target is one more case.
 *
 * @param fence number of the run
 */
export function targetOf(run: RunContext, fence: number): PlatformTarget {
  const { platform } = run.integration
  switch (platform.type) {
    case 'jsonl':
      return jsonlTarget(packFolder(run))
    case 'http':
      return httpTarget(connectPlatform(run, run.integration, platform), {
        fence,
        batchSize: platform.batchSize,
      })
  }
}
