import { type PlatformReader, PlatformRefusalError } from '../../loaders/platform/target.ts'
import { ConfigError, type IntegrationConfig } from '../config/config.ts'
import type { BaseContext } from '../context/run-context.ts'
import { limitsOf } from '../extract/open-run.ts'
import { ReadError } from '../http/read-error.ts'
import { platformOf, readerOf, requireUsable, targetTypeOf } from '../platform/connect.ts'
import { whyNotWritable } from '../runtime/not-writable.ts'
import { type Finding, failed, failedBy, notCheckable, ok, type Rule } from '../sources/contract/findings.ts'
import { FIRST_CONTACT_SECONDS } from './first-contact.ts'

const RULE: Rule = { id: 'platform', sentence: 'what is synced can be delivered', clause: null }

/** Says whether the output folder could be written to, and whether a platform that can be asked answers as it must. */
export async function platformFinding(context: BaseContext, integration: IntegrationConfig) {
  const { outputFolder } = context
  const fault = whyNotWritable(outputFolder)
  if (fault !== null) {
    return failed(RULE, `the output folder ${outputFolder} cannot be written (${fault})`, 'fix the folder')
  }
  try {
    return await reachedFinding(context, integration)
  } catch (error) {
    if (error instanceof ConfigError) return failedBy(RULE, error)
    throw error
  }
}

/** @throws ConfigError for a secret or certificate that is missing or unusable */
async function reachedFinding(context: BaseContext, integration: IntegrationConfig): Promise<Finding> {
  const limits = limitsOf(context, integration)
  try {
    const reaching = { ...context, limits }
    const reader = readerOf(reaching, integration, FIRST_CONTACT_SECONDS)
    if (reader !== null) return await contactFinding(reader, integration)
    requireUsable(reaching, integration)
    const { platform } = integration
    return targetTypeOf(platform).writesToPack
      ? ok(RULE, `operations files can be written in ${context.outputFolder}`)
      : notCheckable(
          RULE,
          `a platform of type ${platform.type} cannot be asked`,
          'see whether the first run lands',
        )
  } finally {
    limits.connections.close()
  }
}

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
