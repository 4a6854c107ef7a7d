import { lstatSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { hashFile, readRegular, tooLarge, UnreadableFileError } from '../files/read.ts'
import {
  type Finding,
  MANIFEST_FILE,
  MAX_MANIFEST_BYTES,
  type Manifest,
  SIGNATURE_FILE,
} from '../packs/csv-files/pack-format.ts'
import { type Link, linkOf, openChain } from './chain.ts'
import {
  ACTIONS_FILE,
  ANCHORS_FOLDER,
  anchorFile,
  cellsOfRun,
  configurationFile,
  EVIDENCE_FILE,
  EVIDENCE_SIGNATURE_FILE,
  type EvidenceIndex,
  entryOf,
  isIn,
  JOINED_FILES,
  type PackEntry,
  readIndex,
} from './evidence-index.ts'
import { checkSignature, maxBytesOf, type PublicKeys, readSignature } from './files.ts'
import { type FoundManifest, readManifest } from './found-manifest.ts'
import { type CsvForm, type Row, rowsOf } from './rows.ts'
import { readPurge, type VerifiedPack, verifyPack } from './verify-pack.ts'

/** A pack of an evidence folder that was verified. */
export interface EvidencePack extends VerifiedPack {
  readonly folder: string
  /** Null if the manifest has a fault. Of the manifest, only these parts stay in memory. */
  readonly manifest: Pick<Manifest, 'run' | 'integration' | 'format' | 'gap' | 'appliedAt'> | null
}

export interface VerifiedEvidence {
  /** Null if the index cannot be read. */
  readonly index: EvidenceIndex | null
  /** Faults of the evidence itself; those of packs are with the packs. */
  readonly findings: readonly Finding[]
  /** Empty if the index or a file that it lists has a fault. */
  readonly packs: readonly EvidencePack[]
}

/**
 * Checks an evidence folder alone, without a database or network. The order is: signature and form of the
 * index, the listed files, the row of packs between the two anchors, each pack, and the rows of the joined
 * files. Source: loaders/verify/README.md, "Evidence folders".
 *
 * @param publicKey key for checking signatures; if null, signatures are not checked
 * @param onPack called before each pack is checked
 * @returns null if the folder is not an evidence folder
 */
export async function verifyEvidence(
  folder: string,
  publicKey: PublicKeys | null,
  onPack: (number: number, of: number, run: string) => void = () => undefined,
): Promise<VerifiedEvidence | null> {
  const read = readIndex(folder, publicKey)
  if (read === null) return null
  if (read.index === null) return { index: null, findings: [read.fault], packs: [] }
  const { index } = read
  const placed = [...(await checkTree(folder, index)), ...(await checkListed(folder, index))]
  if (placed.length > 0) return { index, findings: placed, packs: [] }
  const { links, findings } = checkManifests(folder, index, publicKey)
  if (links.length === index.packs.length) findings.push(...checkOrder(folder, index, links, publicKey))
  findings.push(...checkConfigurations(index))
  const chain = openChain(partOf(index, links), [renamingOf(index)], purgesOf(index))
  const packs: EvidencePack[] = []
  for (const [at, { run }] of index.packs.entries()) {
    onPack(at + 1, index.packs.length, run)
    const found = readManifest(join(folder, index.integration, run), publicKey)
    if (found !== null) packs.push({ ...partsOf(found), ...(await verifyPack(found, chain, publicKey)) })
  }
  const isIntact = findings.length === 0 && packs.every((pack) => pack.findings.length === 0)
  return { index, findings: isIntact ? await checkRows(folder, index, packs) : findings, packs }
}

function partsOf({ folder, manifest }: FoundManifest): Pick<EvidencePack, 'folder' | 'manifest'> {
  if (manifest === null) return { folder, manifest }
  const { run, integration, format, gap, appliedAt } = manifest
  return { folder, manifest: { run, integration, format, gap, appliedAt } }
}

/** Checks that the folder has exactly the files that the index lists, and the folders of the packs. */
async function checkTree(folder: string, index: EvidenceIndex): Promise<readonly Finding[]> {
  const files = new Set([EVIDENCE_FILE, EVIDENCE_SIGNATURE_FILE, ...index.files.map(({ name }) => name)])
  const packs = new Map(index.packs.map((pack) => [`${index.integration}/${pack.run}`, pack]))
  const folders = new Set([...files, ...packs.keys()].flatMap(foldersAround))
  const missing = new Set([...files, ...packs.keys()])
  missing.delete(EVIDENCE_SIGNATURE_FILE)
  const found: Finding[] = []
  async function walk(at: string): Promise<void> {
    const entries = await readdir(join(folder, at), { withFileTypes: true })
    for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
      const file = at === '' ? entry.name : `${at}/${entry.name}`
      missing.delete(file)
      const isFolder = packs.has(file) || folders.has(file)
      if (!isFolder && !files.has(file)) found.push({ file, message: `is not in ${EVIDENCE_FILE}` })
      else if (isFolder && !entry.isDirectory()) found.push({ file, message: 'is not a folder' })
      else if (!isFolder && !entry.isFile())
        found.push({ file, message: 'is a link or a folder, not a file' })
      else if (folders.has(file)) await walk(file)
    }
  }
  await walk('')
  return [...found, ...[...missing].map((file) => ({ file, message: missingText(packs.get(file)) }))]
}

