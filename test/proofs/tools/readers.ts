import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { blockOf, forFile, PYTHON, runTool } from './tools.ts'

/** The rows of a file as a tool has them, as texts; the first row is the header. An absent value is null. */
export type Table = readonly (readonly (string | null)[])[]

/** A tool whose code from `README.txt` can be run. */
export interface Reader {
  /** Name of the tool in `README.txt`. */
  readonly tool: string
  /** Runs the code for each file, and returns the table of each file. */
  read(paths: readonly string[], pack: string, work: string): readonly Table[]
}

/** Makes a reader for a tool in Python. @param dump code that adds the table of a file to the list `tables` */
function pythonReader(tool: string, start: string, codeOf: (block: string) => string): Reader {
  return {
    tool,
    read(paths, pack, work) {
      const block = blockOf(pack, tool)
      const script = [
        'import json',
        start,
        'tables = []',
        ...paths.map((path) => codeOf(forFile(block, path))),
        'json.dump(tables, open("tables.json", "w"))',
      ]
      writeFileSync(join(work, 'script.py'), script.join('\n'))
      runTool(PYTHON, ['script.py'], work)
      return JSON.parse(readFileSync(join(work, 'tables.json'), 'utf8'))
    },
  }
}

const TEXT_OF = `
def text_of(value):
    if isinstance(value, bool):
        return str(value).lower()
    if hasattr(value, "isoformat"):
        return value.isoformat().replace("+00:00", "Z")
    return str(value)`

export const pandas = pythonReader(
  'pandas',
  TEXT_OF,
  (block) => `${block}
rows = table.itertuples(index=False, name=None)
tables.append([list(table.columns), *([None if pd.isna(cell) else text_of(cell) for cell in row] for row in rows)])`,
)

export const polars = pythonReader(
  'polars',
  TEXT_OF,
  (block) => `${block}
tables.append([table.columns, *([None if cell is None else text_of(cell) for cell in row] for row in table.rows())])`,
)

/** Converts each column as the note says, and back to a text. */
const DUCKDB = `
import duckdb
duckdb.sql("set TimeZone = 'UTC'")
def shown(name):
    form = "%Y-%m-%dT%H:%M:%S"
    if name in ("start_time", "end_time"):
        return f"strftime({name}::timestamptz, '{form}Z')"
    if name in ("local_start", "local_end"):
        return f"strftime({name}::timestamp, '{form}')"
    if name in ("requests", "elements", "distinct_ids", "declared", "count", "expected", "seq"):
        return f'"{name}"::hugeint::varchar'
    return f'"{name}"::boolean::varchar' if name in ("certified", "confirmed", "pass") else f'"{name}"'`

export const duckdb = pythonReader(
  'DuckDB',
  DUCKDB,
  (block) => `
*setup, query = ${JSON.stringify(block)}.rstrip(";").split(";\\n")
duckdb.sql(";".join(setup))
names = duckdb.sql(query).columns
shown_names = ", ".join(map(shown, names))
found = duckdb.sql(f"select {shown_names} from ({query})").fetchall()
tables.append([names, *([cell or None for cell in row] for row in found)])`,
)

const R_START = `
text_of <- function(column) {
  if (inherits(column, "POSIXct")) {
    return(format(column, "%Y-%m-%dT%H:%M:%S"))
  }
  if (is.logical(column)) return(tolower(as.character(column)))
  if (is.numeric(column)) return(format(column, scientific = FALSE, trim = TRUE, digits = 15))
  column
}
tables <- list()
show <- function(table) {
  cells <- lapply(table, function(column) { text <- text_of(column); text[is.na(column)] <- NA; text })
  as.data.frame(cells, check.names = FALSE, stringsAsFactors = FALSE)
}`

export const r: Reader = {
  tool: 'R',
  read(paths, pack, work) {
    const block = blockOf(pack, 'R')
    const parts = paths.map(
      (path, place) => `${forFile(block, path)}
writeLines(jsonlite::toJSON(list(names(table), show(table)), dataframe = "values", na = "null"),
  "${place}.json", useBytes = TRUE)`,
    )
    writeFileSync(join(work, 'script.R'), [R_START, ...parts].join('\n'))
    runTool('Rscript', ['script.R'], work)
    return paths.map((_, place) => {
      const [header, rows] = JSON.parse(readFileSync(join(work, `${place}.json`), 'utf8'))
      // R has no times without a zone, so both kinds of time have the same form here.
      const instants = ['start_time', 'end_time'].map((name) => header.indexOf(name))
      const marked = rows.map((row: Table[number]) =>
        row.map((cell, at) => (cell !== null && instants.includes(at) ? `${cell}Z` : cell)),
      )
      return [header, ...marked]
    })
  },
}

/** Runs the command of `README.txt` for each file of a pack, and returns the cells of the files that it wrote. */
export function readByLibreOffice(paths: readonly string[], pack: string): readonly Table[] {
  const block = blockOf(pack, 'LibreOffice')
  return paths.map((path) => {
    const name = basename(path, '.csv')
    runTool('bash', ['-ec', forFile(block, `${name}.csv`)], pack)
    const asText = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,true,true,false'
    const back = ['--headless', '--convert-to', asText, '--outdir', join(pack, 'back'), `${name}.ods`]
    runTool('soffice', back, pack)
    const text = readFileSync(join(pack, 'back', `${name}.csv`))
    return parse(text, { bom: true }).map((row: readonly string[]) => row.map((cell) => cell || null))
  })
}

const FRICTIONLESS = `
import json, sys
from frictionless import Package
report = Package(sys.argv[1] + "/datapackage.json").validate()
faults = [error.type for error in report.errors]
faults += [error.type for task in report.tasks for error in task.errors]
json.dump(faults, sys.stdout)`

/** Validates a pack with frictionless by its `datapackage.json`, and returns the types of the faults. */
export function validate(pack: string): readonly string[] {
  return JSON.parse(runTool(PYTHON, ['-c', FRICTIONLESS, pack], pack))
}
