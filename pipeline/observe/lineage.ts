import { appendFile } from 'node:fs/promises'
import { isAbsolute, resolve } from 'node:path'
import { toJsonLine } from '../../loaders/files/json-line.ts'
import { type Content, changesIn } from '../../sql/tables.ts'
import { PLATFORM_FIELDS } from '../../transforms/decide/platform-fields.ts'
import type { IntegrationConfig, LineageConfig } from '../config/config.ts'
import { platformOf } from '../context/connect.ts'
import { type Context, timestamp } from '../context/run-context.ts'
import type { EndedReading, EndedRun, Listener, OpenedRun } from '../runtime/events.ts'
import { messageOf } from '../runtime/message-of.ts'
import { productVersion } from '../runtime/package-root.ts'
import { isPinnedRun } from '../runtime/report.ts'
import { deliver, lineageAddress } from './deliver.ts'

/**
 * Returns a listener that writes an OpenLineage event at the start and the end of each run. If an event
 * cannot be written, it is dropped.
 */
export function lineageListener(context: Context, lineage: LineageConfig): Listener {
  const { config, environment, events, secrets } = context
  const known = new Map<string, LineageOfRun>()
  const writing = new Map<string, Promise<void>>()

  async function write(line: string): Promise<void> {
    const { to } = lineage
    const address = lineageAddress(lineage, secrets)
    if (address === null) {
      return appendFile(isAbsolute(to) ? to : resolve(secrets.configFolder, to), `${line}\n`)
    }
    const { url, token } = address
    const authorization = token === null ? {} : { Authorization: `Bearer ${token}` }
    const headers = { 'Content-Type': 'application/json', ...authorization }
    const request = { url, addressKey: 'lineage.to', headers, body: line }
    await deliver(context, request, lineage.timeoutSeconds * 1000)
  }

  function send(type: EventType, of: LineageOfRun, ended: EndedRun | null): void {
    const { id } = of.integration
    const event = runEvent(type, timestamp(environment), of, ended)
    // Events are written one after the other, so that the end of a run never arrives before its start.
    const before = writing.get(id) ?? Promise.resolve()
    const written = before
      .then(() => write(toJsonLine(event)))
      .catch((error: unknown) => {
        events.emit(id, { type: 'delivery failed', to: 'the lineage', cause: messageOf(error) })
      })
    writing.set(id, written)
  }

  return {
    emit(integrationId, event) {
      if (event.type === 'run opened') {
        const integration = config.integrations.find(({ id }) => id === integrationId)
        if (integration === undefined) return
        const { namespace } = lineage
        const { url, eventId } = platformOf(integration)
        const of: LineageOfRun = {
          namespace,
          integration,
          // A platform of type jsonl, which writes operations to the pack, has no address. The operations for
          // such a platform are in the folder with the packs of the integration.
          platform: url === '' ? { url: namespace, eventId: integrationId } : { url, eventId },
          run: event,
          readings: new Map(),
          bytes: new Map(),
        }
        known.set(integrationId, of)
        return send(event.isContinued ? 'RUNNING' : 'START', of, null)
      }
      const of = known.get(integrationId)
      if (of === undefined) return
      if (event.type === 'read')
        of.bytes.set(event.resource, (of.bytes.get(event.resource) ?? 0) + event.bytes)
      if (event.type === 'reading ended') of.readings.set(event.resource, event)
      if (event.type !== 'run ended' || event.report.run !== of.run.run) return
      known.delete(integrationId)
      // OpenLineage calls a held or pinned run aborted. The run sent nothing, but it did not fail.
      const { status } = event.report
      const isAborted = status === 'held' || isPinnedRun(event.report)
      send(status === 'failed' ? 'FAIL' : isAborted ? 'ABORT' : 'COMPLETE', of, event)
    },
    async settled(integration) {
      await writing.get(integration)
      writing.delete(integration)
    },
  }
}

