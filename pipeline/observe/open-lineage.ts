import type { Content } from '../../sql/tables.ts'
import { PLATFORM_FIELDS } from '../../transforms/registry/platform-fields.ts'
import type { IntegrationConfig } from '../config/config.ts'
import type { EndedReading, EndedRun, OpenedRun } from '../runtime/events.ts'
import { productVersion } from '../runtime/package-root.ts'

/** Events in the words of OpenLineage 2-0-2, which has its own for some of ours: an integration is a job there. */

const PRODUCER = `urn:event-content-sync:${productVersion}`
const SPEC = 'https://openlineage.io/spec'

export type EventType = 'START' | 'RUNNING' | 'COMPLETE' | 'ABORT' | 'FAIL'

/** What an event is made of, beside its type and time. */
export interface LineageOfRun {
  readonly namespace: string
  readonly integration: IntegrationConfig
  readonly platform: { readonly url: string; readonly eventId: string }
  readonly run: OpenedRun
  /** How the reading of each resource ended, and the bytes that were read of it. */
  readonly readings: Map<string, EndedReading>
  readonly bytes: Map<string, number>
}

/** @param ended null for an event before the end */
export function runEvent(type: EventType, at: string, of: LineageOfRun, ended: EndedRun | null) {
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
  const { create, update, remove } = ended.report.changes[content]
  const figures = { rowCount: create + update + remove }
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

/** @param schema version and name: `1-0-0/SomeFacet` */
function facet<Fields extends object>(schema: string, fields: Fields) {
  const [, name] = schema.split('/')
  return { _producer: PRODUCER, _schemaURL: `${SPEC}/facets/${schema}.json#/$defs/${name}`, ...fields }
}
