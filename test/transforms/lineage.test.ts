import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { sourceSchema } from '../../pipeline/config/source.ts'
import type { SourceAConfig, SourceBConfig } from '../../pipeline/config.ts'
import type { Resource } from '../../pipeline/extract/source.ts'
import { sourceA } from '../../pipeline/extract/source-a/source.ts'
import { sourceB } from '../../pipeline/extract/source-b/source.ts'
import type { StagingTables } from '../../sql/tables.ts'
import { isPersonalColumn, lineageOf } from '../../transforms/lineage.ts'
import { PLATFORM_FIELDS, REQUIRED_FIELDS } from '../../transforms/platform-fields.ts'
import type { JsonObject } from '../../transforms/rules/json.ts'
import { transformA } from '../../transforms/source-a/index.ts'
import { transformB } from '../../transforms/source-b/index.ts'
import { ALL_CONTENTS, type Outcome, useTransform } from '../support/decide.ts'
import { engines } from '../support/engines.ts'
import type { StagedRows } from '../support/staged.ts'
import { useDatabase } from '../support/use-database.ts'

const configA = sourceSchema.parse({ type: 'a', url: 'https://a.example', eventId: '1' }) as SourceAConfig
const configB = sourceSchema.parse({
  type: 'b',
  url: 'https://b.example',
  eventId: '1',
  apiKey: 'env:KEY',
  authenticationSecret: 'env:SECRET',
  timeZone: 'UTC',
}) as SourceBConfig
const noTokens = { header: async () => '', forget: () => undefined }

/** One record of each resource, with a value in every field that the product reads. */
const FULL: Readonly<Record<'a' | 'b', Readonly<Record<string, JsonObject>>>> = {
  a: {
    sessions: {
      Id: 'S1',
      Title: 'Opening',
      Description: '<p>Hello</p>',
      Enabled: true,
      VisibleToAnonymousUsers: true,
      Status: 'Accepted',
      TimeSlotId: 'T1',
      RoomId: 'R1',
      TrackId: 'K1',
      SessionTypeId: 'Y1',
      Speakers: [{ Id: 'U2' }, { Id: 'U1' }],
      SpeakerOrder: ['U1'],
      Links: 'https://links.example/',
    },
    time_slots: { Id: 'T1', StartTime: '2031-05-04T09:00:00Z', EndTime: '2031-05-04T10:00:00Z' },
    rooms: { Id: 'R1', Location: 'North wing', Name: 'Hall 1' },
    tracks: { Id: 'K1', Title: 'Data' },
    session_types: { Id: 'Y1', Title: 'Talk', Name: 'Talks' },
    users: {
      Id: 'U1',
      FirstName: 'Ada',
      LastName: 'Lovelace',
      EmailAddress: 'ada@example.org',
      Title: 'Countess',
      Company: 'Engines',
      Biography: 'Wrote',
      PhotoLink: 'https://img.example/ada.png',
      Facebook: 'ada',
      LinkedIn: 'ada',
      Roles: 'Speaker',
      IsPending: false,
      SpeakingAt: ['S1'],
    },
  },
  b: {
    sessions: {
      id: 'S1',
      name: 'Opening',
      description: '<p>Hello</p>',
      date: '2031-05-04',
      start_time: '09:00:00',
      end_time: '10:00:00',
      timezone: 'Europe/Berlin',
    },
    registrants: {
      id: 'U1',
      first_name: 'Ada',
      last_name: 'Lovelace',
      email: 'ada@example.org',
      job_title: 'Countess',
      company: 'Engines',
      bio: 'Wrote',
      mobile_phone: '+1 555 0100',
      twitter_handle: 'ada',
      reg_type_id: { id: 20, value: 'Speaker' },
      session_ids: ['S1'],
      cancelled_at: null,
    },
    reg_types: { id: 20, name: 'Speaker' },
  },
}

const SOURCES = [
  { name: 'a', source: sourceA(configA), transform: transformA, options: configA, full: FULL.a },
  { name: 'b', source: sourceB(configB, noTokens), transform: transformB, options: configB, full: FULL.b },
] as const

/** A record as its door makes it. */
function read(resource: Resource, record: JsonObject): Record<string, unknown> {
  const door = resource.read(record)
  if ('message' in door) return { source_id: door.message }
  const values = Object.entries(door.values).map(([column, { value }]) => [column, value])
  return { source_id: door.sourceId.value, ...Object.fromEntries(values) }
}