/** @param pack entry of a missing pack in the index; undefined for a missing file */
function missingText(pack: PackEntry | undefined): string {
  if (pack === undefined) return 'is missing'
  const landed = pack.landedAt === null ? 'did not land' : `landed at ${pack.landedAt}`
  return `is missing: the pack of a run that ${landed}; ask where this folder was made: \`event-sync export ${pack.run}\` writes the pack again there`
}

function foldersAround(name: string): readonly string[] {
  const parts = name.split('/')
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'))
}

/** Compares the listed files with their sizes and hashes. A configuration also has its hash as its name. */
async function checkListed(folder: string, { files }: EvidenceIndex): Promise<readonly Finding[]> {
  const found: Finding[] = []
  for (const { name: file, bytes, sha256 } of files) {
    const size = lstatSync(join(folder, file), { throwIfNoEntry: false })
    // The check of the tree has already reported a missing file, a folder or a link.
    if (size?.isFile() !== true) continue
    const most = file.endsWith(`/${MANIFEST_FILE}`) ? MAX_MANIFEST_BYTES : maxBytesOf(file)
    if (size.size !== bytes)
      found.push({ file, message: `has ${size.size} bytes, ${EVIDENCE_FILE} says ${bytes}` })
    else if (bytes > most) found.push({ file, message: tooLarge(bytes, most) })
    else if ((await hashFile(join(folder, file))).sha256 !== sha256)
      found.push({ file, message: `does not have the SHA-256 in ${EVIDENCE_FILE}` })
  }
  return found
}

/** Reads the manifests of the packs, and compares each with what the index says about it. */
function checkManifests(folder: string, index: EvidenceIndex, publicKey: PublicKeys | null) {
  const links: Link[] = []
  const findings: Finding[] = []
  const ids = new Set([index.integration, ...index.formerIds])
  for (const entry of index.packs) {
    const file = `${index.integration}/${entry.run}`
    const find = (message: string) => findings.push({ file, message })
    const place = join(folder, file)
    const found = readManifest(place, publicKey)
    if (found === null) find('is not a pack: it has no manifest.json')
    else if (found.manifest !== null) {
      const { sha256, manifest } = found
      links.push(linkOf(place, sha256, manifest))
      const said = entryOf(sha256, manifest, readPurge(place))
      if (!isDeepStrictEqual(said, entry)) find(`has another manifest than ${EVIDENCE_FILE} says`)
      if (!ids.has(manifest.integration)) find(`belongs to integration ${manifest.integration}`)
    }
  }
  return { links, findings }
}

