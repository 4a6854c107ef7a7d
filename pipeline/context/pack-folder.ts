import { access, constants, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { adviceOn, describeCode, systemCodeOf, whyNotWritable } from '../runtime/not-writable.ts'

/** File beside the packs of an integration. It has the suppressions, so that they survive the database. */
export const SUPPRESSIONS_FILE = 'suppressions.json'

/** File beside the packs of an integration. It checks them with Python. Source: `loaders/verify/verify.py`. */
export const VERIFIER_FILE = 'verify.py'

/** Returns the folder of an integration's packs. */
export function packsFolder(context: { outputFolder: string }, integrationId: string): string {
  return join(context.outputFolder, integrationId)
}

/** Returns the folder of a run's pack. Users rely on this path. */
export function packFolder(context: { outputFolder: string; integrationId: string; runId: string }): string {
  return join(packsFolder(context, context.integrationId), context.runId)
}

/**
 * Makes the integration's folder. If the output folder is not writable, this fails before anything is
 * applied.
 */
export async function requireWritableOutput(context: {
  outputFolder: string
  integrationId: string
}): Promise<void> {
  const folder = packsFolder(context, context.integrationId)
  try {
    await mkdir(folder, { recursive: true })
    await access(folder, constants.W_OK)
  } catch (cause) {
    const code = whyNotWritable(folder) ?? systemCodeOf(cause)
    throw new Error(
      `the output folder ${folder} cannot be written${describeCode(code ?? cause)}; ${adviceOn(code)}, or set output to another folder`,
      { cause },
    )
  }
}
