import { z } from 'zod'
import { parseWritten, readRegular, UnreadableFileError } from '../files/read.ts'
import type { Renaming } from './chain.ts'
import { checkSignature, type PublicKeys } from './files.ts'

/** Name of the note beside the packs of an integration that was renamed, and of its signature. */
export const RENAMED_FILE = 'renamed.json'
export const RENAMED_SIGNATURE_FILE = 'renamed.sig'

const MAX_BYTES = 1024 * 1024

const noteSchema = z.strictObject({
  integration: z.string(),
  renamed: z.array(z.strictObject({ from: z.string(), renamedAt: z.string() })),
})

/** The content of the note: the id of the integration, and its former ids, oldest first. */
export type RenamedNote = z.infer<typeof noteSchema>

/**
 * Reads the renamings that the note beside packs lists. Before the first pack under a new id is written, only
 * the note says why the packs have another id than their folder.
 *
 * @param publicKey null if signatures are not checked
 * @returns no renaming if there is no note, or if it is damaged or not signed with a key
 */
export function readRenamings(folder: string, publicKey: PublicKeys | null): readonly Renaming[] {
  const bytes = readNote(folder, publicKey)
  const { data: note } = noteSchema.safeParse(bytes === null ? null : parseWritten(bytes))
  if (note === undefined) return []
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
