import { isUtf8 } from 'node:buffer'
import { z } from 'zod'
import { MANIFEST_FILE, SIGNATURE_FILE, SUMS_FILE } from '../pack-files.ts'

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const count = z.int().nonnegative()

/** What the manifest says of a content's changes; absent of one that is not synced. */
const changesSchema = z.object({ create: count, update: count, remove: count, unchanged: count })

/** What the check of a pack needs of its manifest. */
const manifestSchema = z.object({
  integration: z.string(),
  run: z.uuid(),
  planHash: z.string().nullable(),
  // Packs of a version before 0.2 have neither this nor sums.
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
    }),
  ),
  requests: z.array(z.object({ resource: z.string(), elements: count })),
  previousManifestSha256: sha256.nullable(),
  // Of a pack that was written again without somebody: the manifests that it had before, of which later packs know.
  supersedes: sha256.optional(),
  alsoSupersedes: z.array(sha256).default([]),
  finishedAt: z.string().nullish(),
  purges: z
    .array(z.object({ packs: z.array(z.object({ run: z.uuid(), manifestSha256: sha256 })) }))
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

/**
 * @returns null where the bytes are no manifest as it is written here: another reader could see something else in one
 *   that says a thing twice, or is no UTF-8
 */
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
  return parsed.success && written === text ? parsed.data : null
}
