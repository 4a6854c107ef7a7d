import { z } from 'zod'
import type { Finding } from '../audit/csv-files/finding.ts'
import type { Manifest } from '../audit/csv-files/manifest.ts'
import { listOf } from '../files/list-of.ts'
import { readSmallFile } from './files.ts'

const FILE = 'datapackage.json'

const packageSchema = z.object({
  resources: listOf(z.object({ path: z.string(), bytes: z.int(), hash: z.string() })),
})

/** Holds the description of the CSV files against the manifest: it has the size and hash of each, too. */
export function checkDataPackage(folder: string, manifest: Manifest): readonly Finding[] {
  const parsed = packageSchema.safeParse(toJson(readSmallFile(folder, FILE)))
  if (!parsed.success) return [{ file: FILE, message: 'is no description of the CSV files' }]
  const lineOf = (...of: readonly [path: string, bytes: number, hash: string]) => of.join(' ')
  const said = parsed.data.resources.map(({ path, bytes, hash }) => lineOf(path, bytes, hash)).sort()
  const actual = manifest.files
    .filter(({ name }) => name.endsWith('.csv'))
    .map(({ name, bytes, sha256 }) => lineOf(name, bytes, `sha256:${sha256}`))
    .sort()
  return said.join('\n') === actual.join('\n')
    ? []
    : [{ file: FILE, message: 'has other files, sizes or hashes than the manifest' }]
}

function toJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return null
  }
}
