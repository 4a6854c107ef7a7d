import { z } from 'zod'
import { parseWritten, readRegular, UnreadableFileError } from '../files/read.ts'
import type { Link, Renaming } from './chain.ts'
import { checkSignature, type PublicKeys } from './files.ts'

/** Name of the note beside the packs of an integration that was renamed, and of its signature. */
export const RENAMED_FILE = 'renamed.json'
export const RENAMED_SIGNATURE_FILE = 'renamed.sig'

const MAX_BYTES = 1024 * 1024

const noteSchema = z.strictObject({
  integration: z.string(),
  renamed: z.array(z.strictObject({ from: z.string(), renamedAt: z.string() })),
  lastManifestSha256: z.string().nullable(),
})

/**
 * The content of the note: the id of the integration, its former ids, oldest first, and the SHA-256 of its
 * last manifest at the time of the renaming; null if it had no pack.
 */
export type RenamedNote = z.infer<typeof noteSchema>

/**
 * Reads the renamings that the note beside packs lists. Before the first pack under a new id is written, only
 * the note says why the packs have another id than their folder.
 *
 * The note counts only if one of the packs has the manifest that was the last at the time of the renaming.
 * Without this check, a signed note would also join signed packs of another event that has the former id.
 *
 * @param publicKey null if signatures are not checked
 * @param packs packs of the folder; null if the note counts with any packs
 * @returns no renaming if there is no note, or if it does not count, is damaged or not signed with a key
 */
export function readRenamings(
  folder: string,
  publicKey: PublicKeys | null = null,
  packs: readonly Pick<Link, 'hashes'>[] | null = null,
): readonly Renaming[] {
  const bytes = readNote(folder, publicKey)
  const { data: note } = noteSchema.safeParse(bytes === null ? null : parseWritten(bytes))
  if (note === undefined) return []
  const { lastManifestSha256 } = note
  const isLast = (sha256: string) => sha256 === lastManifestSha256
  if (packs !== null && !packs.some(({ hashes }) => hashes.some(isLast))) return []
  return [{ integration: note.integration, renamedFrom: note.renamed.map(({ from }) => from) }]
}

function readNote(folder: string, publicKey: PublicKeys | null): Buffer | null {
  try {
    const bytes = readRegular(folder, RENAMED_FILE, MAX_BYTES)
    if (bytes === null || publicKey === null) return bytes
    const faults = checkSignature(folder, RENAMED_SIGNATURE_FILE, bytes, publicKey)
    return faults.length === 0 ? bytes : null
  } catch (error) {
    if (error instanceof UnreadableFileError || (error instanceof Error && 'code' in error)) return null
    throw error
  }
}
