import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { listOf, parseWritten, readRegular, UnreadableFileError } from '../files/read.ts'
import { certificatesFile, changesFile } from '../packs/csv-files/pack-files.ts'
import {
  type Finding,
  MANIFEST_FILE,
  MAX_MANIFEST_BYTES,
  type Manifest,
  SIGNATURE_FILE,
} from '../packs/csv-files/pack-format.ts'
import { checkSignature, type PublicKeys, readSignature, readSmallFile } from './files.ts'
import { readManifest } from './found-manifest.ts'
import { RENAMED_FILE, RENAMED_SIGNATURE_FILE } from './renamed.ts'
import type { CsvForm, Row } from './rows.ts'

/** Name of the index of an evidence folder, and of its signature. */
export const EVIDENCE_FILE = 'evidence.json'
export const EVIDENCE_SIGNATURE_FILE = 'evidence.sig'

/** Version number of the format of evidence folders. Source: loaders/verify/README.md, "Evidence folders". */
export const EVIDENCE_FORMAT = 1

/** Folders in an evidence folder, beside the packs. */
export const ANCHORS_FOLDER = 'anchors'
const CONFIGURATIONS_FOLDER = 'configurations'

/** Files that an evidence folder has for people. */
export const README_FILE = 'README.txt'
export const RULES_FILE = 'RULES.md'
export const VERIFIER_FILE = 'verify.py'

const TEXT = { type: 'string' } as const

/** Returns the form of the file that has the rows of a file of all packs, with the run and its day. */
function joinedFile({ name, columns }: CsvForm): CsvForm {
  return { name, columns: { run: TEXT, day: TEXT, ...columns } }
}

/** The files of packs whose rows evidence has in one file, each with the form of that file. */
export const JOINED_FILES = [changesFile, certificatesFile].map((file) => ({
  file: file as CsvForm,
  joined: joinedFile(file),
}))

/** The form of the file with the actions of operators. */
export const ACTIONS_FILE: CsvForm = {
  name: 'actions.csv',
  columns: Object.fromEntries(
    ['action', 'made_at', 'made_by', 'reason', 'run', 'until', 'detail'].map((name) => [name, TEXT]),
  ),
}

/** A period of whole days in UTC, as `2031-01-31`. Both days belong to the period. */
export interface Period {
  readonly from: string
  readonly to: string
}

/** Returns true if a time in ISO 8601 (UTC) is on a day of the period. */
export function isIn({ from, to }: Period, time: string | null): boolean {
  const day = dayOf(time)
  return day !== null && from <= day && day <= to
}

/** Returns the day of a time in ISO 8601; null if the text is not such a time. */
export function dayOf(time: string | null): string | null {
  return /^(\d{4}-\d{2}-\d{2})T/.exec(time ?? '')?.[1] ?? null
}

/** Returns what the index says about a pack. @param purge what `purged.json` of the pack says, if it was purged */
export function entryOf(sha256: string, manifest: Manifest, purge: PackEntry['purge']): PackEntry {
  return {
    run: manifest.run,
    manifestSha256: sha256,
    landedAt: manifest.appliedAt ?? null,
    productVersion: manifest.product?.version ?? null,
    planHash: manifest.planHash,
    configHash: manifest.configHash ?? null,
    startedBy: manifest.startedBy ?? null,
    purge,
  }
}

/**
 * Returns the cells that come before each row of a run in the joined files. @param landedAt in ISO 8601
 */
export function cellsOfRun(run: string, landedAt: string | null): Row {
  return { run, day: dayOf(landedAt) ?? '' }
}

/** Returns the name of the file with a configuration. */
export function configurationFile(configHash: string): string {
  return `${CONFIGURATIONS_FOLDER}/${configHash}.json`
}

/** Returns the name of the file with the manifest of an anchor. */
export function anchorFile(anchor: 'before' | 'after', name = MANIFEST_FILE): string {
  return `${ANCHORS_FOLDER}/${anchor}/${name}`
}

const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/)
const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const count = z.int().nonnegative()
const nullableText = z.string().nullable()

const anchorSchema = z
  .strictObject({ run: z.uuid().nullable(), manifestSha256: sha256, finishedAt: nullableText })
  .nullable()

const packSchema = z.strictObject({
  run: z.uuid(),
  manifestSha256: sha256,
  landedAt: nullableText,
  productVersion: nullableText,
  planHash: nullableText,
  configHash: nullableText,
  startedBy: nullableText,
  purge: z.strictObject({ purgedAt: z.string(), purgedBy: z.string() }).nullable(),
})

/** What the index says about a pack. */
export type PackEntry = z.output<typeof packSchema>

const fileSchema = z
  .strictObject({ name: z.string(), rows: count.optional(), bytes: count, sha256 })
  .refine(({ name, rows }) => name.endsWith('.csv') === (rows !== undefined))

export type EvidenceFile = z.output<typeof fileSchema>

const REQUIRED = [
  ...JOINED_FILES.map(({ joined }) => joined.name),
  ACTIONS_FILE.name,
  README_FILE,
  RULES_FILE,
  VERIFIER_FILE,
]

/** Ids of integrations whose folder of packs would have the name of another folder. */
export const RESERVED_IDS: readonly string[] = [ANCHORS_FOLDER, CONFIGURATIONS_FOLDER]

