import { join } from 'node:path'

/** Beside the packs of an integration. It holds the suppressions, so that they survive the database. */
export const SUPPRESSIONS_FILE = 'suppressions.json'

/** Folder of an integration's packs. */
export function packsFolder(context: { outputFolder: string }, integrationId: string): string {
  return join(context.outputFolder, integrationId)
}

/** Folder of a run's pack; users rely on where it is. */
export function packFolder(context: { outputFolder: string; integrationId: string; runId: string }): string {
  return join(packsFolder(context, context.integrationId), context.runId)
}