/** The events follow OpenLineage 2-0-2. In OpenLineage, an integration is called a job. */

const PRODUCER = `urn:event-content-sync:${productVersion}`
const SPEC = 'https://openlineage.io/spec'

export type EventType = 'START' | 'RUNNING' | 'COMPLETE' | 'ABORT' | 'FAIL'

/** The data of a lineage event without its type and time. */
export interface LineageOfRun {
  readonly namespace: string
  readonly integration: IntegrationConfig
  readonly platform: { readonly url: string; readonly eventId: string }
  readonly run: OpenedRun
  /**
   * For each resource, the event that its reading has ended. `bytes` is the number of bytes read, for each
   * resource.
   */
  readonly readings: Map<string, EndedReading>
  readonly bytes: Map<string, number>
}

/** Builds a lineage event. @param ended how the run ended; null for an event before the end */
function runEvent(type: EventType, at: string, of: LineageOfRun, ended: EndedRun | null) {
  const { namespace, integration, run } = of
  const kind = {
    processingType: 'BATCH',
    integration: 'EVENT_CONTENT_SYNC',
    jobType: run.command.toUpperCase(),
  }
  return {
    eventType: type,
    eventTime: at,
    producer: PRODUCER,
    schemaURL: `${SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent`,
    run: { runId: run.run, facets: errorFacet(ended) },
    job: { namespace, name: integration.id, facets: { jobType: facet('2-0-3/JobTypeJobFacet', kind) } },
    inputs: run.resources.map(({ name }) => inputOf(of, name)),
    outputs: [
      ...run.resources.map(({ table, columns }) => ({
        namespace,
        name: table,
        facets: schemaFacet(['integration_id', 'source_id', ...columns]),
      })),
      ...integration.content.map((content) => outputOf(of, content, ended)),
    ],
  }
}

function inputOf({ integration: { source }, readings, bytes }: LineageOfRun, resource: string) {
  const dataset = { namespace: source.url, name: `${source.eventId}/${resource}` }
  const reading = readings.get(resource)
  if (reading === undefined) return dataset
  const figures = { rowCount: reading.records, size: bytes.get(resource) ?? 0 }
  const inputStatistics = facet('1-0-0/InputStatisticsInputDatasetFacet', figures)
  return { ...dataset, inputFacets: { inputStatistics } }
}

function outputOf({ platform }: LineageOfRun, content: Content, ended: EndedRun | null) {
  const dataset = {
    namespace: platform.url,
    name: `${platform.eventId}/${content}`,
    facets: schemaFacet(['uniqueId', ...PLATFORM_FIELDS[content]]),
  }
  if (ended?.report.status !== 'finished') return dataset
  const figures = { rowCount: changesIn(ended.report.changes[content]) }
  const outputStatistics = facet('1-0-2/OutputStatisticsOutputDatasetFacet', figures)
  return { ...dataset, outputFacets: { outputStatistics } }
}

function schemaFacet(names: readonly string[]) {
  return { schema: facet('1-1-1/SchemaDatasetFacet', { fields: names.map((name) => ({ name })) }) }
}

function errorFacet(ended: EndedRun | null) {
  const { error, held } = ended?.report ?? {}
  const message = error ?? (held == null ? undefined : `held by ${held.guard}: ${held.detail}`)
  if (message === undefined) return {}
  return {
    errorMessage: facet('1-0-1/ErrorMessageRunFacet', { message, programmingLanguage: 'TypeScript' }),
  }
}

/**
 * Builds a facet (a group of fields in an OpenLineage event).
 *
 * @param schema version and name of the schema, for example `1-0-0/SomeFacet`
 */
function facet<Fields extends object>(schema: string, fields: Fields) {
  const [, name] = schema.split('/')
  return { _producer: PRODUCER, _schemaURL: `${SPEC}/facets/${schema}.json#/$defs/${name}`, ...fields }
}
