import { createHash, type KeyObject, verify } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SUPERSEDED_FILE } from '../superseded.ts'
import { hashesOf } from './chain.ts'
import type { Finding } from './finding.ts'
import type { FoundManifest } from './found-manifest.ts'
import { parseManifest } from './manifest.ts'

/** What a pack that is written again says as before: only values of a person may be gone from its files. */
const SAME = ['integration', 'run', 'planHash', 'personalData', 'previousManifestSha256'] as const

/**
 * Looks whether the manifests that a pack has had before are those that its manifest names, and tell of the same run
 * with the same files and as many rows.
 */
export async function checkSuperseded(
  { folder, manifest, ...pack }: FoundManifest,
  publicKey: KeyObject | null,
): Promise<readonly Finding[]> {
  if (manifest === null) return []
  const named = hashesOf({ folder, manifest, ...pack }).slice(1)
  const found: Finding[] = []
  const kept = manifest.files.map(({ name }) => name).filter((name) => SUPERSEDED_FILE.test(name))
  for (const file of kept.filter((name) => name.endsWith('.json'))) {
    const bytes = await readFile(join(folder, file)).catch(() => null)
    // That a file is not there is told of already.
    if (bytes === null) continue
    const finding = (message: string) => found.push({ file, message })
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    if (!named.includes(sha256)) finding('is not named by the manifest that took its place')
    const before = parseManifest(bytes)
    if (before === null) finding('is no manifest of an audit pack')
    else {
      const other = SAME.filter((name) => before[name] !== manifest[name])
      if (other.length > 0) finding(`says something else of ${other.join(', ')} than the manifest`)
      const rows = before.files
        .filter(({ name }) => !SUPERSEDED_FILE.test(name))
        .filter(({ name, rows }) => manifest.files.find((now) => now.name === name)?.rows !== rows)
      for (const { name } of rows) finding(`has another number of rows for ${name} than the manifest`)
    }
    const signed = file.replace(/json$/, 'sig')
    if (publicKey === null || !kept.includes(signed)) continue
    const signature = await readFile(join(folder, signed), 'utf8').catch(() => '')
    if (!verify(null, bytes, publicKey, Buffer.from(signature.trim(), 'base64')))
      found.push({ file: signed, message: `is not a signature of ${file} by the owner of the key` })
  }
  return found
}
