import { lstatSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Finding } from '../audit/csv-files/finding.ts'
import type { Manifest } from '../audit/csv-files/manifest.ts'
import {
  MANIFEST_FILE,
  PURGE_SIGNATURE_FILE,
  PURGED_FILE,
  SIGNATURE_FILE,
} from '../audit/csv-files/pack-files.ts'
import { SUPERSEDED_FILE } from '../audit/superseded.ts'
import { hashFile } from '../files/hash-file.ts'
import { readRegular } from '../files/read-regular.ts'
import { parseWritten } from '../files/written-json.ts'
import type { Auditor } from './auditor.ts'
import type { Chain } from './chain.ts'
import type { FoundManifest } from './found-manifest.ts'
import { checkSignature, readSignature } from './signature.ts'

const purgedSchema = z.strictObject({
  purgedAt: z.iso.datetime(),
  purgedBy: z.string(),
  manifestSha256: z.string(),
})

const MAX_BYTES = 64 * 1024

/** What says of a pack that it was purged; null where nothing does. @throws UnreadableFileError */
export function readPurged(folder: string): Buffer | null {
  return readRegular(folder, PURGED_FILE, MAX_BYTES)
}

/** Clocks of two machines differ; nobody purges ahead of time. */
const MOST_AHEAD_MS = 24 * 60 * 60 * 1000

/**
 * Looks whether it was `purge` that took the files of a pack: with a key, what says so is signed itself, or a manifest that
 * is signed says the same; without one, a later pack does, if there is any. Beside the manifest is what it had before it, and nothing
 * else.
 */
export async function checkPurged(
  { folder, sha256 }: FoundManifest,
  manifest: Manifest,
  said: Buffer,
  chain: Chain,
  { publicKey, now }: Auditor,
): Promise<readonly Finding[]> {
  const finding = (message: string) => [{ file: PURGED_FILE, message }]
  const { data: purged } = purgedSchema.safeParse(parseWritten(said))
  if (purged === undefined) return finding('is no note of a purge')
  if (purged.manifestSha256 !== sha256) return finding('is not of this manifest')
  const claim = `says that the pack was purged at ${purged.purgedAt}`
  if (Date.parse(purged.purgedAt) > now + MOST_AHEAD_MS)
    return finding(`${claim}, which is more than a day ahead of the clock here`)
  const found = await checkRest(folder, manifest)
  // A signature that is there and wrong is a fault, whatever else says the same.
  const isSigned = readSignature(folder, PURGE_SIGNATURE_FILE) !== null
  if (isSigned && publicKey !== null)
    return [...checkSignature(folder, PURGE_SIGNATURE_FILE, said, publicKey), ...found]
  if (chain.tellsOfPurge(purged) || (publicKey === null && !chain.isTellable(purged.purgedAt))) return found
  const missing =
    publicKey === null
      ? 'no later pack does'
      : 'neither is that signed, nor does a manifest that is signed say so'
  return [...found, ...finding(`${claim}, and ${missing}`)]
}

async function checkRest(folder: string, { files }: Manifest): Promise<readonly Finding[]> {
  const kept = new Map(
    files.filter(({ name }) => SUPERSEDED_FILE.test(name)).map((file) => [file.name, file]),
  )
  const own = new Set([MANIFEST_FILE, SIGNATURE_FILE, PURGED_FILE, PURGE_SIGNATURE_FILE])
  const found: Finding[] = []
  const entries = await readdir(folder, { withFileTypes: true })
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const file = entry.name
    const said = kept.get(file)
    kept.delete(file)
    if (said === undefined) {
      if (!own.has(file)) found.push({ file, message: 'is in a pack that was purged' })
    } else if (!entry.isFile()) found.push({ file, message: 'is a link or a folder, not a file' })
    else if (lstatSync(join(folder, file)).size !== said.bytes)
      found.push({ file, message: 'has another size than the manifest says' })
    else if ((await hashFile(join(folder, file))).sha256 !== said.sha256)
      found.push({ file, message: 'has another SHA-256 than the manifest says' })
  }
  for (const file of kept.keys()) found.push({ file, message: 'is not there' })
  return found
}
