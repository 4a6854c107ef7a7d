import { join } from 'node:path'

/** Folder of a run's pack; users rely on where it is. */
export function packFolder(context: { outputFolder: string; integrationId: string; runId: string }): string {
  return join(context.outputFolder, context.integrationId, context.runId)
}
