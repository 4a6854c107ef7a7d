import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { describePack } from '../../../../loaders/packs/csv-files/pack-files.ts'
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

// The expected descriptor was written by hand from the standards Data Package, Tabular Data Resource, CSV
// Dialect and Table Schema. The descriptor uses Frictionless v1, which readers of v2 accept.
test('datapackage.json uses only properties of the Data Package standard', () => {
  const types = {
    ...{ resource: 'string', certified: 'boolean', requests: 'integer', elements: 'integer' },
    ...{
      distinct_ids: 'integer',
      declared: 'integer',
      end: 'string',
      detail: 'string',
      confirmed: 'boolean',
    },
  }
  const file = { name: 'certificates.csv', rows: 1, bytes: 1, sha256: 'a'.repeat(64) }
  const withoutTexts = (key: string, value: unknown) => (key === 'description' ? undefined : value)
  const found = JSON.parse(JSON.stringify(describePack('summit', [file], 'full'), withoutTexts))
  const resource = {
    name: 'certificates',
    path: 'certificates.csv',
    profile: 'tabular-data-resource',
    title: FILE_DESCRIPTIONS['certificates.csv'],
    format: 'csv',
    mediatype: 'text/csv',
    encoding: 'utf-8',
    bytes: 1,
    hash: `sha256:${file.sha256}`,
    dialect: { delimiter: ',', lineTerminator: '\r\n', quoteChar: '"', doubleQuote: true, header: true },
    schema: {
      fields: Object.entries(types).map(([name, type]) => ({ name, type })),
      missingValues: [''],
      primaryKey: ['resource'],
    },
  }
  expect(found).toEqual({ profile: 'tabular-data-package', name: 'summit', resources: [resource] })
})

function makeKey(): string {
  const { privateKey } = generateKeyPairSync('ed25519')
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}
