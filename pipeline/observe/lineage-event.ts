import type { Database } from '../../sql/database.ts'
import type { DescribedColumn, Dictionary } from '../../sql/dictionary.ts'
import { CONTENTS, type Content, changesIn } from '../../sql/tables.ts'
import {
  configuredKey,
  type FieldOrigin,
  lineageOf,
  originsOfColumn,
  resourceOfTable,
  tableOf,
} from '../../transforms/decide/lineage.ts'
import { columnOfField, PLATFORM_FIELDS } from '../../transforms/decide/platform-fields.ts'
import { CUSTOM_COLUMN, customNames, platformName } from '../../transforms/declare/custom-fields.ts'
import { formOf } from '../../transforms/declare/forms.ts'
import type { StagingTables } from '../../transforms/declare/resource.ts'
import type { IntegrationConfig } from '../config/config.ts'
import { customOf } from '../context/run-context.ts'
import type { EndedReading, EndedRun, OpenedRun, ReadResource } from '../runtime/events.ts'
import { productVersion } from '../runtime/package-root.ts'
import { sourceTypeOf } from '../sources/registry.ts'
import type { ParentRun } from './lineage-parent.ts'

/** The events follow OpenLineage 2-0-2. In OpenLineage, an integration is called a job. */

const PRODUCER = `urn:event-content-sync:${productVersion}`
const SPEC = 'https://openlineage.io/spec'

export type EventType = 'START' | 'RUNNING' | 'COMPLETE' | 'ABORT' | 'FAIL'

/** The data of a lineage event without its type and time. */
export interface LineageOfRun {
  readonly namespace: string
  readonly integration: IntegrationConfig
  readonly platform: { readonly url: string; readonly eventId: string }
  readonly database: Pick<Database, 'server' | 'name'>
  readonly parent: ParentRun | null
  readonly run: OpenedRun
  /**
   * For each resource, the event that its reading has ended. `bytes` is the number of bytes read, for each
   * resource.
   */
  readonly readings: Map<string, EndedReading>
  readonly bytes: Map<string, number>
}

/**
 * Builds a lineage event.
 *
 * @param dictionary meanings and types of the columns of the database
 * @param ended how the run ended; null for an event before the end
 */
export function runEvent(
  type: EventType,
  at: string,
  of: LineageOfRun,
  dictionary: Dictionary,
  ended: EndedRun | null,
) {
  const { namespace, integration, run, parent } = of
  const kind = {
    processingType: 'BATCH',
    integration: 'EVENT_CONTENT_SYNC',
    jobType: run.command.toUpperCase(),
  }
  const parentFacet = parent === null ? {} : { parent: facet('1-2-0/ParentRunFacet', parent) }
  return {
    eventType: type,
    eventTime: at,
    producer: PRODUCER,
    schemaURL: `${SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent`,
    run: { runId: run.run, facets: { ...parentFacet, ...errorFacet(ended) } },
    job: { namespace, name: integration.id, facets: { jobType: facet('2-0-4/JobTypeJobFacet', kind) } },
    inputs: run.resources.map((resource) => inputOf(of, resource)),
    outputs: [
      ...tableOutputs(of, dictionary),
      ...integration.content.map((content) => platformOutput(of, content, ended)),
    ],
  }
}

/**
 * Returns the namespace of a database, as the naming rules of OpenLineage demand. A namespace never contains
 * a user or a password. An embedded database has no address, so its namespace is made from the namespace of
 * the integrations.
 */
export function databaseNamespace({ server }: Pick<Database, 'server'>, namespace: string): string {
  if (server === null) return `pglite://${namespace}`
  const { host, port } = server
  return `postgres://${host.includes(':') ? `[${host}]` : host}:${port}`
}

function inputOf(of: LineageOfRun, resource: ReadResource) {
  const keys = columnsOf(of, resource).flatMap(({ from }) => from.map((origin) => keyOf(of, origin)))
  const dataset = {
    ...sourceDataset(of, resource.name),
    facets: schemaFacet([...new Set(keys)].map(toField)),
  }
  const reading = of.readings.get(resource.name)
  if (reading === undefined) return dataset
  const figures = { rowCount: reading.records, size: of.bytes.get(resource.name) ?? 0 }
  return {
    ...dataset,
    inputFacets: { inputStatistics: facet('1-0-0/InputStatisticsInputDatasetFacet', figures) },
  }
}

/** Lists the staging tables of the run, and the views of `published` to which the run adds rows. */
function tableOutputs(of: LineageOfRun, { schemas }: Dictionary) {
  const { database, namespace, integration, run } = of
  const contentOf = new Map(
    CONTENTS.flatMap((content) => viewsOf(content).map((view) => [view, content] as const)),
  )
  return schemas.flatMap(({ name: schema, relations }) =>
    relations.flatMap((relation) => {
      const name = `${schema}.${relation.name}`
      const resource = run.resources.find(({ table }) => table === name)
      const content = contentOf.get(name)
      const isOutput = content === undefined ? schema === 'published' : integration.content.includes(content)
      if (resource === undefined && !isOutput) return []
      const derived = resource === undefined ? [] : columnsOf(of, resource)
      const columns = content === undefined ? derived : fieldsOf(of, content).map(toColumn)
      const facets = { ...schemaFacet(relation.columns.map(described)), ...columnLineage(of, columns) }
      return { namespace: databaseNamespace(database, namespace), name: `${database.name}.${name}`, facets }
    }),
  )
}

