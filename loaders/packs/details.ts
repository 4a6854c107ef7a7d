import { hash } from 'node:crypto'
import { readRegular, UnreadableFileError } from '../files/read.ts'
import {
  DETAILS_FILE,
  type Finding,
  MAX_MANIFEST_BYTES,
  type Manifest,
  parseDetails,
  type WholeManifest,
} from './csv-files/pack-format.ts'

/** A manifest with its details, or the first fault of the details. */
type WithDetails =
  | { readonly manifest: WholeManifest; readonly fault: null }
  | { readonly manifest: null; readonly fault: Finding }

/**
 * Reads the details of a pack, and adds them to its manifest. The details must be those that the manifest names.
 *
 * @param file name of the details in the folder; those of a superseded manifest have another name
 */
export function withDetails(folder: string, manifest: Manifest, file = DETAILS_FILE): WithDetails {
  const faulty = (message: string): WithDetails => ({ manifest: null, fault: { file, message } })
  try {
    const bytes = readRegular(folder, file, MAX_MANIFEST_BYTES)
    if (bytes === null) return faulty('is missing')
    const said = manifest.files.find(({ name }) => name === DETAILS_FILE)
    if (said?.sha256 !== hash('sha256', bytes)) return faulty('does not have the SHA-256 in the manifest')
    const details = parseDetails(bytes)
    if (details === null) return faulty('is not the details of an audit pack')
    const files = [...details.files, ...manifest.files]
    if (new Set(files.map(({ name }) => name)).size < files.length)
      return faulty('lists a file that the manifest lists too')
    return { manifest: { ...details, ...manifest, files }, fault: null }
  } catch (error) {
    if (error instanceof UnreadableFileError) return faulty(error.message)
    throw error
  }
}
