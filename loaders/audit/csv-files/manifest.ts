import { z } from 'zod'
import { listOf } from '../../files/list-of.ts'
import { parseWritten } from '../../files/written-json.ts'
import { MANIFEST_FILE, SIGNATURE_FILE, SUMS_FILE } from './pack-files.ts'

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const count = z.int().nonnegative()

/** A manifest names every request of its run, each in some 400 bytes: one of a million people has 4 MB. */
export const MAX_MANIFEST_BYTES = 32 * 1024 * 1024

/** What the manifest says of a content's changes; absent of one that is not synced. */
const changesSchema = z.object({ create: count, update: count, remove: count, unchanged: count }).optional()

const manifestSchema = z.object({
  integration: z.string(),
  run: z.uuid(),
  planHash: z.string().nullable(),
  // Packs of the first two formats have none.
  format: z.int().min(3).optional(),
  platform: z.object({ type: z.string() }).optional(),
  // Packs of format 1 have neither this nor sums.
  personalData: z.enum(['full', 'masked']).optional(),
  counts: z
    .object({
      changes: z.strictObject({ agenda: changesSchema, attendees: changesSchema, speakers: changesSchema }),
    })
    .nullable(),
  certificates: listOf(
    z.object({
      resource: z.string(),
      certified: z.boolean(),
      requests: count,
      elements: count,
      distinctIds: count.nullable(),
      declared: count.nullable(),
      end: z.string().nullable(),
      detail: z.string(),
      // Not in packs of the first two formats.
      confirmed: z.boolean().nullish(),
    }),
  ),
  requests: listOf(z.object({ resource: z.string(), elements: count })),
  previousManifestSha256: sha256.nullable(),
  // Of a pack that was written again without somebody: the manifests that it had before, of which later packs know.
  supersedes: sha256.optional(),
  alsoSupersedes: listOf(sha256).default([]),
  finishedAt: z.string().nullish(),
  // Packs that the database of this run did not know, since it was restored from before them, or was a new one.
  gap: z.object({ packs: listOf(z.object({ run: z.uuid(), manifestSha256: sha256.nullable() })) }).optional(),
  purges: listOf(
    z.object({
      purgedAt: z.string(),
      purgedBy: z.string(),
      packs: listOf(z.object({ run: z.uuid(), manifestSha256: sha256 })),
    }),
  ).default([]),
  files: listOf(
    z.object({
      // A name with a path in it would lead out of the pack.
      name: z
        .string()
        .regex(/^\w[\w.-]*$/)
        .refine((name) => ![MANIFEST_FILE, SIGNATURE_FILE, SUMS_FILE].includes(name)),
      rows: count,
      bytes: count,
      sha256,
    }),
  ).refine((files) => new Set(files.map(({ name }) => name)).size === files.length),
})

export type Manifest = z.output<typeof manifestSchema>

/** @returns null where the bytes are no manifest as it is written here: other readers may read a repeated key or bad UTF-8 otherwise */
export function parseManifest(bytes: Buffer): Manifest | null {
  const parsed = manifestSchema.safeParse(parseWritten(bytes))
  if (!parsed.success) return null
  const { format, personalData } = parsed.data
  return format !== undefined && personalData === undefined ? null : parsed.data
}
