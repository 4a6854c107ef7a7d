import type { Finding } from '../audit/csv-files/finding.ts'
import { checkFormat, hasSums } from '../audit/csv-files/format.ts'
import { PURGED_FILE, SIGNATURE_FILE } from '../audit/csv-files/pack-files.ts'
import { UnreadableFileError } from '../files/read-regular.ts'
import type { Auditor } from './auditor.ts'
import type { Chain } from './chain.ts'
import { checkDataPackage } from './data-package.ts'
import { checkFiles, checkListedSums } from './files.ts'
import type { FoundManifest } from './found-manifest.ts'
import { checkOperations } from './operations.ts'
import { checkPurged, readPurged } from './purged.ts'
import { readSignature } from './signature.ts'
import { checkSums } from './sums.ts'
import { checkSuperseded } from './superseded.ts'

export type Extent = 'whole' | 'without sums' | 'purged' | 'manifest'

export interface VerifiedPack {
  readonly findings: readonly Finding[]
  readonly extent: Extent
}

/**
 * Checks a pack without database or network against what its format says that it holds, from the top down: signature and manifest
 * (`readManifest`), sums, files, rows, and the chain to the packs beside it. Source: loaders/README.md, "What a pack holds".
 */
export async function verifyPack(pack: FoundManifest, chain: Chain, auditor: Auditor): Promise<VerifiedPack> {
  try {
    const { findings, extent } = await verify(pack, chain, auditor)
    return { findings: firstOfEachFile(findings), extent }
  } catch (error) {
    // That is no failure of the check.
    if (!(error instanceof UnreadableFileError)) throw error
    return { findings: [{ file: error.file, message: error.message }], extent: 'manifest' }
  }
}

async function verify(pack: FoundManifest, chain: Chain, auditor: Auditor): Promise<VerifiedPack> {
  const { folder, manifest, fault, sha256 } = pack
  if (manifest === null) return { findings: [fault], extent: 'manifest' }
  // Without a key it can be told of a signature whether it can be one.
  if (auditor.publicKey === null) readSignature(folder, SIGNATURE_FILE)
  const chained = chain.findingsOf(folder, sha256)
  const purged = readPurged(folder)
  if (purged !== null) {
    const found = await checkPurged(pack, manifest, purged, chain, auditor)
    return { findings: [...chained, ...found], extent: 'purged' }
  }
  const extent = hasSums(manifest) ? 'whole' : 'without sums'
  const files = [
    ...checkFormat(manifest),
    ...(await checkFiles(folder, manifest)),
    ...checkListedSums(folder, manifest, sha256),
  ]
  const found = [...files, ...chained, ...checkNotPurged(chain.runTellingOfPurge(sha256))]
  // What files say that are not those of the manifest tells nothing more.
  if (files.length > 0) return { findings: found, extent }
  found.push(...checkSuperseded(folder, manifest, auditor.publicKey))
  if (extent === 'without sums') return { findings: found, extent }
  const operations = await checkOperations(folder, manifest)
  return {
    findings: [
      ...found,
      ...(operations?.findings ?? []),
      ...(await checkSums(folder, manifest, operations)),
      ...checkDataPackage(folder, manifest),
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
