import { OPERATIONS_FILE } from '../../platform/jsonl.ts'
import type { Finding } from './finding.ts'
import type { Manifest } from './manifest.ts'
import { NOTE_FILE, REPORT_FILE } from './pack-files.ts'

/** The format of packs that are written now. loaders/README.md says what each format holds; no number is used again. */
export const PACK_FORMAT = 3

const CSV_FILES: readonly string[] = [
  ...['agenda', 'attendees', 'speakers', 'decisions', 'changes', 'certificates', 'reconciliation'],
  'load_results',
].map((name) => `${name}.csv`)

/** The format that a manifest claims: the first two had no number. */
export function formatOf({ format, personalData }: Manifest): number {
  return format ?? (personalData === undefined ? 1 : 2)
}

/** Whether rows and sums of its files can be held against each other: those of format 1 cannot. */
export function hasSums(manifest: Manifest): boolean {
  return formatOf(manifest) > 1
}

/** Files that a pack of its format has and this one does not name; and formats that nobody here knows. */
export function checkFormat(manifest: Manifest): readonly Finding[] {
  const format = formatOf(manifest)
  if (format > PACK_FORMAT) {
    const message = `says format ${format}: a newer event-sync wrote it, and must check it`
    return [{ file: 'manifest.json', message }]
  }
  const names = new Set(manifest.files.map(({ name }) => name))
  return filesOf(manifest, format)
    .filter((file) => !names.has(file))
    .map((file) => ({ file, message: 'is not in the manifest' }))
}

function filesOf({ platform }: Manifest, format: number): readonly string[] {
  if (format === 1) return []
  const files = [...CSV_FILES, 'datapackage.json', REPORT_FILE]
  if (format === 2) return files
  return [...files, NOTE_FILE, ...(platform?.type === 'jsonl' ? [OPERATIONS_FILE] : [])]
}
