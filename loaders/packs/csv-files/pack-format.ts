import { z } from 'zod'
import { listOf, parseWritten } from '../../files/read.ts'
import { OPERATIONS_FILE } from '../../platform/jsonl.ts'
import { certificateSchema, csvFilesOf } from './pack-files.ts'

/**
 * A description of each file of a pack. The report, the note and the data package show the description of
 * each file.
 */
export const FILE_DESCRIPTIONS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(csvFilesOf().map(({ name, holds }) => [name, holds])),
  'datapackage.json': 'A description of the CSV files for tools (Frictionless)',
  'README.txt': 'How to check and read these files',
  'operations.jsonl': 'The operations for the platform',
  'report.html': 'The run on one page, for people',
  'details.json': 'What was read and counted, and the SHA-256 of files that packs may share',
  'manifest.json': 'Who, when, which settings, and the SHA-256 of the other files',
  SHA256SUMS: 'The SHA-256 of each file, for sha256sum',
}

/** Names of the files of a pack that list or sign the other files of the pack. */
export const MANIFEST_FILE = 'manifest.json'
export const DETAILS_FILE = 'details.json'
export const SUMS_FILE = 'SHA256SUMS'
export const SIGNATURE_FILE = 'manifest.sig'

/**
 * Name of the file that a purge leaves in a pack. Besides `purged.json`, a purged pack has only its manifests,
 * their details and signatures.
 */
export const PURGED_FILE = 'purged.json'
export const PURGE_SIGNATURE_FILE = 'purged.sig'

/** Name of the report in a pack. */
export const REPORT_FILE = 'report.html'
/** Maximum size of the report, so that any device can open the report and a mail can carry it. */
export const MAX_REPORT_BYTES = 2_000_000

/** Name of the note on how to check and read the pack. */
export const NOTE_FILE = 'README.txt'

export interface Finding {
  /** Name of a file of the pack, or `chain` for a finding about the chain of packs. */
  readonly file: string
  readonly message: string
}

/**
 * The version number of the pack format. The number of the pack format must be changed whenever files or
 * columns of a pack change. Source: loaders/verify/README.md, "The format".
 */
export const PACK_FORMAT = 1

/** Reports a pack format that this product version does not know. */
export function checkFormat({ format }: Manifest): readonly Finding[] {
  if (format === PACK_FORMAT) return []
  const message = `has format ${format}, which a newer event-sync wrote: verify it with that version`
  return [{ file: MANIFEST_FILE, message }]
}

/** Reports required files that are missing in the manifest. */
export function checkRequired({ files, platform }: WholeManifest): readonly Finding[] {
  const names = new Set(files.map(({ name }) => name))
  const needed = [
    ...csvFilesOf().map(({ name }) => name),
    'datapackage.json',
    REPORT_FILE,
    NOTE_FILE,
    ...(platform.type === 'jsonl' ? [OPERATIONS_FILE] : []),
  ]
  return needed
    .filter((file) => !names.has(file))
    .map((file) => ({ file, message: 'is not in the manifest' }))
}

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const count = z.int().nonnegative()

/**
 * Maximum size of a manifest and of its details. The details have about 400 bytes per request, which makes 4 MB
 * for a million people.
 */
export const MAX_MANIFEST_BYTES = 32 * 1024 * 1024

/** The manifest's counts of changes for one content; absent if the run did not sync the content. */
const changesSchema = z
  .object({ create: count, update: count, handover: count.optional(), remove: count, unchanged: count })
  .optional()

/** Files of a pack, with their sizes and hashes. */
const filesSchema = listOf(
  z.object({
    // A name with a path could point outside the pack.
    name: z
      .string()
      .regex(/^\w[\w.-]*$/)
      .refine((name) => ![MANIFEST_FILE, SIGNATURE_FILE, SUMS_FILE].includes(name)),
    rows: count,
    bytes: count,
    sha256,
  }),
).refine((files) => new Set(files.map(({ name }) => name)).size === files.length)

/**
 * The form of `details.json`, as far as `verify` requires it. It has what stays the same from run to run if
 * nothing changed, so that packs share it.
 */
export const detailsSchema = z.object({
  platform: z.object({ type: z.string() }),
  counts: z
    .object({
      changes: z.strictObject({ agenda: changesSchema, attendees: changesSchema, speakers: changesSchema }),
    })
    .nullable(),
  certificates: listOf(certificateSchema),
  requests: listOf(z.object({ resource: z.string(), elements: count })),
  files: filesSchema,
})

/** The form of a manifest, as far as `verify` requires it. */
export const manifestSchema = z
  .object({
    integration: z.string(),
    run: z.uuid(),
    // The key is present only in the pack of a rollback. A rollback reads no resource, so its pack has no
    // certificates.
    command: z.literal('rollback').optional(),
    rollbackTo: z.uuid().optional(),
    planHash: z.string().nullable(),
    format: z.int().min(1),
    personalData: z.enum(['full', 'masked']),
    previousManifestSha256: sha256.nullable(),
    // Hashes of earlier manifests of this pack, if it was rewritten to erase a person. Later packs refer to
    // these hashes.
    supersedes: sha256.optional(),
    alsoSupersedes: listOf(sha256).default([]),
    appliedAt: z.string().nullish(),
    finishedAt: z.string().nullish(),
    product: z.object({ version: z.string() }).optional(),
    startedBy: z.string().optional(),
    configHash: z.string().optional(),
    // Packs that the database of this run did not know, because it was restored from an older backup or was
    // new.
    gap: z
      .object({ packs: listOf(z.object({ run: z.uuid(), manifestSha256: sha256.nullable() })) })
      .optional(),
    // The suppression file next to the packs, which lists who is kept out; null if nobody is kept out.
    suppressions: z.object({ revision: count, sha256 }).nullish(),
    purges: listOf(
      z.object({
        purgedAt: z.string(),
        purgedBy: z.string(),
        packs: listOf(z.object({ run: z.uuid(), manifestSha256: sha256 })),
      }),
    ).default([]),
    // Renamings of the integration after the previous pack, oldest first. Earlier packs contain the former
    // ids.
    renamed: listOf(z.object({ from: z.string() })).default([]),
    // The files that the details do not list, and the details.
    files: filesSchema.refine((files) => files.some(({ name }) => name === DETAILS_FILE)),
  })
  .refine(({ command, rollbackTo }) => (command === undefined) === (rollbackTo === undefined))

export type Manifest = z.output<typeof manifestSchema>
export type Details = z.output<typeof detailsSchema>
/** A manifest with its details. Its files are those of both. */
export type WholeManifest = Manifest & Details

/**
 * Parses a manifest.
 *
 * @returns null if the bytes are not exactly those that this product would write. Other readers may
 *   understand a repeated key or invalid UTF-8 differently, so such bytes are refused
 */
export function parseManifest(bytes: Buffer): Manifest | null {
  return manifestSchema.safeParse(parseWritten(bytes)).data ?? null
}

/** Parses `details.json`; like `parseManifest`. */
export function parseDetails(bytes: Buffer): Details | null {
  return detailsSchema.safeParse(parseWritten(bytes)).data ?? null
}
