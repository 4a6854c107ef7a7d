import type { KeyObject } from 'node:crypto'
import type { Finding } from '../audit/csv-files/finding.ts'
import { checkFormat, hasSums } from '../audit/csv-files/format.ts'
import { MANIFEST_FILE, PURGED_FILE, SIGNATURE_FILE } from '../audit/csv-files/pack-files.ts'
import { UnreadableFileError } from '../files/read-regular.ts'
import type { Chain } from './chain.ts'
import { checkDataPackage } from './data-package.ts'
import { checkFiles, checkListedSums } from './files.ts'
import type { FoundManifest } from './found-manifest.ts'
import { checkOperations } from './operations.ts'
import { checkPurged, readPurged } from './purged.ts'
import { checkSignatureFile } from './signature.ts'
import { checkSums } from './sums.ts'
import { checkSuperseded } from './superseded.ts'

export type Extent = 'whole' | 'without sums' | 'purged' | 'manifest'

export interface VerifiedPack {
  readonly findings: readonly Finding[]
  readonly extent: Extent
}

/**
 * Checks a pack without database or network against what its format says that it holds: hashes and sizes, row counts,
 * sums, the chain to the packs beside it, and with a public key the signature. Source: loaders/README.md, "What a pack
 * holds".
 */
export async function verifyPack(
  pack: FoundManifest,
  chain: Chain,
  publicKey: KeyObject | null,
): Promise<VerifiedPack> {
  try {
    const { findings, extent } = await verify(pack, chain, publicKey)
    return { findings: firstOfEachFile(findings), extent }
  } catch (error) {
    // That is no failure of the check.
    if (!(error instanceof UnreadableFileError)) throw error
    return { findings: [{ file: error.file, message: error.message }], extent: 'manifest' }
  }
}

async function verify(pack: FoundManifest, chain: Chain, publicKey: KeyObject | null): Promise<VerifiedPack> {
  const { folder, manifest, bytes, sha256 } = pack
  if (manifest === null) {
    const missing = bytes.length === 0 ? 'is not there, or empty' : 'is no manifest of an audit pack'
    return { findings: [{ file: MANIFEST_FILE, message: pack.fault ?? missing }], extent: 'manifest' }
  }
  const signed = await checkSignatureFile(folder, SIGNATURE_FILE, bytes, publicKey)
  const purged = await readPurged(folder)
  if (purged !== null) {
    const found = await checkPurged(pack, manifest, purged, chain, publicKey)
    return { findings: [...signed, ...chain.findingsOf(folder, sha256), ...found], extent: 'purged' }
  }
  const files = [...checkFormat(manifest), ...(await checkFiles(folder, manifest))]
  const found = [
    ...files,
    ...(await checkListedSums(folder, manifest, sha256)),
    ...signed,
    ...chain.findingsOf(folder, sha256),
    ...checkNotPurged(chain.runTellingOfPurge(sha256)),
    ...(await checkSuperseded(folder, manifest, publicKey)),
  ]
  const extent = hasSums(manifest) ? 'whole' : 'without sums'
  // Rows of files that are not those of the manifest tell nothing more.
  if (files.length > 0 || extent === 'without sums') return { findings: found, extent }
  const operations = await checkOperations(folder, manifest)
  return {
    findings: [
      ...found,
      ...(operations?.findings ?? []),
      ...(await checkSums(folder, manifest, operations)),
      ...(await checkDataPackage(folder, manifest)),
    ],
    extent,
  }
}

/** Where a pack was purged and is whole again, who was to be gone is back. */
function checkNotPurged(run: string | null): readonly Finding[] {
  if (run === null) return []
  return [{ file: PURGED_FILE, message: `is not there, and run ${run} says that the pack was purged` }]
}

/** Findings of one file that are shown. */
const MOST_OF_FILE = 50

function firstOfEachFile(findings: readonly Finding[]): readonly Finding[] {
  return [...Map.groupBy(findings, ({ file }) => file)].flatMap(([file, all]) => {
    const left = all.length - MOST_OF_FILE
    return left > 0 ? [...all.slice(0, MOST_OF_FILE), { file, message: `and ${left} findings more` }] : all
  })
}
