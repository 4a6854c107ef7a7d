import { isUtf8 } from 'node:buffer'
import { z } from 'zod'
import { MANIFEST_FILE, SIGNATURE_FILE, SUMS_FILE } from './pack-files.ts'

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const count = z.int().nonnegative()

/** What the manifest says of a content's changes; absent of one that is not synced. */
const changesSchema = z.object({ create: count, update: count, remove: count, unchanged: count })

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
      changes: z.partialRecord(z.enum(['agenda', 'attendees', 'speakers']), changesSchema),
      excluded: z.record(z.string(), count),
      quarantined: count,
    })
    .nullable(),
  certificates: z.array(
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
  requests: z.array(z.object({ resource: z.string(), elements: count })),
  previousManifestSha256: sha256.nullable(),
  // Of a pack that was written again without somebody: the manifests that it had before, of which later packs know.
  supersedes: sha256.optional(),
  alsoSupersedes: z.array(sha256).default([]),
  finishedAt: z.string().nullish(),
  // Packs that the database of this run did not know, since it was restored from before them, or was a new one.
  gap: z
    .object({ packs: z.array(z.object({ run: z.uuid(), manifestSha256: sha256.nullable() })) })
    .optional(),
  purges: z
    .array(
      z.object({
        purgedAt: z.string(),
        purgedBy: z.string(),
        packs: z.array(z.object({ run: z.uuid(), manifestSha256: sha256 })),
      }),
    )
    .default([]),
  files: z
    .array(
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
    )
    .refine((files) => new Set(files.map(({ name }) => name)).size === files.length),
})

export type Manifest = z.output<typeof manifestSchema>

/** @returns null where the bytes are no manifest as it is written here: other readers may read a repeated key or bad UTF-8 otherwise */
export function parseManifest(bytes: Buffer): Manifest | null {
  if (!isUtf8(bytes)) return null
  const text = bytes.toString()
  let value: unknown
  let written: string
  try {
    value = JSON.parse(text)
    written = `${JSON.stringify(value, null, 2)}\n`
  } catch {
    return null
  }
  const parsed = manifestSchema.safeParse(value)
  if (!parsed.success || written !== text) return null
  const { format, personalData } = parsed.data
  return format !== undefined && personalData === undefined ? null : parsed.data
}
