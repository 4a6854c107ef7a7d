import { createHash, type KeyObject } from 'node:crypto'
import type { Finding } from '../audit/csv-files/finding.ts'
import { MAX_MANIFEST_BYTES, type Manifest, parseManifest } from '../audit/csv-files/manifest.ts'
import { SUPERSEDED_FILE } from '../audit/superseded.ts'
import { readRegular } from '../files/read-regular.ts'
import { checkSignature } from './signature.ts'

/** What a pack that is written again says as before: only values of a person may be gone from its files. */
const SAME = ['integration', 'run', 'planHash', 'personalData', 'previousManifestSha256'] as const

/** Checks that earlier manifests of a pack are those that its manifest names, of the same run, with the same files and row counts. */
export function checkSuperseded(folder: string, manifest: Manifest, publicKey: KeyObject | null) {
  const named = new Set([manifest.supersedes, ...manifest.alsoSupersedes])
  const rowsOf = new Map(manifest.files.map(({ name, rows }) => [name, rows]))
  const found: Finding[] = []
  const kept = manifest.files.map(({ name }) => name).filter((name) => SUPERSEDED_FILE.test(name))
  for (const file of kept.filter((name) => name.endsWith('.json'))) {
    const bytes = readRegular(folder, file, MAX_MANIFEST_BYTES)
    // That a file is missing is a finding already.
    if (bytes === null) continue
    const finding = (message: string) => found.push({ file, message })
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    if (!named.has(sha256)) finding('is not named by the manifest that took its place')
    const before = parseManifest(bytes)
    if (before === null) finding('is no manifest of an audit pack')
    else {
      const other = SAME.filter((name) => before[name] !== manifest[name])
      if (other.length > 0) finding(`says something else of ${other.join(', ')} than the manifest`)
      const rows = before.files
        .filter(({ name }) => !SUPERSEDED_FILE.test(name))
        .filter(({ name, rows }) => rowsOf.get(name) !== rows)
      for (const { name } of rows) finding(`has another number of rows for ${name} than the manifest`)
    }
    const signed = file.replace(/json$/, 'sig')
    if (publicKey === null || !kept.includes(signed)) continue
    found.push(...checkSignature(folder, signed, bytes, publicKey))
  }
  return found
}
