import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { dirname } from 'node:path'
import { platformOf } from '../apply.ts'
import { ConfigError, type IntegrationConfig } from '../config.ts'
import { type Finding, failed, failedBy, ok, type Rule } from './findings.ts'

const RULE: Rule = { id: 'platform', sentence: 'what is synced can be delivered', clause: null }

/** Says whether this version can write to the platform, and whether the output folder could be written to. */
export async function platformFinding(
  integration: IntegrationConfig,
  outputFolder: string,
): Promise<Finding> {
  try {
    platformOf(integration)
  } catch (error) {
    if (error instanceof ConfigError) return failedBy(RULE, error)
    throw error
  }
  const fault = await writingFault(outputFolder)
  if (fault === null) return ok(RULE, `operations files can be written in ${outputFolder}`)
  return failed(RULE, `the output folder ${outputFolder} cannot be written (${fault})`, 'mend the folder')
}

/** Looks at the folder, or at the nearest one above it that is there, and makes none. */
async function writingFault(folder: string): Promise<string | null> {
  try {
    await access(folder, constants.W_OK)
    return null
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    const above = dirname(folder)
    return code === 'ENOENT' && above !== folder ? writingFault(above) : code
  }
}