const viewsOf = (content: Content) => [`published.${content}`, `published.${content}_by_run`]

function platformOutput(of: LineageOfRun, content: Content, ended: EndedRun | null) {
  const { url, eventId } = of.platform
  const names = ['uniqueId', ...PLATFORM_FIELDS[content], ...customNames(customOf(of.integration), content)]
  const dataset = {
    namespace: url,
    name: `${eventId}/${content}`,
    facets: { ...schemaFacet(names.map(toField)), ...columnLineage(of, fieldsOf(of, content)) },
  }
  if (ended?.report.status !== 'finished') return dataset
  const figures = { rowCount: changesIn(ended.report.changes[content]) }
  const outputStatistics = facet('1-0-2/OutputStatisticsOutputDatasetFacet', figures)
  return { ...dataset, outputFacets: { outputStatistics } }
}

/** A field of an output, and the places of the source from which its values come. */
interface DerivedField {
  readonly field: string
  readonly from: readonly FieldOrigin[]
  /** The rule that makes the value; left out for a value that is only read. */
  readonly rule?: string
}

/** Returns from where the columns of a staging table come. */
function columnsOf({ integration }: LineageOfRun, { table, columns }: ReadResource): readonly DerivedField[] {
  const { transform } = sourceTypeOf(integration.source)
  const staged = ['source_id', ...columns].map((column) => ({
    field: column,
    from: originsOfColumn(transform, [table as keyof StagingTables, column]),
  }))
  const custom = integration.content.flatMap((content) => customFieldsOf(integration, content))
  const own = custom.filter(({ from }) => from.some(({ column }) => column === `${table}.${CUSTOM_COLUMN}`))
  return [...staged, ...own.map((one) => ({ ...one, field: CUSTOM_COLUMN }))]
}

/** Returns from where the platform fields of a content come. */
function fieldsOf({ integration }: LineageOfRun, content: Content): readonly DerivedField[] {
  const { transform } = sourceTypeOf(integration.source)
  return [...lineageOf(transform, content), ...customFieldsOf(integration, content)]
}

function customFieldsOf(integration: IntegrationConfig, content: Content): readonly DerivedField[] {
  const table = tableOf(sourceTypeOf(integration.source).transform, content)
  return Object.values(customOf(integration)[content] ?? {}).map(({ name, from, as }) => ({
    field: platformName(name),
    rule: formOf(as).rule,
    from: [{ resource: resourceOfTable(table), column: `${table}.${CUSTOM_COLUMN}`, path: `$.${from}` }],
  }))
}

/** The views of `published` have all custom fields in one column. */
function toColumn(derived: DerivedField): DerivedField {
  const { field } = derived
  return { ...derived, field: field.startsWith(platformName('')) ? CUSTOM_COLUMN : columnOfField(field) }
}

function columnLineage(of: LineageOfRun, derived: readonly DerivedField[]) {
  const byField = Map.groupBy(derived, ({ field }) => field)
  const fields = [...byField].flatMap(([field, parts]) => {
    const inputFields = parts.flatMap((part) => inputFieldsOf(of, part))
    return inputFields.length === 0 ? [] : [[field, { inputFields }] as const]
  })
  if (fields.length === 0) return {}
  return { columnLineage: facet('1-2-0/ColumnLineageDatasetFacet', { fields: Object.fromEntries(fields) }) }
}

function inputFieldsOf(of: LineageOfRun, { from, rule }: DerivedField) {
  return from.flatMap((origin) => {
    const resource = of.run.resources.find(({ table }) => origin.column.startsWith(`${table}.`))
    if (resource === undefined) return []
    const how = {
      type: 'DIRECT',
      subtype: 'TRANSFORMATION',
      ...(rule !== undefined && { description: rule }),
    }
    return { ...sourceDataset(of, resource.name), field: keyOf(of, origin), transformations: [how] }
  })
}

function sourceDataset({ integration: { source } }: LineageOfRun, resource: string) {
  return { namespace: source.url, name: `${source.eventId}/${resource}` }
}

/** Returns the key of a record, which is the JSON path without the record itself. */
function keyOf({ integration: { source } }: LineageOfRun, origin: FieldOrigin): string {
  return configuredKey(origin, 'fields' in source ? source.fields : {}) ?? origin.path.replace(/^\$\.?/, '')
}

const toField = (name: string) => ({ name })

function described({ name, type, meaning }: DescribedColumn) {
  return { name, type, description: meaning }
}

function schemaFacet(fields: readonly { readonly name: string }[]) {
  return { schema: facet('1-2-0/SchemaDatasetFacet', { fields }) }
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
