import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CsvCell, writeCsv } from '../../../loaders/packs/csv-files/csv.ts'
import { packNote } from '../../../loaders/packs/csv-files/note.ts'
import { csvFilesOf, INSTANT, type PackFile } from '../../../loaders/packs/csv-files/pack-files.ts'
import { FILE_DESCRIPTIONS } from '../../../loaders/packs/csv-files/pack-format.ts'
import { makeRandom, type Random } from '../../harness/random.ts'

/** Texts that a tool could read as another text, a number, a date, an absent value or several cells. */
const MESSY = [
  ...['7', '007', '7.0', '1e5', '1E5', '100000', '1e400', '0', '-0', '00', '.5', '5.', '1_000', '1,5', '１'],
  ...['12345678901234567', '12345678901234568', '12345678901234567890123', '0x1F', '1L', '1d', '+49', '-5'],
  ...['NA', 'N/A', '#N/A', 'na', 'null', 'NULL', 'None', 'nan', 'NaN', 'inf', '-Inf', '\\N', '#x', '//x'],
  ...['TRUE', 'true', 'True', 'T', 'F', '1-2', '3/4', '12:30', '2031-01-02', '2031-05-04T09:00:00Z'],
  ...[
    '=1+1',
    '@a',
    "'x",
    "''x",
    "'=x",
    '＝x',
    '"',
    '""',
    '"a"',
    '""x',
    'a"b',
    '\'"',
    '\\',
    '\\"',
    ';',
    'a\\;b',
  ],
  ...[
    'a',
    'A',
    '\u00e9',
    'e\u0301',
    'ß',
    'ı',
    '😀',
    'a,b',
    'a;b',
    'a  b',
    'a\tb',
    'a\nb',
    'a\r\nb',
    'a\rb',
    'a\u2028b',
  ],
  ...['\uFEFFx', 'x"\r\n"y', 'x\r\n', '\n', ',', ',,', '"\r\n"', 'masked', 'x'.repeat(2000)],
]

/** Number of further ids, so many that tools read the files in several parts. */
const FURTHER = 15_000
const MOST_CHANGED = 4000

export interface MessyPack {
  readonly folder: string
  /** The ids of the items of each content. */
  readonly ids: readonly string[]
  /** The ids of the agenda items that the run changes. */
  readonly changed: readonly string[]
}

const CUSTOM = { agenda: { roomCode: { name: 'roomCode', from: 'Room', as: 'text' } } }

/** Writes the CSV files and the note of a pack with random, unusual values in every column. */
export async function makeMessyPack(folder: string, seed: number): Promise<MessyPack> {
  const random = makeRandom(seed)
  const further = Array.from(
    { length: FURTHER },
    (_, place) => `${random.pick(['', '0', '1e', 'p'])}${place}`,
  )
  const ids = [...new Set([...MESSY, ...further])]
  const changed = ids.slice(0, MOST_CHANGED)
  for (const file of csvFilesOf(CUSTOM)) {
    const ofContent = (content: string) => ({ content })
    const rowsOf: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>> = {
      'decisions.csv': ['agenda', 'attendees', 'speakers'].flatMap((content) =>
        ids.map((id) => ({ ...ofContent(content), source_id: id, unique_id: id, decision: 'synced' })),
      ),
      'changes.csv': changed.map((id) => ({ ...ofContent('agenda'), unique_id: id, field: 'name' })),
      'load_results.csv': changed.map((id) => ({ ...ofContent('agenda'), unique_id: id })),
    }
    const items = /^(?:agenda|attendees|speakers)/.test(file.name)
      ? ids.map((id) => ({ unique_id: id }))
      : null
    const known = rowsOf[file.name] ?? items ?? Array.from({ length: 50 }, () => ({}))
    await writeCsv(folder, file.name, Object.keys(file.columns), pagesOf(file, known, random), {
      mode: 'private',
    })
  }
  writeFileSync(
    join(folder, 'README.txt'),
    packNote({ files: Object.keys(FILE_DESCRIPTIONS), personalData: 'full', excel: false, rollbackTo: null }),
  )
  return { folder, ids, changed }
}

async function* pagesOf(
  { columns }: PackFile,
  known: readonly Readonly<Record<string, string>>[],
  random: Random,
): AsyncGenerator<readonly (readonly CsvCell[])[]> {
  yield known.map((row) =>
    Object.entries(columns).map(([name, column]) => row[name] ?? randomCell(column, random)),
  )
}

const FIRST_MS = Date.parse('1000-01-01T00:00:00Z')
const LAST_MS = Date.parse('9999-12-31T00:00:00Z')

function randomCell(column: PackFile['columns'][string], random: Random): CsvCell {
  if (!column.isRequired && random.chance(0.2)) return null
  if (column.values !== undefined) return random.pick([...column.values].filter((value) => value !== ''))
  if (column.type === 'integer')
    return BigInt(random.below(1_000_000)) * (column.isLarge === true ? 10n ** 16n : 1n)
  if (column.format === undefined) return random.pick(MESSY)
  const time = new Date(FIRST_MS + random.below((LAST_MS - FIRST_MS) / 1000) * 1000)
  return `${time.toISOString().slice(0, 19)}${column.format === INSTANT ? 'Z' : ''}`
}