const indexForm = z.strictObject({
  format: z.literal(EVIDENCE_FORMAT),
  integration: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,62}$/)
    .refine((id) => !RESERVED_IDS.includes(id)),
  formerIds: z.array(z.string()),
  from: day,
  to: day,
  madeAt: z.string(),
  madeBy: z.string(),
  productVersion: z.string(),
  before: anchorSchema,
  after: anchorSchema,
  packs: listOf(packSchema),
  unknownConfigurations: z.array(z.string()),
  files: listOf(fileSchema),
})

/** The index of an evidence folder. */
export type EvidenceIndex = z.output<typeof indexForm>

const indexSchema = indexForm
  .refine(({ from, to }) => from <= to)
  .refine(({ packs }) => areUnique(packs.map(({ run }) => run)))
  .refine(({ files }) => areUnique(files.map(({ name }) => name)))
  .refine((index) => {
    const names = new Set(index.files.map(({ name }) => name))
    const isComplete = filesOf(index, names).every((name) => names.has(name))
    return isComplete && index.files.every(({ name }) => isFileOf(index, name))
  })

function areUnique(texts: readonly string[]): boolean {
  return new Set(texts).size === texts.length
}

/**
 * Returns the files that an evidence folder must have. The pack before the period may be known by its hash
 * only.
 */
function filesOf({ after }: EvidenceIndex, names: ReadonlySet<string>): readonly string[] {
  const signed = names.has(anchorFile('before', SIGNATURE_FILE))
  return [
    ...REQUIRED,
    ...(signed ? [anchorFile('before')] : []),
    ...(after === null ? [] : [anchorFile('after')]),
  ]
}

/** Returns true if an evidence folder may have a file of this name. */
function isFileOf({ integration, ...index }: EvidenceIndex, name: string): boolean {
  const ofAnchors = (['before', 'after'] as const).flatMap((anchor) =>
    index[anchor]?.run == null ? [] : [MANIFEST_FILE, SIGNATURE_FILE].map((file) => anchorFile(anchor, file)),
  )
  const ofNote = [RENAMED_FILE, RENAMED_SIGNATURE_FILE].map((file) => `${integration}/${file}`)
  const isConfiguration = /^configurations\/[0-9a-f]{64}\.json$/.test(name)
  return isConfiguration || [...REQUIRED, ...ofAnchors, ...ofNote].includes(name)
}

/**
 * Returns the name of something that is beside folders of packs only in evidence; null if there is no such
 * thing. Without this check, a folder whose index was deleted would count as a folder of packs, and nobody
 * would see that packs are missing.
 */
function findRest(folder: string): string | null {
  const rest = REST.find((name) => existsSync(join(folder, name)))
  const found = rest ?? (hasConfigurations(folder) ? CONFIGURATIONS_FOLDER : null)
  return found !== null && hasPacksBelow(folder) ? found : null
}

/** An integration may have the id `anchors` or `configurations`, so the names of these folders do not count. */
const REST: readonly string[] = [
  ACTIONS_FILE.name,
  ...JOINED_FILES.map(({ joined }) => joined.name),
  ...(['before', 'after'] as const).map((anchor) => `${ANCHORS_FOLDER}/${anchor}`),
]

function hasConfigurations(folder: string): boolean {
  try {
    const names = readdirSync(join(folder, CONFIGURATIONS_FOLDER))
    return names.some((name) => /^[0-9a-f]{64}\.json$/.test(name))
  } catch (error) {
    if (error instanceof Error && 'code' in error && ABSENT.includes(String(error.code))) return false
    throw error
  }
}

const ABSENT: readonly string[] = ['ENOENT', 'ENOTDIR']

/** Returns true if a folder in this folder contains a pack. */
function hasPacksBelow(folder: string): boolean {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name))
    .some((below) => readdirSync(below).some((name) => readManifest(join(below, name), null) !== null))
}

/** The index of an evidence folder, or the first fault that was found in it. */
export type FoundIndex =
  | { readonly index: EvidenceIndex; readonly fault: null }
  | { readonly index: null; readonly fault: Finding }

/**
 * Reads the index of an evidence folder. With a key, its signature is checked first.
 *
 * @returns null if the folder is not an evidence folder
 */
export function readIndex(folder: string, publicKey: PublicKeys | null): FoundIndex | null {
  const unread = (file: string, message: string) => ({ index: null, fault: { file, message } })
  try {
    const bytes = readRegular(folder, EVIDENCE_FILE, MAX_MANIFEST_BYTES)
    if (bytes === null && readSmallFile(folder, EVIDENCE_SIGNATURE_FILE) === null) {
      const rest = findRest(folder)
      if (rest === null) return null
      return unread(EVIDENCE_FILE, `is missing, but ${rest} is here, as in an evidence folder`)
    }
    if (bytes === null || bytes.length === 0) return unread(EVIDENCE_FILE, 'is missing or empty')
    if (publicKey === null) readSignature(folder, EVIDENCE_SIGNATURE_FILE)
    else {
      const [fault] = checkSignature(folder, EVIDENCE_SIGNATURE_FILE, bytes, publicKey)
      if (fault !== undefined) return { index: null, fault }
    }
    const { data } = indexSchema.safeParse(parseWritten(bytes))
    if (data !== undefined) return { index: data, fault: null }
    return unread(
      EVIDENCE_FILE,
      `is not an index of evidence in format ${EVIDENCE_FORMAT}, the format that this version knows`,
    )
  } catch (error) {
    if (error instanceof UnreadableFileError) return unread(error.file, error.message)
    throw error
  }
}
