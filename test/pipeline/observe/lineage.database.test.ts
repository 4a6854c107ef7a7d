import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { engines } from '../../support/engines.ts'
import { smallEvent } from '../commands/small-event.ts'
import type { Ended, PlatformSync } from '../sync-to-platform.ts'
import { useSmallSync } from '../use-small-sync.ts'
import { runEventSchema } from './lineage-schema.ts'
import { startReceiver } from './receiver.ts'

const formats = {
  uri: (value: string) => URL.canParse(value),
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
}
const isRunEvent = new Ajv({ formats }).compile(runEventSchema)

const published = join(import.meta.dirname, 'openlineage')
const officialAjv = new Ajv2020({ formats, strict: false })
for (const file of [
  'OpenLineage.json',
  ...readdirSync(join(published, 'facets')).map((name) => `facets/${name}`),
])
  officialAjv.addSchema(JSON.parse(readFileSync(join(published, file), 'utf8')))

/** Checks a value against one of the published schemas of OpenLineage. */
function expectOfficial(schemaUrl: string, value: unknown): void {
  const validate = officialAjv.getSchema(schemaUrl)
  expect(validate?.(value), `${schemaUrl}: ${JSON.stringify(validate?.errors)}`).toBe(true)
}

/** Returns all facets of an event. */
function facetsIn(value: unknown): readonly { readonly _schemaURL: string }[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(facetsIn)
  return '_schemaURL' in value ? [{ ...value, _schemaURL: String(value._schemaURL) }, ...inner] : inner
}

interface Event {
  readonly eventType: string
  readonly run: {
    readonly runId: string
    readonly facets: Readonly<Record<string, { readonly message?: string }>>
  }
  readonly job: { readonly namespace: string; readonly name: string }
  readonly inputs: readonly Place[]
  readonly outputs: readonly Place[]
}
interface Place {
  readonly namespace: string
  readonly name: string
  readonly facets?: {
    readonly schema: { readonly fields: readonly { readonly name: string }[] }
    readonly columnLineage?: { readonly fields: Readonly<Record<string, { readonly inputFields: object[] }>> }
  }
  readonly inputFacets?: { readonly inputStatistics: { readonly rowCount: number; readonly size: number } }
  readonly outputFacets?: { readonly outputStatistics: { readonly rowCount: number } }
}

