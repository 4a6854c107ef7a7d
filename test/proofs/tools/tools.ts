import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * The Python with the packages in `requirements.txt`. The environment variable `TOOLS_PYTHON` can name another
 * one, such as `.venv/bin/python`.
 */
export const PYTHON = process.env.TOOLS_PYTHON ?? 'python3'
/** The programs dbt and dbt-ol, which pip installs beside the Python of a virtual environment. */
export const [DBT, DBT_OL] = ['dbt', 'dbt-ol'].map((name) => {
  const beside = join(dirname(PYTHON), name)
  return existsSync(beside) ? beside : name
}) as [string, string]

export const passes = (program: string, ...args: readonly string[]) => spawnSync(program, args).status === 0

export const hasPackage = (name: string) => passes(PYTHON, '-c', `import ${name}`)
export const hasR = () => passes('Rscript', '-e', 'library(readr); library(jsonlite)')
export const hasLibreOffice = () => passes('soffice', '--version')

/** Runs a program and returns what it prints; throws its messages if it fails. */
export function runTool(program: string, args: readonly string[], folder: string): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 1e9,
  })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`${program} ended with exit code ${status}: ${stderr.slice(-3000)}`)
  return stdout
}

/** Returns the code for a tool in the `README.txt` of a pack: the lines without indent after its name. */
export function blockOf(pack: string, tool: string): string {
  const [, rest = ''] = readFileSync(join(pack, 'README.txt'), 'utf8').split(`\n  ${tool}: `)
  const block = rest.split('\n\n').at(1)
  if (block === undefined || block.startsWith(' ')) throw new Error(`README.txt has no code for ${tool}`)
  return block
}

/** Returns the code for another file, as the note says: with its name in place of the name `agenda.csv`. */
export function forFile(block: string, path: string): string {
  if (block.split('agenda.csv').length !== 2) throw new Error('the code does not name the file once')
  return block.replace('agenda.csv', () => path)
}
