import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { FORMULA_GUARD } from '../../../../loaders/packs/csv-files/csv.ts'
import { type DescribedPack, describePack } from '../../../../loaders/packs/csv-files/data-package.ts'
import { FILE_DESCRIPTIONS } from '../../../../loaders/packs/csv-files/pack-format.ts'
import { useFolder } from '../../../support/folder.ts'
import { useDatabase } from '../../../support/use-database.ts'
import { chains } from '../../verify/chains.ts'
import { packsAt, sha256Of } from '../../verify/tamper.ts'

interface Resource {
  readonly path: string
  readonly bytes: number
  readonly hash: string
  readonly schema: {
    readonly fields: readonly { readonly name: string; readonly type: string }[]
    readonly primaryKey?: readonly string[]
  }
}

const TYPES: Readonly<Record<string, RegExp>> = {
  string: /^/,
  integer: /^-?[0-9]+$/,
  boolean: /^(true|false)$/,
  datetime: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ?$/,
}

describe.each(['Source A, masked and for Excel', 'Source B, quarantined and repeated'])(
  'the packs of %s',
  (name) => {
    const database = useDatabase('pglite')
    const folder = useFolder()

    test('the packs have a descriptor that follows the Data Package standard, and their files match the descriptor', async () => {
      const made = await chains[name]?.({ database: database(), output: folder(), signingKey: makeKey() })
      const packs = packsAt(made ?? '')
      for (const run of packs.runs.keys()) {
        const descriptor = JSON.parse(packs.read(run, 'datapackage.json').toString())
        const resources: readonly Resource[] = descriptor.resources
        expect(resources.map(({ path }) => path).sort()).toEqual(
          packs.files(run).filter((file) => file.endsWith('.csv')),
        )
        for (const resource of resources) {
          const bytes = readFileSync(join(packs.path(run, resource.path)))
          expect([bytes.length, `sha256:${sha256Of(bytes)}`]).toEqual([resource.bytes, resource.hash])
          expect(faultsOf(resource, bytes), resource.path).toEqual([])
        }
      }
    })
  },
)

/** Returns the cells and keys of a CSV file that do not match its table schema. */
function faultsOf({ schema: { fields, primaryKey = [] } }: Resource, bytes: Buffer): readonly string[] {
  const [header = [], ...rows]: string[][] = parse(bytes, { bom: true, record_delimiter: '\r\n' })
  if (header.join() !== fields.map((field) => field.name).join()) return ['other columns']
  const keys = new Set<string>()
  return rows.flatMap((row, at) => {
    const wrong = fields.flatMap(({ name, type }, column) => {
      const cell = row[column] ?? ''
      if (cell === '') return primaryKey.includes(name) ? `row ${at + 1}: ${name} is empty` : []
      return TYPES[type]?.test(cell) ? [] : `row ${at + 1}: ${name} is no ${type}`
    })
    if (primaryKey.length === 0) return wrong
    const key = JSON.stringify(primaryKey.map((name) => row[header.indexOf(name)]))
    const isNew = keys.size < keys.add(key).size
    return isNew ? wrong : [...wrong, `row ${at + 1}: its key is there twice`]
  })
}

const file = (name: string) => ({ name, rows: 1, bytes: 1, sha256: 'a'.repeat(64) })
const PACK: DescribedPack = {
  integration: 'summit',
  eventName: 'Summit 2031',
  productVersion: '1.0.0',
  timeZone: 'Europe/Berlin',
  rollbackTo: null,
  contents: new Set(['agenda', 'speakers', 'attendees']),
  files: ['agenda.csv', 'speakers.csv', 'decisions.csv', 'changes.csv', 'certificates.csv'].map(file),
  personalData: 'full',
  custom: {},
}

interface Described {
  readonly resources: readonly { readonly name: string; readonly schema: Schema }[]
}
interface Schema {
  readonly fields: readonly { readonly name: string; readonly [property: string]: unknown }[]
  readonly primaryKey?: readonly string[]
  readonly foreignKeys?: readonly unknown[]
}

function schemaOf(name: string, more: Partial<DescribedPack> = {}): Schema {
  const { resources } = describePack({ ...PACK, ...more }) as Described
  const found = resources.find((resource) => resource.name === name)
  if (found === undefined) throw new Error(`no resource ${name}`)
  return found.schema
}