describe.each(SOURCES)('source $name', ({ name, source, full, ...rest }) => {
  const lineage = ALL_CONTENTS.flatMap((content) => lineageOf(name, content))
  const resourceOf = (column: string) => {
    const resource = source.resources.find(({ table }) => column.startsWith(`${table}.`))
    if (resource === undefined) throw new Error(`no resource has ${column}`)
    return resource
  }

  test('each entry has a clause, a rule of one sentence, and an origin', () => {
    for (const { clause, rule, from } of lineage) {
      expect(clause).toMatch(/^spec 2\.[2-8]\.\d+$/)
      expect(rule).toMatch(/^[A-Z][^\n]*\.$/)
      expect(from).not.toEqual([])
    }
    const clauses = lineage.map(({ clause }) => clause)
    expect(clauses).toEqual([...new Set(clauses)])
  })

  test('each origin is a place of its own in a resource that the source serves', () => {
    for (const { from } of lineage) {
      for (const { column, resource } of from) expect(resource).toBe(resourceOf(column).name)
      const places = from.map(({ path, column }) => `${path} ${column}`)
      expect(places).toEqual([...new Set(places)])
    }
  })

  test('without the value at its path, a record has another value in the column', () => {
    const origins = lineage.flatMap(({ from }) => from)
    for (const { column, resource, path } of origins) {
      const record = full[resource] ?? {}
      const key = path.replace('$.', '')
      const { [key]: value, ...without } = record
      expect(value, `${resource} ${path}`).toBeDefined()
      const staged = column.split('.').at(-1) ?? ''
      const of = (one: JsonObject) => read(resourceOf(column), one)[staged]
      // Where the title is missing, the name stands in.
      const stoodInFor = resource === 'session_types' && path === '$.Name' ? ['Title'] : []
      const alone = Object.fromEntries(Object.entries(record).filter(([one]) => !stoodInFor.includes(one)))
      const neither = Object.fromEntries(Object.entries(without).filter(([one]) => !stoodInFor.includes(one)))
      expect(of(neither), `${resource} ${path} ${column}`).not.toEqual(of(alone))
    }
  })

  test('options that name another key are told', () => {
    const named = lineage.flatMap(({ from }) =>
      from.flatMap(({ path, option }) => (option ? [[path, option]] : [])),
    )
    const keys = Object.entries(rest.options.fields)
    expect(new Map(named as [string, string][])).toEqual(
      new Map(keys.map(([key, path]) => [`$.${path}`, `source.fields.${key}`])),
    )
  })

  describe.each(engines)('on %s', (engine) => {
    const transform = useTransform(engine, rest.transform as typeof transformA)
    const database = useDatabase(engine)
    let outcome: Outcome
    beforeAll(async () => {
      const rows: Record<string, unknown[]> = {}
      for (const resource of source.resources) {
        rows[resource.table] = [read(resource, full[resource.name] ?? {})]
      }
      outcome = await transform(rows as StagedRows, rest.options as typeof configA)
    })

    test.each(ALL_CONTENTS)(
      'every field that a record of %s can fill has one entry, and no other has',
      (content) => {
        const [[uniqueId, fields] = ['', {}]] = Object.entries(outcome.items[content])
        expect(uniqueId).not.toBe('')
        const told = lineageOf(name, content).map(({ field }) => field)
        expect(told.toSorted()).toEqual(['uniqueId', ...Object.keys(fields)].toSorted())
        const known = ['uniqueId', ...PLATFORM_FIELDS[content]]
        expect(told.filter((field) => !known.includes(field))).toEqual([])
        for (const field of REQUIRED_FIELDS[content]) expect(told).toContain(field)
      },
    )

    test('every column is one of the catalog, which says of the same ones that they can hold values of a person', async () => {
      const { rows } = await sql<{ name: string; comment: string }>`
        select table_schema || '.' || table_name || '.' || column_name as name,
          col_description((table_schema || '.' || table_name)::regclass, ordinal_position) as comment
        from information_schema.columns
        where table_schema = 'staging'`.execute(database().kysely)
      const comments = new Map(rows.map((row) => [row.name, row.comment]))
      const told = new Set(lineage.flatMap(({ from }) => from.map(({ column }) => column)))
      expect([...told].filter((column) => !comments.has(column))).toEqual([])
      const staged = rows.filter(({ name: column }) => column.startsWith(`staging.${name}_`))
      const personal = staged.filter(({ comment }) => comment.endsWith('Personal.')).map((row) => row.name)
      const hidden = [...told].filter((column) => {
        const [schema, table, field = ''] = column.split('.')
        return isPersonalColumn(name, [`${schema}.${table}` as keyof StagingTables, field])
      })
      // An id that is an e-mail address is told by its look, and no document is shown as a whole.
      const apart = (column: string) => /\.(?:source_id|doc)$/.test(column)
      expect(hidden.toSorted()).toEqual(personal.filter((column) => !apart(column)).toSorted())
    })
  })
})
