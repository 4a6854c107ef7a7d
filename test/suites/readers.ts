import { execFileSync, spawnSync } from 'node:child_process'
import { createReadStream, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { pathToFileURL } from 'node:url'
import { parse } from 'csv-parse/sync'
import pg from 'pg'
import { from } from 'pg-copy-streams'
import { type Cells, readCells } from '../harness/read-pack.ts'

const OFFICE = 'soffice'

const isHere = (program: string) => spawnSync(program, ['--version']).status === 0

export const isPythonHere = isHere('python3')
export const isLibreOfficeHere = isHere(OFFICE)

/** Reads a file with csv-parse. */
export function readByParser(path: string): Cells {
  return readCells(path).slice(1)
}

/** Reads a CSV file with PostgreSQL's COPY, which checks that the header has the names of the columns. */
export async function readByPostgres(url: string, path: string): Promise<Cells> {
  const columns = headerOf(path).map((name) => `"${name}"`)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const typed = columns.map((column) => `${column} text`)
    await client.query(`create temporary table read_back (place serial, ${typed.join(', ')})`)
    const copy = `copy read_back (${columns.join(', ')}) from stdin (format csv, header match, encoding 'UTF8')`
    await pipeline(createReadStream(path), client.query(from(copy)))
    const text = `select ${columns.join(', ')} from read_back order by place`
    return (await client.query<(string | null)[]>({ text, rowMode: 'array' })).rows
  } finally {
    await client.end()
  }
}

const PYTHON = `
import csv, json, sys
rows = list(csv.reader(open(sys.argv[1], encoding='utf-8', newline=''), strict=True))
json.dump(rows[1:], sys.stdout)`

/**
 * Reads a CSV file with Python's csv module, which does not distinguish an absent cell from an empty cell.
 */
export function readByPython(path: string): Cells {
  const limits = { encoding: 'utf8', maxBuffer: 1e9 } as const
  return JSON.parse(execFileSync('python3', ['-c', PYTHON, path], limits))
}

/**
 * Import settings of LibreOffice that a careless user may choose: every cell that looks like a number, a date
 * or a formula is converted, even if it is quoted.
 */
const EAGER = 'CSV:44,34,76,1,,0,false,true,false,false,false,-1,true'
/**
 * The import settings that the note in a pack recommends: each column is text, and LibreOffice converts
 * nothing.
 */
const ALL_TEXT = Array.from({ length: 20 }, (_, column) => `${column + 1}/2`).join('/')
const AS_TEXT = `CSV:44,34,76,1,${ALL_TEXT},0,true,false,false,false,false,-1,false`

/**
 * Returns the number of cells in each file that LibreOffice treats as formulas with the careless settings.
 */
export function formulaCells(paths: readonly string[], work: string): Readonly<Record<string, number>> {
  convert(paths, work, EAGER, 'fods')
  const counts = paths.map((path) => {
    const name = basename(path, '.csv')
    return [
      name,
      readFileSync(join(work, `${name}.fods`), 'utf8').split(' table:formula="').length - 1,
    ] as const
  })
  return Object.fromEntries(counts)
}

/**
 * Imports files into LibreOffice with the recommended settings, and reads the CSV files that LibreOffice
 * exports.
 */
export function readByLibreOffice(paths: readonly string[], work: string): readonly Cells[] {
  convert(paths, work, AS_TEXT, 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,true,true,false')
  return paths.map((path) => parse(readFileSync(join(work, basename(path))), { bom: true }).slice(1))
}

function convert(paths: readonly string[], work: string, from: string, to: string): void {
  const profile = `-env:UserInstallation=${pathToFileURL(join(work, 'profile')).href}`
  const target = [`--infilter=${from}`, '--convert-to', to, '--outdir', work]
  execFileSync(OFFICE, [profile, '--headless', ...target, ...paths], { stdio: 'pipe' })
}

export function csvFilesOf(folder: string): readonly string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.csv'))
  return names.map((name) => join(folder, name))
}

function headerOf(path: string): readonly string[] {
  const text = readFileSync(path, 'utf8')
  return text.slice(0, text.indexOf('\r\n')).split(',')
}
