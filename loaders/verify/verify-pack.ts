import { hash } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { hashFile, parseWritten, readRegular, UnreadableFileError } from '../files/read.ts'
import {
  checkFormat,
  checkRequired,
  DETAILS_FILE,
  type Finding,
  MANIFEST_FILE,
  MAX_MANIFEST_BYTES,
  PURGE_SIGNATURE_FILE,
  PURGED_FILE,
  parseManifest,
  SIGNATURE_FILE,
  type WholeManifest,
} from '../packs/csv-files/pack-format.ts'
import { withDetails } from '../packs/details.ts'
import { SUPERSEDED_FILE } from '../packs/earlier-packs.ts'
import type { Chain, ListedPurge } from './chain.ts'
import {
  checkDataPackage,
  checkFiles,
  checkListedSums,
  checkSignature,
  type PublicKeys,
  readSignature,
} from './files.ts'
import type { FoundManifest } from './found-manifest.ts'
import { checkOperations } from './operations.ts'
import { checkSums } from './sums.ts'

const purgedSchema = z.strictObject({
  purgedAt: z.iso.datetime(),
  purgedBy: z.string(),
  manifestSha256: z.string(),
  lastManifestSha256: z.string(),
})

const MAX_BYTES = 64 * 1024

/**
 * Returns when and by whom a pack was purged, as its `purged.json` says. Returns null if the pack was not
 * purged, or if the file is not a valid note about this pack.
 */
export function readPurgeNote(folder: string, sha256: string) {
  const said = readIfPlain(folder)
  const { data: note } = purgedSchema.safeParse(said === null ? null : parseWritten(said))
  return note?.manifestSha256 === sha256 ? { at: note.purgedAt, by: note.purgedBy } : null
}

function readIfPlain(folder: string): Buffer | null {
  try {
    return readPurged(folder)
  } catch (error) {
    if (error instanceof UnreadableFileError) return null
    throw error
  }
}

/** Reads `purged.json`; returns null if the pack has no such file. @throws UnreadableFileError */
function readPurged(folder: string): Buffer | null {
  return readRegular(folder, PURGED_FILE, MAX_BYTES)
}

/** Returns what the purge note of a pack says; null if the pack has no readable note. */
export function readPurge(folder: string): Pick<ListedPurge, 'purgedAt' | 'purgedBy'> | null {
  try {
    const bytes = readPurged(folder)
    const { data } = purgedSchema.safeParse(bytes === null ? null : parseWritten(bytes))
    return data === undefined ? null : { purgedAt: data.purgedAt, purgedBy: data.purgedBy }
  } catch (error) {
    if (error instanceof UnreadableFileError) return null
    throw error
  }
}

/**
 * Checks that a pack with `purged.json` was purged properly. With a public key, `purged.json` must be signed,
 * or a signed manifest must list the purge. Without a public key, a manifest must list the purge if a pack
 * was written after the purge. The order of packs decides, not times, because a clock may have been wrong.
 * `purged.json` names the last pack at the time of the purge, and later packs follow that pack. Besides the
 * manifest and `purged.json`, the folder may contain only superseded manifests and signatures.
 */
async function checkPurged(
  { folder, sha256 }: FoundManifest,
  manifest: WholeManifest,
  said: Buffer,
  chain: Chain,
  publicKey: PublicKeys | null,
): Promise<readonly Finding[]> {
  const finding = (message: string) => [{ file: PURGED_FILE, message }]
  const { data: purged } = purgedSchema.safeParse(parseWritten(said))
  if (purged === undefined) return finding('is not a purge note')
  if (purged.manifestSha256 !== sha256) return finding('belongs to another manifest')
  const claim = `says that the pack was purged at ${purged.purgedAt}`
  const found = await checkRest(folder, manifest)
  // A wrong signature is a fault even if a manifest confirms the purge of the pack.
  const isSigned = readSignature(folder, PURGE_SIGNATURE_FILE) !== null
  if (isSigned && publicKey !== null)
    return [...checkSignature(folder, PURGE_SIGNATURE_FILE, said, publicKey), ...found]
  if (chain.listsPurge(purged) || (publicKey === null && chain.isLast(purged.lastManifestSha256)))
    return found
  const missing =
    publicKey === null
      ? 'no later pack confirms that'
      : 'it is not signed, and no signed manifest confirms that'
  return [...found, ...finding(`${claim}, but ${missing}`)]
}

