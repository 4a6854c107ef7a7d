/**
 * JSON Schema of a run event of OpenLineage 2-0-2 with the facets that this product writes. This schema
 * forbids additional properties, unlike the official schema, so that a misspelt name is noticed.
 */
const text = { type: 'string', minLength: 1 }
const uri = { type: 'string', format: 'uri' }
const count = { type: 'integer', minimum: 0 }

function facet(name: string, version: string, properties: object, required: readonly string[]) {
  return {
    type: 'object',
    additionalProperties: false,
    required: ['_producer', '_schemaURL', ...required],
    properties: {
      _producer: uri,
      _schemaURL: { const: `https://openlineage.io/spec/facets/${version}/${name}.json#/$defs/${name}` },
      ...properties,
    },
  }
}

const object = (properties: object, required: readonly string[]) => ({
  type: 'object',
  additionalProperties: false,
  properties,
  required,
})

const fields = {
  type: 'array',
  minItems: 1,
  items: object({ name: text, type: text, description: text }, ['name']),
}
const schema = facet('SchemaDatasetFacet', '1-2-0', { fields }, [])
const counts = { rowCount: count, size: count, fileCount: count }
const inputStatistics = facet('InputStatisticsInputDatasetFacet', '1-0-0', counts, [])
const outputStatistics = facet('OutputStatisticsOutputDatasetFacet', '1-0-2', counts, [])
const errorMessage = facet(
  'ErrorMessageRunFacet',
  '1-0-1',
  { message: text, programmingLanguage: text, stackTrace: text },
  ['message', 'programmingLanguage'],
)
const jobType = facet(
  'JobTypeJobFacet',
  '2-0-4',
  { processingType: { enum: ['BATCH', 'STREAMING'] }, integration: text, jobType: text },
  ['processingType', 'integration'],
)

const job = object({ namespace: text, name: text }, ['namespace', 'name'])
const run = object({ runId: { type: 'string', format: 'uuid' } }, ['runId'])
const parent = facet('ParentRunFacet', '1-2-0', { run, job, root: object({ run, job }, ['run', 'job']) }, [
  'run',
  'job',
])

const transformation = object({ type: { enum: ['DIRECT', 'INDIRECT'] }, subtype: text, description: text }, [
  'type',
])
const inputFields = {
  type: 'array',
  minItems: 1,
  items: object(
    { namespace: text, name: text, field: text, transformations: { type: 'array', items: transformation } },
    ['namespace', 'name', 'field'],
  ),
}
const columnLineage = facet(
  'ColumnLineageDatasetFacet',
  '1-2-0',
  { fields: { type: 'object', additionalProperties: object({ inputFields }, ['inputFields']) } },
  ['fields'],
)

const datasets = (more: object) => ({
  type: 'array',
  items: object({ namespace: text, name: text, facets: object({ schema, columnLineage }, []), ...more }, [
    'namespace',
    'name',
  ]),
})

export const runEventSchema = object(
  {
    eventType: { enum: ['START', 'RUNNING', 'COMPLETE', 'ABORT', 'FAIL', 'OTHER'] },
    eventTime: { type: 'string', format: 'date-time' },
    producer: uri,
    schemaURL: { const: 'https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent' },
    run: object({ runId: { type: 'string', format: 'uuid' }, facets: object({ errorMessage, parent }, []) }, [
      'runId',
    ]),
    job: object({ namespace: text, name: text, facets: object({ jobType }, []) }, ['namespace', 'name']),
    inputs: datasets({ inputFacets: object({ inputStatistics }, []) }),
    outputs: datasets({ outputFacets: object({ outputStatistics }, []) }),
  },
  ['eventTime', 'producer', 'schemaURL', 'run', 'job'],
)
