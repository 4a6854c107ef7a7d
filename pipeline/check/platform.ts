import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { dirname } from 'node:path'
import { itemsOf, PlatformRefusalError } from '../../loaders/platform/http.ts'
import { ConfigError, type IntegrationConfig } from '../config.ts'
import { ReadError } from '../extract/read-error.ts'
import { connectPlatform, type HttpPlatform } from '../platform-connection.ts'
import type { CheckContext } from './check-integration.ts'
import { type Finding, failed, failedBy, ok, type Rule } from './findings.ts'
import { FIRST_CONTACT_SECONDS } from './first-contact.ts'

const RULE: Rule = { id: 'platform', sentence: 'what is synced can be delivered', clause: null }

/** Says whether the output folder could be written to, and whether a platform of type http answers as it must. */
export async function platformFinding(
  context: CheckContext,
  integration: IntegrationConfig,
): Promise<Finding> {
  const { outputFolder } = context
  const fault = await writingFault(outputFolder)
  if (fault !== null) {
    return failed(RULE, `the output folder ${outputFolder} cannot be written (${fault})`, 'mend the folder')
  }
  const { platform } = integration
  if (platform.type === 'jsonl') return ok(RULE, `operations files can be written in ${outputFolder}`)
  return contactFinding(context, integration, platform)
}

/** Asks for the first items; nothing is written. */
async function contactFinding(
  context: CheckContext,
  integration: IntegrationConfig,
  platform: HttpPlatform,
): Promise<Finding> {
  const [content = 'agenda'] = integration.content
  const where = `${platform.url}, event ${platform.eventId}`
  try {
    const connection = connectPlatform(context, integration, platform, FIRST_CONTACT_SECONDS)
    await itemsOf(connection, content).next()
    return ok(RULE, `the platform at ${where} answers, and takes the token`)
  } catch (error) {
    if (error instanceof ConfigError) return failedBy(RULE, error)
    if (!(error instanceof PlatformRefusalError || error instanceof ReadError)) throw error
    const todo = 'check platform.url, platform.eventId, platform.token, and whether this machine may reach it'
    return failed(RULE, `the platform at ${where}: ${error.message}`, todo)
  }
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