async function checkRest(folder: string, { files }: WholeManifest): Promise<readonly Finding[]> {
  const isKept = (name: string) => name === DETAILS_FILE || SUPERSEDED_FILE.test(name)
  const kept = new Map(files.filter(({ name }) => isKept(name)).map((file) => [file.name, file]))
  const own = new Set([MANIFEST_FILE, SIGNATURE_FILE, PURGED_FILE, PURGE_SIGNATURE_FILE])
  const found: Finding[] = []
  const entries = await readdir(folder, { withFileTypes: true })
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const file = entry.name
    const said = kept.get(file)
    kept.delete(file)
    if (said === undefined) {
      if (!own.has(file)) found.push({ file, message: 'must not be here: the pack was purged' })
    } else if (!entry.isFile()) found.push({ file, message: 'is a link or a folder, not a file' })
    else if (lstatSync(join(folder, file)).size !== said.bytes || said.bytes > MAX_MANIFEST_BYTES)
      found.push({ file, message: 'does not have the size in the manifest' })
    else if ((await hashFile(join(folder, file))).sha256 !== said.sha256)
      found.push({ file, message: 'does not have the SHA-256 in the manifest' })
  }
  for (const file of kept.keys()) found.push({ file, message: 'is missing' })
  return found
}

/**
 * Keys of a manifest that a rewrite of the pack does not change, because a rewrite only erases values of a
 * person.
 */
const SAME = ['integration', 'run', 'planHash', 'personalData', 'previousManifestSha256'] as const

/**
 * Checks the earlier manifests of a pack. The earlier manifests must be the ones that the current manifest
 * names, and must have the same run, files and row counts.
 */
function checkSuperseded(folder: string, manifest: WholeManifest, publicKey: PublicKeys | null) {
  const { supersedes, alsoSupersedes } = manifest
  const named = new Set([...(supersedes === undefined ? [] : [supersedes]), ...alsoSupersedes])
  const missing = new Set(named)
  const rowsOf = new Map(manifest.files.map(({ name, rows }) => [name, rows]))
  const found: Finding[] = []
  const kept = manifest.files.map(({ name }) => name).filter((name) => SUPERSEDED_FILE.test(name))
  const isKept = new Set(kept)
  for (const file of kept.filter((name) => /^manifest.*\.json$/.test(name))) {
    const bytes = readRegular(folder, file, MAX_MANIFEST_BYTES)
    // Another check has already reported that the file is missing.
    if (bytes === null) continue
    const finding = (message: string) => found.push({ file, message })
    const sha256 = hash('sha256', bytes)
    if (!named.has(sha256)) finding('is not named by the manifest that replaced it')
    missing.delete(sha256)
    const before = parseManifest(bytes)
    if (before === null) finding('is not a manifest of an audit pack')
    else {
      const other = SAME.filter((name) => before[name] !== manifest[name])
      if (other.length > 0) finding(`differs from the manifest in ${other.join(', ')}`)
      const { manifest: whole, fault } = withDetails(folder, before, file.replace(/^manifest/, 'details'))
      if (fault !== null) found.push(fault)
      const rows = (whole ?? before).files
        .filter(({ name }) => !SUPERSEDED_FILE.test(name))
        .filter(({ name, rows }) => rowsOf.get(name) !== rows)
      for (const { name } of rows) finding(`has another number of rows for ${name} than the manifest`)
    }
    const signed = file.replace(/json$/, 'sig')
    if (publicKey === null || !isKept.has(signed)) continue
    found.push(...checkSignature(folder, signed, bytes, publicKey))
  }
  if (missing.size > 0)
    found.push({ file: MANIFEST_FILE, message: 'names an earlier manifest of this pack that is not here' })
  return found
}

