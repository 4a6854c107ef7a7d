import { access, constants } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { makeFolder } from '../../loaders/files/file-writer.ts'
import type { Config } from '../config/config.ts'
import { adviceOn, describeCode, whyNotWritable } from '../runtime/not-writable.ts'

/**
 * Name of a file beside the packs of an integration. The file contains the suppressions (which items must not
 * be synced), so that they survive the loss of the database.
 */
export const SUPPRESSIONS_FILE = 'suppressions.json'

/**
 * Name of the status page in the output folder. The status page links to the page of each plan that waits for
 * a decision.
 */
export const STATUS_PAGE = 'index.html'

/**
 * Name of a file beside the packs of an integration. With the Python program in this file, auditors can check
 * the packs. The original of this file is `loaders/verify/verify.py`.
 */
export const VERIFIER_FILE = 'verify.py'

/** Returns the folder of an integration's packs. */
export function packsFolder(context: { outputFolder: string }, integrationId: string): string {
  return join(context.outputFolder, integrationId)
}

/** Returns the folder of a run's pack. The path must not change, because users rely on it. */
export function packFolder(context: { outputFolder: string; integrationId: string; runId: string }): string {
  return join(packsFolder(context, context.integrationId), context.runId)
}

/** Returns true if a folder is the output folder or in the output folder. */
export function isInOutput({ outputFolder }: { outputFolder: string }, folder: string): boolean {
  const inside = relative(outputFolder, folder)
  return inside === '' || (inside.split(sep)[0] !== '..' && inside !== folder)
}

/**
 * Creates the folder of the integration's packs. If the output folder is not writable, this fails before the
 * run applies any change.
 */
export async function requireWritableOutput(context: {
  config: Config
  outputFolder: string
  integrationId: string
}): Promise<void> {
  const folder = packsFolder(context, context.integrationId)
  try {
    await makeFolder(folder, context.config.output.mode)
    await access(folder, constants.W_OK)
  } catch (cause) {
    const fault = whyNotWritable(folder) ?? cause
    throw new Error(
      `the output folder ${folder} cannot be written${describeCode(fault)}; ${adviceOn(fault)}, or set output to another folder`,
      { cause },
    )
  }
}