describe.each(engines)('on %s', (engine) => {
  const { database, output, source, sync: syncSmall } = useSmallSync(engine)
  // The namespace of the embedded database differs.

  function sync(
    to: string,
    more: Readonly<Record<string, unknown>> = {},
    { variables = {}, integration = {} }: Pick<Partial<PlatformSync>, 'variables' | 'integration'> = {},
  ): Promise<Ended> {
    return syncSmall({
      integration: { removals: { minCount: 1 }, ...integration },
      config: { lineage: { to, ...more } },
      variables: { LINEAGE: `${to}/api/v1/lineage`, LINEAGE_TOKEN: 'canary-token', ...variables },
    })
  }

  /** Parses every written event and checks it against the schema. */
  function eventsOf(texts: readonly string[]): readonly Event[] {
    return texts.map((text) => {
      const event = JSON.parse(text)
      expect(isRunEvent(event), JSON.stringify(isRunEvent.errors)).toBe(true)
      expectOfficial(event.schemaURL, event)
      for (const facet of facetsIn(event)) expectOfficial(facet._schemaURL, facet)
      return event
    })
  }

  const linesOf = (file: string) => eventsOf(readFileSync(join(output(), file), 'utf8').trimEnd().split('\n'))

  test('a run writes the lineage events START and COMPLETE, a held run ABORT, and a failed run FAIL; facets contain the counts', async () => {
    const { last } = await sync('lineage.jsonl')
    const [start, complete] = linesOf('lineage.jsonl')
    expect([start?.eventType, complete?.eventType]).toEqual(['START', 'COMPLETE'])
    expect([start?.run.runId, complete?.run.runId]).toEqual([last.run, last.run])
    expect(complete?.job).toMatchObject({ namespace: 'event-sync', name: 'summit' })
    const users = complete?.inputs.find(({ name }) => name === '4242/users')
    expect(users).toMatchObject({
      namespace: source().url,
      inputFacets: { inputStatistics: { rowCount: 4 } },
    })
    expect(users?.inputFacets?.inputStatistics.size).toBeGreaterThan(100)
    const rows = complete?.outputs.map(({ name, outputFacets }) => [
      name,
      outputFacets?.outputStatistics.rowCount,
    ])
    expect(rows).toContainEqual(['summit/attendees', 4])
    expect(rows).toContainEqual(['summit/agenda', 2])
    expect(rows).toContainEqual([`${database().name}.staging.a_users`, undefined])
    const agenda = complete?.outputs.find(({ name }) => name === 'summit/agenda')
    expect(agenda?.facets?.schema.fields.map(({ name }) => name)).toContain('startTime')

    source().records = { ...source().records, Users: smallEvent.Users?.slice(0, 1) ?? [] }
    expect((await sync('lineage.jsonl')).code).toBe(4)
    source().script = async () => ({ status: 404, body: 'Ada' })
    expect((await sync('lineage.jsonl')).code).toBe(1)
    const events = linesOf('lineage.jsonl')
    const types = events.map(({ eventType }) => eventType)
    expect(types.join(' ')).toBe('START COMPLETE START ABORT START FAIL')
    expect(events[3]?.run.facets.errorMessage?.message).toContain('held by removals')
    expect(events[5]?.run.facets.errorMessage?.message).toContain('answered 404')
    expect(JSON.stringify(events)).not.toMatch(/Ada|people\.example/)
  })

  test('outputs have the name and namespace that other tools give the tables and views, without user and password', async () => {
    await sync('lineage.jsonl', { namespace: 'events' })
    const { server, name } = database()
    const [, complete] = linesOf('lineage.jsonl')
    const namespace = server === null ? 'pglite://events' : `postgres://${server.host}:${server.port}`
    const inDatabase = complete?.outputs.filter((output) => output.namespace === namespace)
    const names = inDatabase?.map((output) => output.name)
    expect(names).toContain(`${name}.staging.a_users`)
    expect(names).toContain(`${name}.published.agenda`)
    expect(names).toContain(`${name}.published.runs`)
    const { rows } = await sql<{ column_name: string }>`
      select column_name from information_schema.columns
      where table_schema = 'published' and table_name = 'agenda'`.execute(database().kysely)
    const agenda = inDatabase?.find((output) => output.name === `${name}.published.agenda`)
    const fields = agenda?.facets?.schema.fields.map((field) => field.name)
    expect(fields?.toSorted()).toEqual(rows.map((row) => row.column_name).toSorted())
  })

  test('each output says from which fields of the source its columns come, with configured keys and custom fields', async () => {
    const fields = { attendees: { diet: 'Answers.Diet' } }
    await sync('lineage.jsonl', {}, { integration: { fields } })
    const [, complete] = linesOf('lineage.jsonl')
    const inputs = new Map(complete?.inputs.map((input) => [input.name, input.facets?.schema.fields]))
    const columns = (output: string) =>
      complete?.outputs.find((one) => one.name === output)?.facets?.columnLineage?.fields ?? {}
    const view = columns(`${database().name}.published.attendees`)
    const from = { namespace: source().url, name: '4242/users' }
    expect(view.first_name?.inputFields).toMatchObject([{ ...from, field: 'FirstName' }])
    expect(view.custom?.inputFields).toMatchObject([{ ...from, field: 'Answers.Diet' }])
    expect(columns(`${database().name}.staging.a_users`).custom).toEqual({
      inputFields: view.custom?.inputFields,
    })
    expect(columns('summit/attendees')['custom.diet']).toEqual(view.custom)
    expect(columns('summit/attendees').firstName).toEqual(view.first_name)
    const all = complete?.outputs.flatMap((output) =>
      Object.values(output.facets?.columnLineage?.fields ?? {}).flatMap(({ inputFields }) => inputFields),
    )
    expect(all?.length).toBeGreaterThan(50)
    for (const field of all ?? []) {
      const { name, field: key } = field as { readonly name: string; readonly field: string }
      expect(inputs.get(name)).toContainEqual({ name: key })
    }
  })

  test('the events name the run of the tool that started the command', async () => {
    const runId = '01a1fda0-7c5e-4d41-9b3f-2f6a1c0d8e77'
    const variables = { OPENLINEAGE_PARENT_ID: `airflow/nightly.sync/${runId}` }
    await sync('lineage.jsonl', {}, { variables })
    const parent = { run: { runId }, job: { namespace: 'airflow', name: 'nightly.sync' } }
    for (const event of linesOf('lineage.jsonl'))
      expect(event.run.facets.parent).toMatchObject({ ...parent, root: parent })
  })

  test('a run is refused before it reads anything if the run of the other tool is not named correctly', async () => {
    const asked: string[] = []
    source().script = async ({ resource }) => {
      asked.push(resource)
      return null
    }
    const variables = { OPENLINEAGE_PARENT_ID: 'nightly' }
    await expect(sync('lineage.jsonl', {}, { variables })).rejects.toThrow(
      'variable OPENLINEAGE_PARENT_ID is not',
    )
    expect(asked).toEqual([])
  })

  test('lineage events are also sent to a URL, in order and with the token', async () => {
    const receiver = await startReceiver()
    receiver.answers = [503]
    await sync(receiver.url, { to: 'env:LINEAGE', token: 'env:LINEAGE_TOKEN', namespace: 'events' })
    const [refused, ...taken] = receiver.received
    expect(refused?.body).toBe(taken[0]?.body)
    const events = eventsOf(taken.map(({ body }) => body))
    expect(events.map(({ eventType }) => eventType)).toEqual(['START', 'COMPLETE'])
    expect(taken.map(({ path }) => path)).toEqual(['/api/v1/lineage', '/api/v1/lineage'])
    expect(taken[0]?.headers.authorization).toBe('Bearer canary-token')
  })

  test('if the file for lineage events cannot be written, this is logged, and the run still succeeds', async () => {
    mkdirSync(join(output(), 'a folder'))
    const { code, log } = await sync('a folder')
    expect(code).toBe(0)
    expect(log).toContain('"whom":"the lineage","cause":"EISDIR')
  })
})
