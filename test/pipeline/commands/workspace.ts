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

/** A folder with a configuration and its own database, as a user would have. */
export interface Workspace {
  readonly folder: string
  /** Variables that the command sees; a test may add some. */
  readonly env: Record<string, string>
  /** Writes event-sync.yaml; the database is filled in. */
  configure(config: Readonly<Record<string, unknown>>): void
  /** Starts a process, for what only a process has: signals, a death, what it holds against another. */
  start(...args: readonly string[]): Started
  /** Runs a command within this process. */
  run(...args: readonly string[]): Promise<Ended>
  /** Runs a command that prints `{"runs":[…]}`. */
  report(...args: readonly string[]): Promise<Ended & { readonly runs: readonly RunReport[] }>
  /** Rows of a query on its PostgreSQL database. */
  rows(query: string): Promise<readonly Readonly<Record<string, unknown>>[]>
  /** Text of a file below the folder. */
  read(...path: readonly string[]): string
  /** Files below a folder of it, sorted; none where there is no such folder. */
  files(...path: readonly string[]): readonly string[]
}

/**
 * Makes a workspace that is gone when the test has finished.
 *
 * @param isEmpty true if its PostgreSQL database is one that no command has seen yet
 * @param atEnd takes what is to be done when it is gone; left out: when the test has finished
 */
export async function makeWorkspace(
  engine: Engine,
  isEmpty = false,
  atEnd: AtEnd = onTestFinished,
): Promise<Workspace> {
  // Every folder has a blank in its name, as some have.
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
      // JSON is YAML.
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

/** Making an embedded database takes seconds; copying one does not. */
function unpackDatabase(folder: string): void {
  const directory = join(folder, '.event-sync', 'db')
  mkdirSync(directory, { recursive: true })
  execFileSync('tar', ['-xf', inject('pgliteTemplate'), '-C', directory], { stdio: 'ignore' })
}
