import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { readFile, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import {
  type ChainedPack,
  type ChosenPacks,
  choosePacks,
  findChain,
} from '../../loaders/evidence/choose-packs.ts'
import {
  type CopiedPack,
  copyFile,
  copyPack,
  UnfitPackError,
  writeActions,
  writeJoined,
  writeText,
} from '../../loaders/evidence/evidence-files.ts'
import { evidenceNote } from '../../loaders/evidence/note.ts'
import { makeFolder, moveWhole, type OutputMode } from '../../loaders/files/file-writer.ts'
import { findActionsOfPeriod } from '../../loaders/ledger/actions.ts'
import { findConfiguration } from '../../loaders/ledger/configurations.ts'
import { findFormerIds } from '../../loaders/ledger/former-ids.ts'
import { findPacksToRewrite, findRuns } from '../../loaders/ledger/ledger.ts'
import { MANIFEST_FILE, SIGNATURE_FILE } from '../../loaders/packs/csv-files/pack-format.ts'
import { openChain } from '../../loaders/verify/chain.ts'
import { verifyEvidence } from '../../loaders/verify/evidence.ts'
import {
  anchorFile,
  configurationFile,
  EVIDENCE_FILE,
  EVIDENCE_FORMAT,
  EVIDENCE_SIGNATURE_FILE,
  type EvidenceFile,
  type EvidenceIndex,
  isIn,
  JOINED_FILES,
  type PackEntry,
  type Period,
  README_FILE,
  RESERVED_IDS,
  RULES_FILE,
  VERIFIER_FILE,
} from '../../loaders/verify/evidence-index.ts'
import { readManifest, readPacks } from '../../loaders/verify/found-manifest.ts'
import { RENAMED_FILE, RENAMED_SIGNATURE_FILE } from '../../loaders/verify/renamed.ts'
import { verifyPack } from '../../loaders/verify/verify-pack.ts'
import { counted } from '../../transforms/texts/counted.ts'
import { resolveSigner } from '../config/signing.ts'
import { emitStep } from '../context/open-run.ts'
import { isInOutput, packsFolder } from '../context/pack-folder.ts'
import { type Context, timestamp, whileLocked } from '../context/run-context.ts'
import { pointsOf } from '../runtime/events.ts'
import { describeCode, whyNotWritable } from '../runtime/not-writable.ts'
import { packageRoot, productVersion } from '../runtime/package-root.ts'
import { UserError } from '../settings/errors.ts'

/** The evidence that was made: its index, and if it is signed. */
export interface Evidence {
  readonly index: EvidenceIndex
  readonly isSigned: boolean
}

const NOTHING = 'nothing was written'

/**
 * Makes an evidence folder: the packs of a period, the packs before and after it by their manifests, all
 * changes, certificates, actions of operators and configurations, and a signed index.
 *
 * The folder gets its name when it is complete. If the process dies, the next call with the same folder begins
 * again.
 *
 * @param folder absolute path; the folder must not exist, or be empty
 * @throws Error if packs are missing or were changed
 * @throws UserError if the folder is not free, or if another process holds the lock
 */
export async function makeEvidence(
  context: Context,
  integrationId: string,
  period: Period,
  folder: string,
): Promise<Evidence> {
  requireFree(context, integrationId, folder)
  const evidence = await whileLocked(context, integrationId, async (locked) => {
    const chosen = await choose(locked, integrationId, period)
    const unfinished = join(dirname(folder), `.${basename(folder)}.evidence`)
    const discard = () => rm(unfinished, { recursive: true, force: true })
    await discard()
    try {
      const made = await write(locked, {
        ...{ integrationId, period, chosen, folder: unfinished },
        mode: locked.config.output.mode,
      })
      await putInPlace(unfinished, folder)
      pointsOf(context.events, integrationId)('evidence in place')
      return made
    } catch (error) {
      await discard()
      if (!(error instanceof UnfitPackError)) throw error
      const faults = await findFaults(chosen, packsFolder(locked, integrationId))
      throw damaged(new Map([[error.run, error.message], ...faults]), error)
    }
  })
  if (evidence !== null) return evidence
  const todo = `wait until it ends; ${NOTHING}`
  throw new UserError('locked', `${integrationId} is locked by another process`, todo)
}

async function putInPlace(unfinished: string, folder: string): Promise<void> {
  // Some systems do not rename a folder to the name of an empty one.
  if (existsSync(folder)) await rmdir(folder)
  await moveWhole(unfinished, folder)
}

function requireFree(context: Context, integrationId: string, folder: string): void {
  if (RESERVED_IDS.includes(integrationId))
    throw new UserError(
      'state',
      `evidence has a folder of its own with the name ${integrationId}, so the packs of ${integrationId} have no place in it`,
      `give it another id with \`event-sync rename ${integrationId} NEW\`; ${NOTHING}`,
    )
  if (isInOutput(context, folder))
    throw new UserError(
      'usage',
      `${folder} is in the output folder, which has the packs themselves`,
      `name a folder elsewhere; ${NOTHING}`,
    )
  if (existsSync(folder) && !isEmptyFolder(folder))
    throw new UserError('file', `${folder} exists and is not overwritten`, `name another folder; ${NOTHING}`)
  const fault = whyNotWritable(dirname(folder))
  if (fault !== null)
    throw new UserError(
      'file',
      `${folder} cannot be written${describeCode(fault)}`,
      `name another folder; ${NOTHING}`,
      { cause: fault },
    )
}

function isEmptyFolder(folder: string): boolean {
  return lstatSync(folder).isDirectory() && readdirSync(folder).length === 0
}

/**
 * Chooses the packs of the period.
 *
 * @throws UserError if a pack must first be written, or if they are not one row
 */
async function choose(context: Context, integrationId: string, period: Period): Promise<ChosenPacks> {
  const db = context.database.kysely
  const folder = packsFolder(context, integrationId)
  const unwritten = (await findRuns(db, { integrationId, statuses: ['applied'] })).find(({ applied_at }) =>
    isIn(period, applied_at?.toISOString() ?? null),
  )
  if (unwritten !== undefined)
    throw new UserError(
      'state',
      `run ${unwritten.run_id} of ${integrationId} landed, but its pack was not written`,
      `write it with \`event-sync export ${unwritten.run_id}\`; ${NOTHING}`,
    )
  const chain = await findChain(db, integrationId, folder)
  const absent = chain.filter(({ folder: of, landedAt }) => of === null && isIn(period, landedAt))
  const chosen = choosePacks(chain, period)
  if (chosen === null && absent.length > 0) throw damaged(new Map(absent.map(toMissing)))
  if (chosen === null)
    throw new UserError(
      'state',
      `the packs of the period in ${folder} are not one row: a pack between them is missing, or two follow the same pack`,
      `\`event-sync verify ${folder}\` says more; ${NOTHING}`,
    )
  const { packs, after } = chosen
  if ([...packs, after].some((pack) => pack !== null && pack.folder === null))
    throw damaged(await findFaults(chosen, folder))
  const runs = new Set(packs.map(({ run }) => run))
  const due = (await findPacksToRewrite(db, integrationId)).find((run) => runs.has(run))
  if (due === undefined) return chosen
  throw new UserError(
    'state',
    `the pack of run ${due} must first be rewritten without a forgotten person`,
    `repeat the \`event-sync forget\` that began it; ${NOTHING}`,
  )
}

/** The first fault of each pack, by the run of the pack. */
type Faults = ReadonlyMap<string, string>

const toMissing = ({ run }: ChainedPack) => [run, 'is missing, or its manifest was changed'] as const

/** Finds all packs that evidence needs and that are missing or were changed. */
async function findFaults({ packs, after }: ChosenPacks, folder: string): Promise<Faults> {
  const needed = [...packs, ...(after === null ? [] : [after])]
  const faults = new Map<string, string>(needed.filter((pack) => pack.folder === null).map(toMissing))
  const { links, renamings } = await readPacks(folder, null)
  const chain = openChain(links, renamings)
  for (const { run, folder: of } of packs) {
    const found = of === null ? null : readManifest(of, null)
    if (found === null) continue
    const { findings } = await verifyPack(found, chain, null)
    // A pack that is missing is a fault in the chain of all later packs.
    const own = findings.find(({ file }) => file !== 'chain')
    if (own !== undefined) faults.set(run, `has a fault: ${own.file} ${own.message}`)
  }
  return faults
}

/** Maximum number of packs that a message names. */
const MOST_NAMED = 5

/** Returns an error that is not a UserError, because the usage is right: the command ends with exit code 1. */
function damaged(faults: Faults, cause?: unknown): Error {
  const named = [...faults].sort().slice(0, MOST_NAMED)
  const more = faults.size - named.length
  const what = [
    ...named.map(([run, fault]) => `the pack of run ${run} ${fault}`),
    ...(more > 0 ? [`and ${counted(more, 'more pack')}`] : []),
  ]
  const commands = named.map(([run]) => `\`event-sync export ${run}\``).join(', ')
  return new Error(
    `${what.join('; ')}; write ${faults.size === 1 ? 'it' : 'them'} again with ${commands}; ${NOTHING}`,
    { cause },
  )
}

interface Place {
  readonly integrationId: string
  readonly period: Period
  readonly chosen: ChosenPacks
  readonly folder: string
  readonly mode: OutputMode
}

/** Writes the folder, and verifies it. */
async function write(context: Context, place: Place): Promise<Evidence> {
  const { integrationId, chosen, folder, mode } = place
  const at = pointsOf(context.events, integrationId)
  const step = <Result>(name: string, number: number, work: () => Promise<Result>) =>
    emitStep(context, integrationId, name, { number, of: 3 }, work)
  await makeFolder(folder, mode)
  at('evidence begun')
  const copies: Awaited<ReturnType<typeof copyPack>>[] = []
  await step('copy packs', 1, async () => {
    for (const { run, folder: from } of chosen.packs) {
      if (from !== null) copies.push(await copyPack(run, from, join(folder, integrationId, run), mode))
      at('evidence pack copied')
    }
  })
  const packs = copies.map(({ entry }) => entry)
  const evidence = await step('write', 2, async () => {
    const files = [
      ...(await writeRows(context, place, copies)),
      ...(await copyOthers(context, place)),
      ...(await copyAnchors(place)),
    ]
    const known = await writeConfigurations(context, place, packs)
    const index = await indexOf(context, place, packs, [...files, ...known.files], known.unknown)
    const text = `${JSON.stringify(index, null, 2)}\n`
    const sign = resolveSigner(context.config, context.secrets)
    if (sign !== null) await writeText(folder, EVIDENCE_SIGNATURE_FILE, `${sign(Buffer.from(text))}\n`, mode)
    await writeText(folder, EVIDENCE_FILE, text, mode)
    at('evidence written')
    return { index, isSigned: sign !== null }
  })
  await step('verify', 3, () => requireIntact(folder))
  return evidence
}

async function writeRows(
  { config, database }: Context,
  { integrationId, period, folder, mode }: Place,
  copies: readonly { readonly pack: CopiedPack }[],
): Promise<readonly EvidenceFile[]> {
  const packs = copies.map(({ pack }) => pack)
  const options = { mode, byteOrderMark: config.audit.excel }
  const files: EvidenceFile[] = []
  for (const one of JOINED_FILES) files.push(await writeJoined(folder, packs, one, options))
  const runs = packs.map(({ run }) => run)
  const actions = await findActionsOfPeriod(database.kysely, integrationId, hoursOf(period), runs)
  return [...files, await writeActions(folder, actions, options)]
}

/** Returns the first time of a period, and the first time after it, in ISO 8601. */
function hoursOf({ from, to }: Period) {
  const before = new Date(Date.parse(`${to}T00:00:00.000Z`) + DAY_MS).toISOString()
  return { since: `${from}T00:00:00.000Z`, before }
}

const DAY_MS = 86_400_000

/** Writes the note, and copies the rules, `verify.py`, and the note about renamings if there is one. */
async function copyOthers(context: Context, { integrationId, folder, mode }: Place) {
  const notes = [RENAMED_FILE, RENAMED_SIGNATURE_FILE]
    .map((name) => join(packsFolder(context, integrationId), name))
    .filter((path) => existsSync(path))
  const rules = await readFile(join(packageRoot, 'transforms', RULES_FILE), 'utf8')
  return [
    await writeText(folder, README_FILE, evidenceNote, mode),
    await writeText(folder, RULES_FILE, withoutLinksToFiles(rules), mode),
    await copyFile(join(packageRoot, 'loaders', 'verify', VERIFIER_FILE), folder, VERIFIER_FILE, mode),
    ...(await Promise.all(
      notes.map((path) => copyFile(path, folder, `${integrationId}/${basename(path)}`, mode)),
    )),
  ]
}

/** Replaces links to other files by their text, because evidence does not have these files. */
function withoutLinksToFiles(markdown: string): string {
  return markdown.replace(/\[([^\]]*)\]\((?!#|https?:)[^)]*\)/g, '$1')
}

/** Copies the manifests of the packs before and after the period, with their signatures. */
async function copyAnchors({ chosen, folder, mode }: Place): Promise<readonly EvidenceFile[]> {
  const files: EvidenceFile[] = []
  for (const anchor of ['before', 'after'] as const) {
    const from = chosen[anchor]?.folder ?? null
    if (from === null) continue
    for (const name of [MANIFEST_FILE, SIGNATURE_FILE])
      if (existsSync(join(from, name)))
        files.push(await copyFile(join(from, name), folder, anchorFile(anchor, name), mode))
  }
  return files
}

/** Writes each configuration of the packs that the database has. */
async function writeConfigurations(
  { database }: Context,
  { integrationId, folder, mode }: Place,
  packs: readonly PackEntry[],
) {
  const files: EvidenceFile[] = []
  const unknown: string[] = []
  for (const hash of new Set(packs.flatMap(({ configHash }) => configHash ?? []))) {
    const text = await findConfiguration(database.kysely, integrationId, hash)
    if (text === null) unknown.push(hash)
    else files.push(await writeText(folder, configurationFile(hash), text, mode))
  }
  return { files, unknown }
}

async function indexOf(
  { database, environment }: Context,
  { integrationId, period, chosen }: Place,
  packs: readonly PackEntry[],
  files: readonly EvidenceFile[],
  unknownConfigurations: string[],
): Promise<EvidenceIndex> {
  const former = (await findFormerIds(database.kysely, integrationId)).map(({ formerId }) => formerId)
  const inPacks = chosen.packs.flatMap(({ integration }) => integration ?? [])
  return {
    format: EVIDENCE_FORMAT,
    integration: integrationId,
    formerIds: [...new Set([...former, ...inPacks])].filter((id) => id !== integrationId),
    from: period.from,
    to: period.to,
    madeAt: timestamp(environment),
    madeBy: environment.user,
    productVersion,
    before: beforeOf(chosen),
    after: chosen.after && anchorOf(chosen.after),
    packs: [...packs],
    unknownConfigurations,
    files: files.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
  }
}

function anchorOf({ run, sha256, finishedAt }: ChainedPack) {
  return { run, manifestSha256: sha256, finishedAt }
}

/** Returns the pack before the period. If its manifest is not in the folder, only its hash is certain. */
function beforeOf({ before, beforeSha256 }: ChosenPacks): EvidenceIndex['before'] {
  if (before !== null && before.folder !== null) return anchorOf(before)
  if (beforeSha256 === null) return null
  return {
    run: before?.run ?? null,
    manifestSha256: beforeSha256,
    finishedAt: before?.finishedAt ?? null,
  }
}

/** Verifies the folder as its receiver will. Without that, a pack that was changed could be handed over. */
async function requireIntact(folder: string): Promise<void> {
  const verified = await verifyEvidence(folder, null)
  const faulty = verified?.packs.find(({ findings }) => findings.length > 0)
  const [finding] = faulty?.findings ?? []
  if (faulty !== undefined && finding !== undefined)
    throw new UnfitPackError(basename(faulty.folder), `has a fault: ${finding.file} ${finding.message}`)
  const [own] = verified?.findings ?? []
  if (own === undefined) return
  throw new UserError('state', `the evidence has a fault: ${own.file} ${own.message}`, NOTHING)
}