/**
 * Checks that the packs are one row between the two anchors, and that the row has all packs of the period:
 * its first and last pack landed in the period, and the anchors did not.
 */
function checkOrder(
  folder: string,
  index: EvidenceIndex,
  packs: readonly Link[],
  publicKey: PublicKeys | null,
): readonly Finding[] {
  const { before } = index
  const findings: Finding[] = []
  const find = (file: string, message: string) => findings.push({ file, message })
  const anchors = (['before', 'after'] as const).map((anchor) => {
    if (!index.files.some(({ name }) => name === anchorFile(anchor))) return null
    const { link, faults } = readAnchor(folder, index, anchor, publicKey)
    findings.push(...faults)
    return link
  })
  if (findings.length > 0) return findings
  const [first = null, last = null] = anchors
  const row = [first, ...packs, last].filter((link) => link !== null)
  const [start] = row
  if (first === null && start !== undefined && start.previous !== (before?.manifestSha256 ?? null))
    find('chain', `run ${start.run} does not follow the pack that ${EVIDENCE_FILE} names as before`)
  for (const [at, link] of row.slice(1).entries()) {
    const followed = row[at]
    if (followed === undefined || follows(link, followed)) continue
    find('chain', `run ${link.run} does not follow run ${followed.run}`)
  }
  const [early, late] = [packs[0], packs.at(-1)]
  for (const link of new Set([early, late]))
    if (link !== undefined && !isIn(index, link.landedAt))
      find('chain', `run ${link.run} is at an end of the row, but did not land in the period`)
  for (const [at, link] of anchors.entries())
    if (link !== null && isIn(index, link.landedAt)) {
      const what = at === 0 ? 'before' : 'after'
      find('chain', `run ${link.run} is named as ${what} the period, but landed in it`)
    }
  return findings
}

function follows(link: Link, before: Link): boolean {
  const isOwn = before.integration === link.integration || before.integration === link.renamedFrom[0]
  return isOwn && link.previous !== null && new Set(before.hashes).has(link.previous)
}

/** Reads the manifest of the pack before or after the period, and compares it with the index. */
function readAnchor(
  folder: string,
  index: EvidenceIndex,
  anchor: 'before' | 'after',
  publicKey: PublicKeys | null,
): { readonly link: Link | null; readonly faults: readonly Finding[] } {
  const file = anchorFile(anchor)
  const place = join(folder, dirname(file))
  const fault = (message: string) => ({ link: null, faults: [{ file, message }] })
  const found = readManifest(place, null)
  if (found === null || found.manifest === null) return fault('is not a manifest of an audit pack')
  const { sha256, manifest } = found
  const said = { run: manifest.run, manifestSha256: sha256, finishedAt: manifest.finishedAt ?? null }
  if (!isDeepStrictEqual(said, index[anchor])) return fault(`is not the manifest that ${EVIDENCE_FILE} names`)
  const faults = index.files.some(({ name }) => name === anchorFile(anchor, SIGNATURE_FILE))
    ? checkAnchorSignature(place, publicKey).map(({ message }) => ({
        file: anchorFile(anchor, SIGNATURE_FILE),
        message,
      }))
    : []
  // The chain names a pack by its folder, which has the run as its name.
  return { link: linkOf(join(folder, ANCHORS_FOLDER, manifest.run), sha256, manifest), faults }
}

function checkAnchorSignature(place: string, publicKey: PublicKeys | null): readonly Finding[] {
  try {
    const bytes = readRegular(place, MANIFEST_FILE, MAX_MANIFEST_BYTES) ?? Buffer.alloc(0)
    if (publicKey !== null) return checkSignature(place, SIGNATURE_FILE, bytes, publicKey)
    readSignature(place, SIGNATURE_FILE)
    return []
  } catch (error) {
    if (error instanceof UnreadableFileError) return [{ file: error.file, message: error.message }]
    throw error
  }
}

/**
 * Checks that each configuration has its hash as its name and belongs to a pack, and that the index lists the
 * configurations that are not here.
 */
