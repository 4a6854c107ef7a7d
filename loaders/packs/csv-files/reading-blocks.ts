import { csvFilesOf, INSTANT, LOCAL_TIME, type PackFile } from './pack-files.ts'

/** Lines of code with which a tool reads any CSV file of a pack. The first file name in the code is `agenda.csv`. */
export interface ReadingBlock {
  readonly tool: string
  /** A fact about the result that the reader must know. */
  readonly note: string
  readonly code: string
}

type Column = PackFile['columns'][string]

/** Returns the names of those columns of all files that `isOne` selects, each once. */
function namesOf(isOne: (column: Column) => boolean): readonly string[] {
  const columns = csvFilesOf().flatMap((file) => Object.entries(file.columns))
  return [...new Set(columns.flatMap(([name, column]) => (isOne(column) ? name : [])))]
}

const times = namesOf(({ format }) => format === INSTANT)
const clocks = namesOf(({ format }) => format === LOCAL_TIME)
const numbers = namesOf(({ type }) => type === 'integer')
/** Numbers that a double can hold: control totals have more digits. */
const smallNumbers = namesOf(({ type, isLarge }) => type === 'integer' && isLarge !== true)
const largeNumbers = namesOf(({ isLarge }) => isLarge === true)
const flags = namesOf(({ type }) => type === 'boolean')

const quoted = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ')
const words = (names: readonly string[]) => `"${names.join(' ')}".split()`
const inWords = (names: readonly string[]) => names.join(', ')

/**
 * The blocks of `README.txt`. Each block reads every column as text, removes the guard against formulas, and
 * converts only columns of times, numbers and flags. A tool that guesses types would merge ids such as `7` and
 * `007`.
 */
export const READING_BLOCKS: readonly ReadingBlock[] = [
  {
    tool: 'pandas',
    note: 'pandas 2 or newer. Numbers are whole numbers of any size, absent values are missing values.',
    code: `import pandas as pd
name = "agenda.csv"
times = ${words(times)}
clocks = ${words(clocks)}
numbers = ${words(numbers)}
flags = ${words(flags)}
table = pd.read_csv(
    name, dtype="string", keep_default_na=False, na_values=[""])
table = table.apply(lambda column: column.str.removeprefix("'"))
for column in table.columns.intersection(times):
    table[column] = table[column].astype("datetime64[s, UTC]")
for column in table.columns.intersection(clocks):
    table[column] = table[column].astype("datetime64[s]")
for column in table.columns.intersection(numbers):
    table[column] = table[column].map(int, na_action="ignore")
for column in table.columns.intersection(flags):
    table[column] = table[column].map({"true": True, "false": False})`,
  },
  {
    tool: 'polars',
    note: 'polars 1.19 or newer.',
    code: `import polars as pl
from polars.selectors import by_name
name = "agenda.csv"
times = ${words(times)}
clocks = ${words(clocks)}
numbers = ${words(numbers)}
flags = ${words(flags)}
def some(names):
    return by_name(*names, require_all=False)
table = pl.read_csv(name, infer_schema=False)
table = table.with_columns(pl.all().str.strip_prefix("'")).with_columns(
    some(times).str.to_datetime("${INSTANT}", time_zone="UTC"),
    some(clocks).str.to_datetime("${LOCAL_TIME}"),
    some(numbers).cast(pl.Int128),
    some(flags) == "true",
)`,
  },
  {
    tool: 'DuckDB',
    note: `Every column is text. Convert where you use it: ${inWords(times)} to timestamptz, ${inWords(clocks)} to timestamp, ${inWords(numbers)} to hugeint, ${inWords(flags)} to boolean, for example start_time::timestamptz.`,
    code: String.raw`create or replace macro pack(name) as table
select regexp_replace(columns(*), '^''', '')
from read_csv(name, all_varchar = true, header = true, parallel = false,
  delim = ',', quote = '"', escape = '"', new_line = '\r\n');
select * from pack('agenda.csv');`,
  },
  {
    tool: 'R',
    note: `With the package readr; read.csv changes line breaks in texts. R shows ${inWords(clocks)} as UTC, although they are times on the clocks of zone. ${inWords(largeNumbers)} stay text, because R rounds numbers of more than 15 digits.`,
    code: `name <- "agenda.csv"
times <- c(${quoted(times)})
clocks <- c(${quoted(clocks)})
numbers <- c(${quoted(smallNumbers)})
flags <- c(${quoted(flags)})
table <- readr::read_csv(name, col_types = readr::cols(.default = "c"),
  na = "", trim_ws = FALSE)
table[] <- lapply(table, function(column) sub("^'", "", column))
for (column in intersect(times, names(table)))
  table[[column]] <- as.POSIXct(
    table[[column]], tz = "UTC", format = "${INSTANT}")
for (column in intersect(clocks, names(table)))
  table[[column]] <- as.POSIXct(
    table[[column]], tz = "UTC", format = "${LOCAL_TIME}")
for (column in intersect(numbers, names(table)))
  table[[column]] <- as.numeric(table[[column]])
for (column in intersect(flags, names(table)))
  table[[column]] <- table[[column]] == "true"`,
  },
  {
    tool: 'Excel (Power Query)',
    note: `Data > Get Data > From Other Sources > Blank Query > Advanced Editor; write the whole path of the file. ${inWords(largeNumbers)} stay text, because Excel rounds numbers of more than 15 digits. A cell of a sheet holds 32,767 characters at most.`,
    code: `let
  Name = "C:\\packs\\agenda.csv",
  Format = [Delimiter = ",", Encoding = 65001, QuoteStyle = QuoteStyle.Csv],
  Cells = Csv.Document(File.Contents(Name), Format),
  Rows = Table.PromoteHeaders(Cells, [PromoteAllScalars = true]),
  Plain = Table.TransformColumns(Rows, {}, (cell) =>
    if cell = "" then null
    else if Text.StartsWith(cell, "'") then Text.Middle(cell, 1) else cell),
  Convert = (table, names, how) => Table.TransformColumns(
    table, List.Transform(names, (name) => {name} & how), null,
    MissingField.Ignore),
  Times = Convert(Plain, {${quoted(times)}},
    {DateTimeZone.From, type nullable datetimezone}),
  Clocks = Convert(Times, {${quoted(clocks)}},
    {DateTime.From, type nullable datetime}),
  Numbers = Convert(Clocks,
    {${quoted(smallNumbers)}},
    {Number.From, type nullable number}),
  Flags = Convert(Numbers, {${quoted(flags)}},
    {Logical.From, type nullable logical})
in
  Flags`,
  },
  {
    tool: 'LibreOffice',
    note: "Writes agenda.ods beside the file, from a shell of Linux or macOS. Every cell is text, and keeps the ' of the guard.",
    code: `name=agenda.csv
columns=$(printf '%d/2/' $(seq 200))
soffice --headless --convert-to ods --infilter="CSV:44,34,76,1,\${columns%/},\\
0,true,false,false,false,false,-1,false" "$name"`,
  },
]
