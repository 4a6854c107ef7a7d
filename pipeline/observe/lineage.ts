import { appendFile } from 'node:fs/promises'
import { isAbsolute, resolve } from 'node:path'
import { isReference } from '../config/values.ts'
import { type IntegrationConfig, type LineageConfig, resolveSecret } from '../config.ts'
import { platformOf } from '../platform/connect.ts'
import { type Context, timestamp } from '../run-context.ts'
import { addressOf } from './address.ts'
import { deliver } from './deliver.ts'
import { type EventType, type LineageOfRun, runEvent } from './open-lineage.ts'
import type { Listener } from './tell-all.ts'
import type { Certified, EndedRun, OpenedRun } from './told.ts'

/** What is known of a run that is under way. */
interface Known {
  readonly run: OpenedRun
  readonly certificates: Map<string, Certified>
  readonly bytes: Map<string, number>
}

/** Writes an OpenLineage event when a run begins and when it ends; one that cannot be written is told, and given up. */
export function tellLineage(context: Context, lineage: LineageConfig): Listener {
  const { config, environment, progress, secrets } = context
  const known = new Map<string, Known>()
  const writing = new Map<string, Promise<void>>()

  async function write(line: string): Promise<void> {
    const { to } = lineage
    if (!isReference(to) && !/^https?:/i.test(to)) {
      return appendFile(isAbsolute(to) ? to : resolve(secrets.configFolder, to), `${line}\n`)
    }
    const token = lineage.token === undefined ? null : resolveSecret(lineage.token, secrets, 'lineage.token')
    const authorization = token === null ? {} : { Authorization: `Bearer ${token.reveal()}` }
    const headers = { 'Content-Type': 'application/json', ...authorization }
    const request = { url: addressOf(to, 'lineage.to', secrets), headers, body: line }
    await deliver(context, request, lineage.timeoutSeconds * 1000)
  }

  function tell(integrationId: string, type: EventType, of: Known, ended: EndedRun | null): void {
    const integration = config.integrations.find(({ id }) => id === integrationId)
    if (integration === undefined) return
    const event = runEvent(type, timestamp(environment), lineageOf(lineage.namespace, integration, of), ended)
    // One after the other, so that a run does not end before it began.
    const before = writing.get(integrationId) ?? Promise.resolve()
    const written = before.then(() => write(JSON.stringify(event)))
    writing.set(
      integrationId,
      written.catch((error: unknown) => {
        progress.untold(integrationId, 'the lineage', error instanceof Error ? error.message : String(error))
      }),
    )
  }

  return {
    opened(integration, run) {
      const of = { run, certificates: new Map(), bytes: new Map() }
      known.set(integration, of)
      tell(integration, run.isContinued ? 'RUNNING' : 'START', of, null)
    },
    read(integration, resource, _records, bytes) {
      const sizes = known.get(integration)?.bytes
      sizes?.set(resource, (sizes.get(resource) ?? 0) + bytes)
    },
    certified(integration, certificate) {
      known.get(integration)?.certificates.set(certificate.resource, certificate)
    },
    ended(integration, ended) {
      const of = known.get(integration)
      if (of === undefined || ended.report.run !== of.run.run) return
      known.delete(integration)
      tell(integration, typeOf(ended), of, ended)
    },
    async settled(integration) {
      await writing.get(integration)
      writing.delete(integration)
    },
  }
}

/** A run that a guard held, on purpose, did not do what it is for, and did not fail either. */
function typeOf({ report }: EndedRun): EventType {
  if (report.status === 'failed') return 'FAIL'
  return report.status === 'held' ? 'ABORT' : 'COMPLETE'
}

function lineageOf(
  namespace: string,
  integration: IntegrationConfig,
  { run, certificates, bytes }: Known,
): LineageOfRun {
  const { url, eventId } = platformOf(integration)
  return {
    namespace,
    integration: integration.id,
    run,
    source: integration.source,
    // Of a target that writes to the pack, the integration's folder of packs is what there is.
    platform: url === '' ? { url: namespace, eventId: integration.id } : { url, eventId },
    contents: integration.content,
    resources: run.resources.map(({ name, table, columns }) => {
      const certificate = certificates.get(name)
      const read = certificate === undefined ? undefined : { ...certificate, bytes: bytes.get(name) ?? 0 }
      return { name, table, columns, read }
    }),
  }
}
