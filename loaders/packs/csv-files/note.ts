import { ALL_MEASURES } from '../../../transforms/reconciliation/reconcile.ts'
import { OPERATIONS_FILE } from '../../platform/jsonl.ts'
import { FORMULA_GUARD, MASKED } from './csv.ts'
import { FILE_DESCRIPTIONS } from './pack-format.ts'
import { READING_BLOCKS } from './reading-blocks.ts'

export interface NoteOptions {
  readonly files: readonly string[]
  readonly personalData: 'full' | 'masked'
  readonly excel: boolean
  /** Run whose state a rollback restored; null for other runs. */
  readonly rollbackTo: string | null
}

/**
 * Returns the note on how to check and read a pack. The note depends only on the settings and, for a
 * rollback, on the run whose state was restored.
 */
export function packNote({ files, personalData, excel, rollbackTo }: NoteOptions): string {
  const nameLength = Math.max(...files.map(({ length }) => length)) + 2
  const others = files.includes(OPERATIONS_FILE) ? ` ${OPERATIONS_FILE} has them.` : ''
  const masked = `Values of people are left out of these files: "${MASKED}" is in their place, and for ids that are e-mail addresses.${others}`
  const mark = excel
    ? 'They begin with a byte order mark, by which Excel tells UTF-8 from the encoding of the country.'
    : 'They have no byte order mark: Excel shows umlauts and other scripts wrongly where it is not told that they are UTF-8 (audit.excel: true in event-sync.yaml adds the mark).'
  const measures = ALL_MEASURES.flatMap(([name, { words }]) => (words ? [` ${name}: ${words}.`] : []))
  const sections: readonly Section[] = [
    [
      'WHAT IS HERE',
      [
        ...(rollbackTo === null
          ? []
          : [
              `This run was a rollback: it read nothing at the source, and brought the items of the platform back to what they were after run ${rollbackTo}. So there are no certificates, decisions.csv has a row for each item instead of each record, and reconciliation.csv counts no records.`,
            ]),
        files.map((name) => `${name.padEnd(nameLength)}${FILE_DESCRIPTIONS[name] ?? ''}`).join('\n'),
      ],
    ],
    [
      'HOW TO CHECK IT',
      [
        'sha256sum -c SHA256SUMS\nevent-sync verify DIR\npython3 ../verify.py',
        'The first, in this folder, finds files that changed. The second needs neither database nor network; DIR is this folder, or that of all packs of the integration: it checks rows, sums and the chain from pack to pack too. The third does the same without event-sync; take verify.py from the package event-content-sync, since the copy beside the packs can be changed like them. In evidence (a folder with an evidence.json), verify.py is in the top folder, and DIR is the top folder. Somebody who knows the format can make a change that fits; the chain shows that, or a signature: where there is a manifest.sig, add --public-key FILE.',
      ],
    ],
    [
      'HOW TO READ THE CSV FILES',
      [
        `RFC 4180: UTF-8, lines that end with CR LF, commas, a header row. Text is quoted, with " doubled in it, and may have line breaks. An empty cell without quotes is absent. ${mark}`,
        'Times are ISO 8601 in UTC. Lists are joined with "; "; in each element \\ is written \\\\ and ; is written \\;.',
        `The formula guard: ${FORMULA_GUARD}.`,
        ...(personalData === 'masked' ? [masked] : []),
      ],
    ],
    [
      'HOW TO READ THEM WITH OTHER TOOLS',
      [
        'Tools that guess types merge ids: 7 and 007 are two ids. Each block below reads any CSV file of this folder: put the name of the file in place of agenda.csv. It reads every column as text, makes empty cells absent, takes the guard away, and converts only times, numbers and flags. Tools that know Frictionless can take the columns, types and keys from datapackage.json instead.',
        ...READING_BLOCKS.flatMap(({ tool, note, code }) => [`${tool}: ${note}`, { code }]),
      ],
    ],
    [
      'WHAT THE WORDS MEAN',
      [
        'end (certificates.csv) is how the end of a resource was proved. overlap: the last page held nothing but the element that the page before had ended with. last link: the pages that the source named by links or by their number came to an end. empty page: a page held nothing. total met: as many records came as the source declared on every page. unpaged array: all of it came in one answer, and again in another order. confirmed: before anything was removed because it was missing, it was looked for once more.',
        'decision (decisions.csv) is synced, excluded, or quarantined: the record could not be read. reason is the first that applies. invalid_record: see event-sync quarantine. duplicate_id: a later record has the same id. cancelled, not_a_speaker, not_published, one_to_one_meeting: the source says so. source_reason:NAME: a source of your own says so, in its own word. missing_required:FIELD: what there is no item without is not there. bad_time: a time cannot be read, or the end is not after the start. suppressed: somebody left it out by hand. excluded_by_rule:NAME: a rule of the configuration did. rolled_back: only in a rollback, the platform did not have the item at the time to which it went back.',
        'detail (decisions.csv) is what was noticed, each with the field. left_out: it is there and cannot be used (left_out:Enabled and the like, with the key of the source: a flag that is neither true nor false). not_text, unsupported_character: it is no text, or lost a character. ambiguous_time: a local time that clocks had twice, of which the earlier was taken, or the later for an end that would lie before its start. skipped_time: a local time that a clock change left out, read as if the clocks had not changed yet. unknown_zone: the record names a time zone that is not known, so its time was read in source.timeZone. dangling_reference: what it names is not at the source. not_synced:FIELD=N: N of those it names are not synced, and are left out.',
        `measure (reconciliation.csv) is what is counted.${measures.join('')}`,
        'status (load_results.csv) is what became of an operation: created, updated, unchanged, removed, failed (the platform did not take it; code says why), or withheld (left out of this run, as removals are after a failure, or under a guard).',
      ],
    ],
    [
      'WHAT SPREADSHEETS DO TO THEM',
      [
        'A spreadsheet that opens a CSV file guesses what each cell is, quoted or not, and shows, and saves, what it guessed: zeros in front of an id or phone number are gone (007 becomes 7), ids and control totals of more than 15 digits are rounded (12345678901234567 becomes 12345678901234500), 1-2 and 3/4 become dates, and 1E5 becomes 100000. A phone number that begins with + keeps it, behind the guard. Excel cuts texts after 32,767 characters and files after 1,048,576 rows.',
        'A spreadsheet that separates at semicolons, as in many countries when a file is opened with a double click, cuts texts there; what stands after one can begin a formula, which the guard in front of the cell does not stop.',
        'So import these files rather than open them, and never save one over itself:',
        'Excel: Data > From Text/CSV, file origin "65001: Unicode (UTF-8)", delimiter comma, data type detection "Do not detect data types"; every column is text then.',
        'LibreOffice: in the import dialog character set "Unicode (UTF-8)", separator comma alone, string delimiter ", "Format quoted field as text" on, "Detect special numbers" and "Evaluate formulas" off; below, select all columns and give them the type Text, since control totals are numbers without quotes.',
      ],
    ],
  ]
  return toNote('Audit pack of one run of event-content-sync', sections)
}

/** A part of a note for people. */
export type Section = readonly [heading: string, paragraphs: readonly Paragraph[]]

/** Returns a plain text for people, with lines that fit a terminal. */
export function toNote(title: string, sections: readonly Section[]): string {
  const text = sections.map(
    ([heading, paragraphs]) => `${heading}\n\n${paragraphs.map(toLines).join('\n\n')}\n`,
  )
  return `${title}\n\n${text.join('\n')}`
}

/** Maximum number of characters in a line, not counting its indent. */
const WIDTH = 76

/** A paragraph of a section. Code is not indented and not wrapped, so that it can be copied. */
type Paragraph = string | { readonly code: string }

function toLines(paragraph: Paragraph): string {
  if (typeof paragraph !== 'string') return paragraph.code
  return paragraph
    .split('\n')
    .flatMap(wrapped)
    .map((line) => `  ${line}`)
    .join('\n')
}

function wrapped(text: string): readonly string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const line = lines.at(-1)
    if (line === undefined || line.length + 1 + word.length > WIDTH) lines.push(word)
    else lines[lines.length - 1] = `${line} ${word}`
  }
  return lines
}
