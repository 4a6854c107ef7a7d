import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { describePack } from '../../../loaders/audit/data-package.ts'
import { useFolder } from '../../support/folder.ts'
import { useDatabase } from '../../support/use-database.ts'
import { dataPackageSchema } from './data-package.schema.ts'
import { chains } from './verify/chains.ts'
import { packsAt, sha256Of } from './verify/tamper.ts'

const isPackage = new Ajv({ strict: false, allErrors: true }).compile(dataPackageSchema)

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

describe.each(['Source A, signed', 'Source A, masked and for Excel', 'Source B, quarantined and repeated'])(
  'the packs of %s',
  (name) => {
    const database = useDatabase('pglite')
    const folder = useFolder()

    test('have a descriptor as the standard asks for, which the files keep', async () => {
      const made = await chains[name]?.({ database: database(), output: folder(), signingKey: makeKey() })
      const packs = packsAt(made ?? '')
      for (const run of packs.runs.keys()) {
        const descriptor = JSON.parse(packs.read(run, 'datapackage.json').toString())
        expect(isPackage(descriptor) ? [] : isPackage.errors).toEqual([])
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

/** Cells and keys that are not as the table schema says. */
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

test('a descriptor that misses what the standard asks for is refused by this test', () => {
  const file = { name: 'agenda.csv', rows: 1, bytes: 1, sha256: 'a'.repeat(64) }
  const whole = describePack('summit', [file], 'full')
  expect(isPackage(whole)).toBe(true)
  const text = JSON.stringify(whole)
  for (const [from, to] of [
    ['"path":"agenda.csv"', '"path":"../agenda.csv"'],
    ['"type":"string"', '"type":"text"'],
    ['"name":"summit"', '"name":"My Summit"'],
    ['"resources"', '"files"'],
    ['sha256:', 'sha1:'],
    ['"primaryKey":["unique_id"]', '"primarykey":["unique_id"]'],
  ] as const)
    expect(isPackage(JSON.parse(text.replace(from, to))), to).toBe(false)
})

function makeKey(): string {
  const { privateKey } = generateKeyPairSync('ed25519')
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}