export type Extent = 'whole' | 'purged' | 'manifest'

export interface VerifiedPack {
  readonly findings: readonly Finding[]
  readonly extent: Extent
  /** Number of local times that differ from the time zone data of this machine, which is not a fault. */
  readonly otherLocalTimes: number
}

/**
 * Checks a pack against its format, without a database or network. The order is: signature and manifest
 * (already checked by `readManifest`), sums, files, rows, and the chain of packs. Source:
 * loaders/verify/README.md, "The format".
 *
 * @param publicKey key for checking signatures; if null, signatures are not checked
 */
export async function verifyPack(
  pack: FoundManifest,
  chain: Chain,
  publicKey: PublicKeys | null,
): Promise<VerifiedPack> {
  try {
    const verified = await verify(pack, chain, publicKey)
    return { ...verified, findings: firstOfEachFile(verified.findings) }
  } catch (error) {
    // A file that cannot be read is a finding about the pack, not a failure of the check.
    if (!(error instanceof UnreadableFileError)) throw error
    return unread([{ file: error.file, message: error.message }], 'manifest')
  }
}

/** Describes a pack whose rows were not read. */
function unread(findings: readonly Finding[], extent: Extent): VerifiedPack {
  return { findings, extent, otherLocalTimes: 0 }
}

async function verify(
  pack: FoundManifest,
  chain: Chain,
  publicKey: PublicKeys | null,
): Promise<VerifiedPack> {
  const { folder, manifest: said, fault, sha256 } = pack
  if (said === null) return unread([fault], 'manifest')
  // Without a public key, only the form of the signature can be checked.
  if (publicKey === null) readSignature(folder, SIGNATURE_FILE)
  const chained = chain.findingsOf(folder, sha256)
  const newer = checkFormat(said)
  if (newer.length > 0) return unread([...newer, ...chained], 'manifest')
  const { manifest, fault: faultOfDetails } = withDetails(folder, said)
  if (manifest === null) return unread([...chained, faultOfDetails], 'manifest')
  const purged = readPurged(folder)
  if (purged !== null) {
    const found = await checkPurged(pack, manifest, purged, chain, publicKey)
    return unread([...checkRequired(manifest), ...chained, ...found], 'purged')
  }
  const files = [
    ...checkRequired(manifest),
    ...(await checkFiles(folder, manifest)),
    ...checkListedSums(folder, manifest, sha256),
  ]
  const found = [...files, ...chained, ...checkNotPurged(chain.runThatPurged(sha256))]
  // If files differ from the manifest, checking their rows would prove nothing.
  if (files.length > 0) return unread(found, 'whole')
  found.push(...checkSuperseded(folder, manifest, publicKey))
  const operations = await checkOperations(folder, manifest)
  const sums = await checkSums(folder, manifest, operations)
  return {
    findings: [
      ...found,
      ...(operations?.findings ?? []),
      ...sums.findings,
      ...(await checkDataPackage(folder, manifest)),
    ],
    extent: 'whole',
    otherLocalTimes: sums.otherLocalTimes,
  }
}

/** Reports a complete pack that a run lists as purged: someone has restored its values. */
function checkNotPurged(run: string | null): readonly Finding[] {
  if (run === null) return []
  return [{ file: PURGED_FILE, message: `is missing, but run ${run} says that the pack was purged` }]
}

/** Maximum number of findings that are shown for each file. */
const MOST_OF_FILE = 50

function firstOfEachFile(findings: readonly Finding[]): readonly Finding[] {
  return [...Map.groupBy(findings, ({ file }) => file)].flatMap(([file, all]) => {
    const left = all.length - MOST_OF_FILE
    return left > 0 ? [...all.slice(0, MOST_OF_FILE), { file, message: `and ${left} more findings` }] : all
  })
}
