/** What each file of a pack holds, as the report, the note and the data package say it. */
export const FILE_DESCRIPTIONS: Readonly<Record<string, string>> = {
  'agenda.csv': 'Agenda items that the platform should have',
  'attendees.csv': 'Attendees that the platform should have',
  'speakers.csv': 'Speakers that the platform should have',
  'decisions.csv': 'What became of each source record, for each content',
  'changes.csv': 'Each field that this run changes, before and after',
  'certificates.csv': 'The proof of each resource that it was read completely',
  'reconciliation.csv': 'Counts and control totals, each beside what it must be',
  'load_results.csv': 'What became of each planned operation',
  'datapackage.json': 'A description of the CSV files for tools (Frictionless)',
  'README.txt': 'How to check and read these files',
  'operations.jsonl': 'The operations for the platform',
  'report.html': 'The run on one page, for people',
  'manifest.json': 'Who, when, which settings, and the SHA-256 of each file',
  SHA256SUMS: 'The SHA-256 of each file, for sha256sum',
}
