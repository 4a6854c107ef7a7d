import type { Content } from '../../sql/tables.ts'
import { PLATFORM_FIELDS } from '../../transforms/platform-fields.ts'
import { productVersion } from '../package-root.ts'
import type { Certified, EndedRun, OpenedRun } from './told.ts'

/** Events in the words of OpenLineage 2-0-2, which has its own for some of ours: an integration is a job there. */

const PRODUCER = `urn:event-content-sync:${productVersion}`
const SPEC = 'https://openlineage.io/spec'

export type EventType = 'START' | 'RUNNING' | 'COMPLETE' | 'ABORT' | 'FAIL'

/** What an event is made of, beside its type and time. */
export interface LineageOfRun {
  readonly namespace: string
  readonly integration: string
  readonly run: OpenedRun
  /** Addresses of the source and the platform, without paths of their APIs; the events there. */
  readonly source: { readonly url: string; readonly eventId: string }
  readonly platform: { readonly url: string; readonly eventId: string }
  readonly contents: readonly Content[]
  readonly resources: readonly LineageResource[]
}

/** A resource, and the table that it is staged in. */
export interface LineageResource {
  readonly name: string
  readonly table: string
  readonly columns: readonly string[]
  /** What is known of its reading; undefined before that. */
  readonly read: (Certified & { readonly bytes: number }) | undefined
}

/** @param ended null for an event before the end */
export function runEvent(type: EventType, at: string, of: LineageOfRun, ended: EndedRun | null) {
  return {
    eventType: type,
    eventTime: at,
    producer: PRODUCER,
    schemaURL: `${SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent`,
    run: { runId: of.run.run, facets: errorFacet(ended) },
    job: {
      namespace: of.namespace,
      name: of.integration,
      facets: {
        jobType: facet('2-0-3/JobTypeJobFacet', {
          processingType: 'BATCH',
          integration: 'EVENT_CONTENT_SYNC',
          jobType: of.run.command.toUpperCase(),
        }),
      },
    },
    inputs: of.resources.map((resource) => inputOf(of, resource)),
    outputs: [
      ...of.resources.map(({ table, columns }) => ({
        namespace: of.namespace,
        name: table,
        facets: schemaFacet(['integration_id', 'source_id', ...columns]),
      })),
      ...of.contents.map((content) => outputOf(of, content, ended)),
    ],
  }
}

function inputOf({ source }: LineageOfRun, { name, read }: LineageResource) {
  return {
    namespace: source.url,
    name: `${source.eventId}/${name}`,
    ...(read === undefined
      ? {}
      : {
          inputFacets: {
            inputStatistics: facet('1-0-0/InputStatisticsInputDatasetFacet', {
              rowCount: read.records,
              size: read.bytes,
            }),
          },
        }),
  }
}

function outputOf({ platform }: LineageOfRun, content: Content, ended: EndedRun | null) {
  const isSent = ended?.report.status === 'finished'
  const { create = 0, update = 0, remove = 0 } = ended?.report.changes[content] ?? {}
  return {
    namespace: platform.url,
    name: `${platform.eventId}/${content}`,
    facets: schemaFacet(['uniqueId', ...PLATFORM_FIELDS[content]]),
    ...(isSent
      ? {
          outputFacets: {
            outputStatistics: facet('1-0-2/OutputStatisticsOutputDatasetFacet', {
              rowCount: create + update + remove,
            }),
          },
        }
      : {}),
  }
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
