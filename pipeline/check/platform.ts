import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type PlatformReader, PlatformRefusalError } from '../../loaders/platform/target.ts'
import { ConfigError, type IntegrationConfig } from '../config.ts'
import { ReadError } from '../extract/read-error.ts'
import { platformOf, readerOf, requireUsable, targetTypeOf } from '../platform/connect.ts'
import type { BaseContext } from '../run-context.ts'
import { type Finding, failed, failedBy, notCheckable, ok, type Rule } from './findings.ts'
import { FIRST_CONTACT_SECONDS } from './first-contact.ts'

const RULE: Rule = { id: 'platform', sentence: 'what is synced can be delivered', clause: null }

/** Says whether the output folder could be written to, and whether a platform that can be asked answers as it must. */
export async function platformFinding(
  context: BaseContext,
  integration: IntegrationConfig,
): Promise<Finding> {
  const { outputFolder } = context
  const fault = await writingFault(outputFolder)
  if (fault !== null) {
    return failed(RULE, `the output folder ${outputFolder} cannot be written (${fault})`, 'mend the folder')
  }
  try {
    const reader = readerOf(context, integration, FIRST_CONTACT_SECONDS)
    if (reader !== null) return await contactFinding(reader, integration)
    requireUsable(context, integration)
    const { type } = integration.platform
    return targetTypeOf(integration.platform).writesToPack
      ? ok(RULE, `operations files can be written in ${outputFolder}`)
      : notCheckable(RULE, `a platform of type ${type} cannot be asked`, 'see whether the first run lands')
  } catch (error) {
    if (error instanceof ConfigError) return failedBy(RULE, error)
    throw error
  }
}

/** Asks for the first items; nothing is written. */
async function contactFinding(reader: PlatformReader, integration: IntegrationConfig): Promise<Finding> {
  const { url, eventId } = platformOf(integration)
  const where = eventId === '' ? url : `${url}, event ${eventId}`
  try {
    const [content = 'agenda'] = integration.content
    for await (const _page of reader.itemsOf(content)) break
    return ok(RULE, `the platform at ${where} answers, and lets us read what it has`)
  } catch (error) {
    if (!(error instanceof PlatformRefusalError || error instanceof ReadError)) throw error
    const keys = Object.keys(targetTypeOf(integration.platform).shape).filter((key) => key !== 'type')
    const todo = `check ${keys.map((key) => `platform.${key}`).join(', ')}, and whether this machine may reach it`
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
