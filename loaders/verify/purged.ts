import type { KeyObject } from 'node:crypto'
import { lstat, readdir } from 'node:fs/promises'
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
import type { Chain } from './chain.ts'
import { readSmallFile } from './files.ts'
import { type FoundManifest, MAX_MANIFEST_BYTES } from './found-manifest.ts'
import type { ListedPurge } from './link.ts'
import { checkSignatureFile } from './signature.ts'

const purgedSchema = z.strictObject({
  purgedAt: z.iso.datetime(),
  purgedBy: z.string(),
  manifestSha256: z.string(),
})

const MAX_BYTES = 64 * 1024

/** What says of a pack that it was purged; null where nothing does. @throws UnreadableFileError */
export function readPurged(folder: string): Promise<Buffer | null> {
  return readRegular(folder, PURGED_FILE, MAX_BYTES)
}

/**
 * Looks whether it was `purge` that took the files of a pack: with a key, a manifest that is signed says so, or what says
 * so is signed itself; without one, a later pack says so, if there is any. Beside the manifest is what it had before
 * it, and nothing else.
 */
export async function checkPurged(
  { folder, sha256 }: FoundManifest,
  manifest: Manifest,
  said: Buffer,
  chain: Chain,
  publicKey: KeyObject | null,
): Promise<readonly Finding[]> {
  const finding = (message: string) => [{ file: PURGED_FILE, message }]
  const purged = parse(said)
  if (purged === null) return finding('is no note of a purge')
  if (purged.manifestSha256 !== sha256) return finding('is not of this manifest')
  const findings = await checkRest(folder, manifest)
  // A signature that is there and wrong is a fault, whatever else says the same.
  const isSigned = (await readSmallFile(folder, PURGE_SIGNATURE_FILE)) !== null
  const signed = isSigned ? await checkSignatureFile(folder, PURGE_SIGNATURE_FILE, said, publicKey) : []
  if ((isSigned && publicKey !== null) || (await isProved(purged))) return [...findings, ...signed]
  return [
    ...findings,
    ...signed,
    ...finding(`says that the pack was purged at ${purged.purgedAt}, and ${whatIsMissing()}`),
  ]

  async function isProved(purge: ListedPurge): Promise<boolean> {
    const telling = chain.tellingOfPurge(purge)
    if (publicKey === null) return telling.length > 0 || !chain.isTellable(purge.purgedAt)
    for (const { folder: other } of telling) {
      const bytes = await readRegular(other, MANIFEST_FILE, MAX_MANIFEST_BYTES)
      if (bytes === null) continue
      if ((await checkSignatureFile(other, SIGNATURE_FILE, bytes, publicKey)).length === 0) return true
    }
    return false
  }

  function whatIsMissing(): string {
    return publicKey === null
      ? 'no later pack does'
      : 'neither is that signed, nor does a manifest that is signed say so'
  }
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
    else if ((await lstat(join(folder, file))).size !== said.bytes)
      found.push({ file, message: 'has another size than the manifest says' })
    else if ((await hashFile(join(folder, file))).sha256 !== said.sha256)
      found.push({ file, message: 'has another SHA-256 than the manifest says' })
  }
  for (const file of kept.keys()) found.push({ file, message: 'is not there' })
  return found
}

function parse(said: Buffer): z.output<typeof purgedSchema> | null {
  try {
    const value: unknown = JSON.parse(said.toString())
    // As it is written: of a key that is there twice a reader may take the other one.
    return `${JSON.stringify(value, null, 2)}\n` === said.toString() ? purgedSchema.parse(value) : null
  } catch {
    return null
  }
}