function checkConfigurations({ packs, files, unknownConfigurations }: EvidenceIndex): readonly Finding[] {
  const named = new Set(packs.flatMap(({ configHash }) => configHash ?? []))
  const known = files.filter(({ name }) => name.startsWith('configurations/'))
  const found: Finding[] = []
  for (const { name: file, sha256 } of known) {
    if (file !== configurationFile(sha256)) found.push({ file, message: 'does not have its SHA-256 as name' })
    if (!named.delete(sha256)) found.push({ file, message: 'is not the configuration of any of the runs' })
  }
  if (!isDeepStrictEqual([...named].sort(), unknownConfigurations.toSorted()))
    found.push({
      file: EVIDENCE_FILE,
      message: 'does not list exactly those configurations of runs as unknown that are not here',
    })
  return found
}

/**
 * Returns the links of the packs as a chain of their own: it begins with the first pack, and packs before it
 * may be named.
 */
function partOf({ before }: EvidenceIndex, links: readonly Link[]): readonly Link[] {
  return links.map((link, at) => ({
    ...link,
    previous: at === 0 && before !== null ? null : link.previous,
    gap: [],
  }))
}

function renamingOf({ integration, formerIds }: EvidenceIndex) {
  return { integration, renamedFrom: formerIds }
}

/** Returns the purges that the index confirms. The packs that list them may come after the period. */
function purgesOf({ packs }: EvidenceIndex) {
  return packs.flatMap(({ manifestSha256, purge }) => (purge === null ? [] : { manifestSha256, ...purge }))
}

/** Checks the rows of the CSV files of the evidence. The packs and the hashes of the files have no fault. */
async function checkRows(folder: string, index: EvidenceIndex, packs: readonly EvidencePack[]) {
  const findings: Finding[] = []
  for (const { file, joined } of JOINED_FILES)
    findings.push(...(await checkFile(joined, () => checkJoined(folder, index, packs, file, joined))))
  const of = ACTIONS_FILE
  findings.push(
    ...(await checkFile(of, async () => {
      let rows = 0
      for await (const _ of rowsOf(folder, of)) rows += 1
      return checkCount(index, of, rows)
    })),
  )
  return findings
}

async function checkFile({ name: file }: CsvForm, check: () => Promise<readonly Finding[]>) {
  try {
    return await check()
  } catch (error) {
    if (error instanceof UnreadableFileError) return [{ file, message: error.message }]
    throw error
  }
}

/** Compares the rows of a joined file with those of the packs, one by one. A purged pack has no rows. */
async function checkJoined(
  folder: string,
  index: EvidenceIndex,
  packs: readonly EvidencePack[],
  file: CsvForm,
  joined: CsvForm,
): Promise<readonly Finding[]> {
  const rows = rowsOf(folder, joined)
  let count = 0
  try {
    for (const { folder: of, manifest, extent } of packs)
      if (extent === 'whole' && manifest !== null)
        for await (const row of rowsOf(of, file)) {
          count += 1
          const { run, appliedAt = null } = manifest
          const next = await rows.next()
          const expected = { ...cellsOfRun(run, appliedAt), ...row }
          if (next.done === true || !isSame(joined, next.value, expected))
            return [{ file: joined.name, message: `row ${count} is not the next row of run ${run}` }]
        }
    if ((await rows.next()).done !== true)
      return [{ file: joined.name, message: `row ${count + 1} is not a row of any of the packs` }]
    return checkCount(index, joined, count)
  } finally {
    await rows.return(undefined)
  }
}

function isSame({ columns }: CsvForm, row: Row, expected: Row): boolean {
  return Object.keys(columns).every((name) => row[name] === expected[name])
}

function checkCount({ files }: EvidenceIndex, { name: file }: CsvForm, rows: number): readonly Finding[] {
  const said = files.find(({ name }) => name === file)?.rows
  return said === rows ? [] : [{ file, message: `has ${rows} rows, ${EVIDENCE_FILE} says ${said}` }]
}
