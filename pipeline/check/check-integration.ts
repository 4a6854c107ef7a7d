import {
  ConfigError,
  type IntegrationConfig,
  resolveSecret,
  type SecretEnvironment,
  type SecretReference,
} from '../config.ts'
import { connect, sourceTypeOf } from '../extract/connect.ts'
import type { Resource } from '../extract/source.ts'
import { openReader, retriesOf } from '../open-run.ts'
import type { BaseContext } from '../run-context.ts'
import { type CheckedPart, type Finding, failed, failedBy, type Rule, splitMessage } from './findings.ts'
import { FIRST_CONTACT_SECONDS, quickAtFirst } from './first-contact.ts'
import { passwordFindings } from './passwords.ts'
import { platformFinding } from './platform.ts'
import { readAll } from './read-all.ts'
import type { ReadFault } from './read-fault.ts'
import type { Answers, TallyOf } from './reads.ts'
import { tallyZoneless } from './time-zone.ts'

const SET_UP: Rule = {
  id: 'setUp',
  sentence: 'the source account is set up for the integration',
  clause: null,
}

/**
 * Checks one integration: platform, passwords, and everything that reading its source can tell. Writes nothing, and works
 * without a database, since it must say its piece where there is none.
 */
export async function checkIntegration(
  context: BaseContext,
  integration: IntegrationConfig,
): Promise<CheckedPart> {
  const { id, source } = integration
  const title = `Source ${source.type.toUpperCase()} at ${source.url}, event ${source.eventId}`
  context.progress.step(id, 'check')
  try {
    const findings = [
      await platformFinding(context, integration),
      ...passwordFindings(context.config, integration, context.secrets),
      ...(await sourceFindings(context, integration)),
    ]
    return { integration: id, title, findings }
  } catch (error) {
    // One integration's fault is not the next one's.
    const message = error instanceof Error ? error.message : String(error)
    const todo = 'this is a fault of event-sync itself: tell whoever keeps it'
    return { integration: id, title, findings: [failed(SET_UP, `the check broke off: ${message}`, todo)] }
  } finally {
    context.progress.done(id)
  }
}

async function sourceFindings(
  context: BaseContext,
  integration: IntegrationConfig,
): Promise<readonly Finding[]> {
  const { source, content } = integration
  try {
    const accessFault = findSecretFault(integration, context.secrets)
    const answers: Answers =
      accessFault === null
        ? await readSource(context, integration)
        : { accessFault, isAdmitted: false, reads: new Map() }
    return sourceTypeOf(source).findings(source, content, answers)
  } catch (error) {
    // Such as a file of certificates that is not there.
    if (error instanceof ConfigError) return [failedBy(SET_UP, error)]
    throw error
  }
}

/** Says which secrets of the source are missing; null where all are there or none is needed. */
function findSecretFault({ source }: IntegrationConfig, secrets: SecretEnvironment): ReadFault | null {
  const references: Readonly<Record<string, unknown>> = source
  const missing = sourceTypeOf(source).secrets.flatMap((key) => {
    try {
      resolveSecret(references[key] as SecretReference, secrets, `source.${key}`)
      return []
    } catch (error) {
      if (error instanceof ConfigError) return [splitMessage(error)]
      throw error
    }
  })
  if (missing.length === 0) return null
  const message = missing.map(({ seen }) => seen).join('; ')
  const todo = missing.map((part) => part.todo).join('; ')
  return { kind: 'no secret', status: null, message, todo }
}

async function readSource(context: BaseContext, integration: IntegrationConfig): Promise<Answers> {
  const quick = retriesOf(context, integration, FIRST_CONTACT_SECONDS)
  const patient = retriesOf(context, integration, context.config.http.retryBudgetSeconds)
  const retries = quickAtFirst(quick, patient)
  const reader = openReader(context, integration, retries)
  const { source } = integration
  const inUtc = connect({ ...integration, source: { ...source, timeZone: 'UTC' } }, { ...context, ...reader })
  const twins = new Map(inUtc.resources.map((resource) => [resource.name, resource]))
  const tallyOf: TallyOf = (resource: Resource) => {
    const twin = twins.get(resource.name)
    const holdsTimes = resource.columns.includes('start_time_status')
    return holdsTimes && twin !== undefined
      ? tallyZoneless(resource, twin)
      : sourceTypeOf(source).tally(resource)
  }
  return readAll(reader, tallyOf)
}
