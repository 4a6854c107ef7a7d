import { type KeyObject, verify } from 'node:crypto'
import { MANIFEST_FILE, SIGNATURE_FILE } from '../pack-files.ts'
import { REPORT_FILE } from '../report/report.ts'
import { checkChain } from './chain.ts'
import { checkDataPackage } from './data-package.ts'
import { checkFiles, checkListedSums, readSmallFile } from './files.ts'
import type { Finding } from './finding.ts'
import type { FoundManifest } from './found-manifest.ts'
import type { Manifest } from './manifest.ts'
import { checkOperations } from './operations.ts'
import { checkPurged, readPurged } from './purged.ts'
import { NotCsvError } from './rows.ts'
import { checkSums } from './sums.ts'
import { checkSuperseded } from './superseded.ts'

/** Files that every pack has. */
const FILES: readonly string[] = [
  ...['agenda', 'attendees', 'speakers', 'decisions', 'changes', 'certificates', 'reconciliation'].map(
    (name) => `${name}.csv`,
  ),
  'load_results.csv',
  'datapackage.json',
  REPORT_FILE,
]

/** A pack of a version before 0.2 has neither sums nor a report: its files are held against the manifest, and no more. */
export const isWithoutSums = ({ personalData }: Manifest): boolean => personalData === undefined

/**
 * Checks a pack without database or network: hashes and sizes, row counts, sums, the chain to the packs beside it, and
 * with a public key the signature.
 *
 * @param beside packs in the same folder, this one among them
 * @returns what is wrong; nothing where the pack is whole
 */
export async function verifyPack(
  pack: FoundManifest,
  beside: readonly FoundManifest[],
  publicKey: KeyObject | null,
): Promise<readonly Finding[]> {
  const { folder, manifest, bytes, sha256 } = pack
  if (manifest === null) {
    const message = bytes.length === 0 ? 'is not there, or empty' : 'is no manifest of an audit pack'
    return [{ file: MANIFEST_FILE, message }]
  }
  const purged = await readPurged(folder)
  if (purged !== null) {
    return [
      ...(await checkSignature(folder, bytes, publicKey)),
      ...checkChain(pack, beside),
      ...checkPurged(pack, purged, beside),
    ]
  }
  const files = [...(await checkFiles(folder, manifest)), ...lacking(manifest)]
  const found = [
    ...files,
    ...(await checkListedSums(folder, manifest, sha256)),
    ...(await checkSignature(folder, bytes, publicKey)),
    ...checkChain(pack, beside),
    ...(await checkSuperseded(pack, publicKey)),
  ]
  // Rows of files that are not those of the manifest tell nothing more.
  if (files.length > 0 || isWithoutSums(manifest)) return found
  const operations = await checkOperations(folder, manifest)
  return [
    ...found,
    ...(operations?.findings ?? []),
    ...(await readable(() => checkSums(folder, manifest, operations))),
    ...(await checkDataPackage(folder, manifest)),
  ]
}

function lacking(manifest: Manifest): readonly Finding[] {
  if (isWithoutSums(manifest)) return []
  const names = new Set(manifest.files.map(({ name }) => name))
  return FILES.filter((file) => !names.has(file)).map((file) => ({ file, message: 'is not in the manifest' }))
}

/** Without a key it is only looked whether that what stands there can be a signature. */
async function checkSignature(
  folder: string,
  manifest: Buffer,
  publicKey: KeyObject | null,
): Promise<readonly Finding[]> {
  const text = await readSmallFile(folder, SIGNATURE_FILE)
  const finding = (message: string) => [{ file: SIGNATURE_FILE, message }]
  if (text === null) return publicKey === null ? [] : finding('is not there')
  const signature = Buffer.from(text, 'base64')
  // What is no base64 would be passed over, and so would bits behind the last byte.
  if (signature.length !== 64 || text !== `${signature.toString('base64')}\n`)
    return finding('is no signature as it is written here')
  return publicKey === null || verify(null, manifest, publicKey, signature)
    ? []
    : finding('is not a signature of this manifest by the owner of the key')
}

/** A file that is no CSV is a finding, not a failure of the check. */
async function readable(check: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await check()
  } catch (error) {
    if (!(error instanceof NotCsvError)) throw error
    return [{ file: error.file, message: error.message }]
  }
}