// The expected descriptor was written by hand from the standards Data Package, Tabular Data Resource, CSV
// Dialect and Table Schema. The descriptor uses Frictionless v1, which readers of v2 accept.
test('datapackage.json has the properties of the Data Package standard, the time zone and the guard', () => {
  const integer = { type: 'integer' }
  const flag = { type: 'boolean', trueValues: ['true'], falseValues: ['false'] }
  const required = { constraints: { required: true } }
  const columns = {
    resource: { type: 'string', ...required },
    certified: { ...flag, ...required },
    requests: { ...integer, ...required },
    elements: { ...integer, ...required },
    distinct_ids: integer,
    declared: integer,
    end: { type: 'string' },
    detail: { type: 'string' },
    confirmed: flag,
  }
  const withoutTexts = (key: string, value: unknown) => (key === 'description' ? undefined : value)
  const described = describePack({ ...PACK, files: [file('certificates.csv')] })
  expect(JSON.parse(JSON.stringify(described, withoutTexts))).toEqual({
    profile: 'tabular-data-package',
    name: 'summit',
    title: 'Audit pack of Summit 2031',
    version: '1.0.0',
    timeZone: 'Europe/Berlin',
    formulaGuard: FORMULA_GUARD,
    resources: [
      {
        name: 'certificates',
        path: 'certificates.csv',
        profile: 'tabular-data-resource',
        title: FILE_DESCRIPTIONS['certificates.csv'],
        format: 'csv',
        mediatype: 'text/csv',
        encoding: 'utf-8',
        bytes: 1,
        hash: `sha256:${'a'.repeat(64)}`,
        dialect: { delimiter: ',', lineTerminator: '\r\n', quoteChar: '"', doubleQuote: true, header: true },
        schema: {
          fields: Object.entries(columns).map(([name, column]) => ({ name, ...column })),
          missingValues: [''],
          primaryKey: ['resource'],
        },
      },
    ],
  })
})

test('datapackage.json has the form of times, the values of closed lists, and the columns that always have a value', () => {
  const fields = new Map(
    schemaOf('agenda').fields.map(({ name, description, ...more }) => [name, more] as const),
  )
  const required = { required: true }
  expect(fields.get('unique_id')).toEqual({ type: 'string', constraints: required })
  expect(fields.get('action')).toEqual({
    type: 'string',
    constraints: { ...required, enum: ['create', 'update', 'handover', 'unchanged'] },
  })
  expect(fields.get('start_time')).toEqual({
    type: 'datetime',
    format: '%Y-%m-%dT%H:%M:%SZ',
    constraints: required,
  })
  expect(fields.get('local_end')).toEqual({ type: 'datetime', format: '%Y-%m-%dT%H:%M:%S' })
  expect(fields.get('location')).toEqual({ type: 'string' })
  const decisions = schemaOf('decisions').fields.find(({ name }) => name === 'action')
  expect(decisions?.constraints).toEqual({ enum: ['create', 'update', 'handover', 'unchanged', 'remove'] })
})

test('datapackage.json has a key only if its rows have it, and a reference only if the other file has its rows', () => {
  const toResource = {
    fields: ['resource'],
    reference: { resource: 'certificates', fields: ['resource'] },
  }
  const toAttendee = {
    fields: ['attendee_id'],
    reference: { resource: 'attendees', fields: ['unique_id'] },
  }
  const toRecord = { fields: ['unique_id'], reference: { resource: 'decisions', fields: ['unique_id'] } }
  expect(schemaOf('agenda')).toMatchObject({ primaryKey: ['unique_id'], foreignKeys: [toRecord] })
  expect(schemaOf('agenda', { personalData: 'masked' })).not.toHaveProperty('primaryKey')
  expect(schemaOf('changes').primaryKey).toEqual(['content', 'unique_id', 'field'])
  expect(schemaOf('decisions')).not.toHaveProperty('primaryKey')
  expect(schemaOf('decisions').foreignKeys).toEqual([toResource])
  expect(schemaOf('decisions', { rollbackTo: '01a1fda0-0000-7000-8000-000000000001' })).not.toHaveProperty(
    'foreignKeys',
  )
  expect(schemaOf('speakers').foreignKeys).toEqual([toRecord, toAttendee])
  expect(schemaOf('speakers', { contents: new Set(['speakers']) }).foreignKeys).toEqual([toRecord])
})

function makeKey(): string {
  const { privateKey } = generateKeyPairSync('ed25519')
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}
