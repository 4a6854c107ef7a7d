import { randomBytes, randomInt } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Database } from '../../sql/database.ts'
import { leaseCredits } from '../../sql/rate-budgets.ts'
import { inOneSnapshot } from '../../sql/statements.ts'
import type { Tables } from '../../sql/tables.ts'
import { loadConfig, resolveSecret, type SecretEnvironment } from '../config.ts'
import { migrate, requireMigrated } from '../database/migrate.ts'
import type { Environment } from '../environment.ts'
import { makeSharedBudgets } from '../extract/shared-rate.ts'
import { type LogLevel, logProgress } from '../log.ts'
import { observed } from '../observe/observed.ts'
import type { Progress } from '../observe/told.ts'
import { showProgress } from '../progress.ts'
import type { BaseContext, Context } from '../run-context.ts'

/** Longest waits for a connection and for the answer to a statement, in milliseconds; 0: none. */
interface DatabaseTimeouts {
  readonly connectMs: number
  readonly queryMs: number
}

const NO_TIMEOUTS: DatabaseTimeouts = { connectMs: 0, queryMs: 0 }

/** Options that every command takes. Source: design 6. */
export interface GlobalOptions {
  readonly config: string
  readonly json: boolean
  /** False where nothing may be asked. */
  readonly input: boolean
  readonly logLevel: LogLevel
  /** Lets sources and platforms be reached unencrypted. */
  readonly insecureHttp: boolean
  /** Shows values of people. */
  readonly showPersonal: boolean
  /** False where nothing may be coloured. */
  readonly color: boolean
}

/** The machine as it is. */
export const machine: Environment = {
  now: Date.now,
  async sleep(ms, signal) {
    await sleep(ms, undefined, { signal }).catch((error: unknown) => {
      if (signal?.aborted !== true) throw error
    })
  },
  random: Math.random,
  randomBytes,
  randomInt: (limit) => randomInt(limit),
  user: userName(),
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // A container may run under a user id that has no name.
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}

/**
 * Opens configuration and database for one command and closes what was opened.
 *
 * @param variables where secrets are looked up
 */
export async function withContext<Result>(
  options: Pick<GlobalOptions, 'config'> & Partial<GlobalOptions>,
  work: (context: Context) => Promise<Result>,
  variables: NodeJS.ProcessEnv = process.env,
  progress: Progress = progressFor(options.logLevel ?? 'silent'),
): Promise<Result> {
  const context = openConfig(options, variables, progress)
  const database = await openDatabase(context)
  try {
    await migrate(database)
    if (database.engine === 'pglite') return await work(observed({ ...context, database }))
    const budgets = makeSharedBudgets(machine, (host, order) => leaseCredits(database.kysely, host, order))
    try {
      return await work(observed({ ...context, database, budgets }))
    } finally {
      await budgets.close()
    }
  } finally {
    await database.close()
  }
}

/**
 * Opens configuration and database for a command that reads what is stored: all of its queries see one state, no lock is
 * taken, and nothing is made, not even the schema.
 *
 * @throws where there is no database yet
 */
export async function withStored<Result>(
  options: Pick<GlobalOptions, 'config'> & Partial<GlobalOptions>,
  work: (db: Kysely<Tables>, context: BaseContext) => Promise<Result>,
): Promise<Result> {
  const context = openConfig(options)
  const folder = embeddedFolder(context.secrets)
  if (context.config.database === undefined && !existsSync(folder)) {
    throw new Error(`there is no database in ${folder} yet; \`event-sync run\` reads the source`)
  }
  const database = await openDatabase(context)
  try {
    await requireMigrated(database)
    return await database.transaction(async (transaction) => {
      await inOneSnapshot(transaction)
      return work(transaction, context)
    })
  } finally {
    await database.close()
  }
}

/** Opens the configuration alone, for a command that must not touch the database. */
export function openConfig(
  options: Pick<GlobalOptions, 'config'> & Partial<GlobalOptions>,
  variables: NodeJS.ProcessEnv = process.env,
  progress: Progress = progressFor(options.logLevel ?? 'silent'),
): BaseContext {
  const insecureHttp = options.insecureHttp ?? false
  const secrets: SecretEnvironment = {
    insecureHttp,
    env: variables,
    readFile: (file) => readFileSync(file, 'utf8'),
    configFolder: dirname(resolve(options.config)),
  }
  const config = loadConfig(options.config, secrets)
  const outputFolder = fromConfigFolder(config.output, secrets)
  return { config, environment: machine, secrets, outputFolder, progress }
}

function progressFor(level: LogLevel): Progress {
  return level === 'silent' ? showProgress(process.stderr, machine.now) : logProgress(level, process.stderr)
}

/**
 * Opens the database of the configuration as it stands.
 *
 * Loads only the engine that is used: PGlite alone takes 30 MB and a noticeable moment.
 *
 * @param timeouts left out: it is waited for as long as the operating system does
 */
export async function openDatabase(
  { config, secrets }: Pick<Context, 'config' | 'secrets'>,
  timeouts: DatabaseTimeouts = NO_TIMEOUTS,
): Promise<Database> {
  if (config.database !== undefined) {
    const { openPostgres, reasonOf } = await import('../database/postgres.ts')
    const url = resolveSecret(config.database, secrets, 'database').reveal()
    return openPostgres(url, timeouts.connectMs, timeouts.queryMs).catch((cause: unknown) => {
      const message = `the database of ${config.database} cannot be used: ${reasonOf(cause)}; platform untouched`
      throw new Error(message, { cause })
    })
  }
  const folder = embeddedFolder(secrets)
  mkdirSync(folder, { recursive: true })
  const { openPGlite } = await import('../database/pglite.ts')
  return openPGlite(folder)
}

/** Where the embedded database is. */
function embeddedFolder(secrets: SecretEnvironment): string {
  return fromConfigFolder(join('.event-sync', 'db'), secrets)
}

/** Relative paths start at the configuration file, wherever the command is run from. */
function fromConfigFolder(path: string, { configFolder }: SecretEnvironment): string {
  return isAbsolute(path) ? path : resolve(configFolder, path)
}
