import { join } from 'node:path'

/** Folder of a run's pack. Source: design 9 (contract). */
export function packFolder(context: { outputFolder: string; integrationId: string; runId: string }): string {
  return join(context.outputFolder, context.integrationId, context.runId)
}
