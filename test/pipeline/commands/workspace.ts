import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import type { RunReport } from '../../../pipeline/runtime/report.ts'
import type { Engine } from '../../support/engines.ts'
import { makeFolder } from '../../support/folder.ts'
import { copyDatabase, createDatabase } from '../../support/postgres.ts'
import { CLI, type Ended, type Started, start } from './command-line.ts'
import { runInProcess } from './in-process.ts'
import type { AtEnd } from './scripted-source.ts'

/** A folder with its own configuration and its own database, like the folder of a user. */
export interface Workspace {
  readonly folder: string
  /** Environment variables of the command. A test may add more variables. */
  readonly env: Record<string, string>
  /** Writes event-sync.yaml. If the database is PostgreSQL, the key `database` is added. */
  configure(config: Readonly<Record<string, unknown>>): void
  /** Starts the command as a process, for tests with signals, sudden death or locks between processes. */
  start(...args: readonly string[]): Started
  /** Runs a command within the process of the test. */
  run(...args: readonly string[]): Promise<Ended>
  /** Runs a command with `--json` and returns the runs that it prints as `{"runs":[…]}`. */
  report(...args: readonly string[]): Promise<Ended & { readonly runs: readonly RunReport[] }>
  /** Returns the rows of a query on the PostgreSQL database of the workspace. */
  rows(query: string): Promise<readonly Readonly<Record<string, unknown>>[]>
  /** Returns the text of a file of the workspace. */
  read(...path: readonly string[]): string
  /**
   * Returns the sorted paths of all files in a subfolder; the list is empty if the subfolder does not exist.
   */
  files(...path: readonly string[]): readonly string[]
}

/**
 * Makes a workspace. The workspace is deleted when the test has finished.
 *
 * @param isEmpty true for an empty PostgreSQL database; false for one with the tables of the product
 * @param atEnd registers the work that deletes the workspace; without this function, the workspace is
 *   deleted at the end of the test
 */
export async function makeWorkspace(
  engine: Engine,
  isEmpty = false,
  atEnd: AtEnd = onTestFinished,
): Promise<Workspace> {
  // The name of the folder contains a blank, as the names of some users' folders do.
  const folder = join(makeFolder(atEnd), 'my event')
  mkdirSync(folder)
  const env: Record<string, string> = {}
  if (engine === 'postgres')
    env.DATABASE_URL = isEmpty
      ? await createDatabase(inject('postgresUrl'))
      : await copyDatabase(inject('postgresUrl'), inject('postgresTemplate'))
  else unpackDatabase(folder)

  const run = (args: readonly string[]) => runInProcess(args, { folder, env })
  return {
    folder,
    env,
    configure(config) {
      const database = engine === 'postgres' ? { database: 'env:DATABASE_URL' } : {}
      // The configuration is written as JSON, because every JSON text is valid YAML.
      writeFileSync(join(folder, 'event-sync.yaml'), JSON.stringify({ ...database, ...config }, null, 2))
    },
    start: (...args) => start(process.execPath, [CLI, ...args], { folder, env }),
    run: (...args) => run(args),
    async report(...args) {
      const ended = await run([...args, '--json'])
      if (ended.stdout === '') throw new Error(`${args[0]} printed nothing: ${ended.stderr}`)
      return { ...ended, runs: JSON.parse(ended.stdout).runs }
    },
    async rows(query) {
      const client = new pg.Client({ connectionString: env.DATABASE_URL })
      await client.connect()
      return (await client.query(query).finally(() => client.end())).rows
    },
    read: (...path) => readFileSync(join(folder, ...path), 'utf8'),
    files(...path) {
      const below = join(folder, ...path)
      if (!existsSync(below)) return []
      const entries = readdirSync(below, { recursive: true, withFileTypes: true })
      return entries
        .filter((entry) => !entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name).slice(below.length + 1))
        .sort()
    },
  }
}

/** Unpacks a prepared embedded database, because creating a database takes seconds. */
function unpackDatabase(folder: string): void {
  const directory = join(folder, '.event-sync', 'db')
  mkdirSync(directory, { recursive: true })
  execFileSync('tar', ['-xf', inject('pgliteTemplate'), '-C', directory], { stdio: 'ignore' })
}
