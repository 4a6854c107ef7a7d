/** Names of the files of a pack that tell of the others. */
export const MANIFEST_FILE = 'manifest.json'
export const SUMS_FILE = 'SHA256SUMS'
export const SIGNATURE_FILE = 'manifest.sig'

/** Says of a pack that its other files were purged: only the manifest is left. */
export const PURGED_FILE = 'purged.json'
export const PURGE_SIGNATURE_FILE = 'purged.sig'

/** Name of the report in a pack. */
export const REPORT_FILE = 'report.html'
/** So that it opens everywhere and goes into a mail. */
export const MAX_REPORT_BYTES = 2_000_000

/** Says how the pack is checked and read. */
export const NOTE_FILE = 'README.txt'
