import { existsSync, readFileSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import type { Kysely } from 'kysely'
import { type Database, inOneSnapshot } from '../../sql/database.ts'
import { takeCredits } from '../../sql/rate-budgets.ts'
import type { Tables } from '../../sql/tables.ts'
import { checkConfig, readConfig, resolveSecret, type SecretEnvironment } from '../config/config.ts'
import { importSources } from '../config/import-sources.ts'
import type { BaseContext, Context } from '../context/run-context.ts'
import { migrate, requireMigrated } from '../database/migrate.ts'
import { makePrivateFolder } from '../database/private-folder.ts'
import { makeRateBudgets } from '../http/rate.ts'
import { withoutSending } from '../observe/emit.ts'
import { observed } from '../observe/observed.ts'
import { showProgress } from '../observe/progress.ts'
import { type Environment, machine } from '../runtime/environment.ts'
import type { Listener } from '../runtime/events.ts'
import type { LogLevel } from '../runtime/log-levels.ts'
import { messageOf } from '../runtime/message-of.ts'
import { ConfigError, GIVEN_CONFIG, UserError } from '../settings/errors.ts'
import { outsideSourcesOf } from '../sources/registry.ts'
import type { CommandIo } from './io.ts'

type SessionIo = Pick<CommandIo, 'env' | 'cwd' | 'stderr' | 'cancelled' | 'configText' | 'onStuck'>

/** Options that every command takes; program.ts says what they are for. */
export interface GlobalOptions {
  readonly config: string
  readonly json: boolean
  readonly input: boolean
  readonly logLevel: LogLevel
  readonly insecureHttp: boolean
  readonly showPersonal: boolean
  readonly color: boolean
}

type SessionOptions = Pick<GlobalOptions, 'config'> & Partial<GlobalOptions>

/** Opens configuration and database for one command, and closes what was opened. */
export async function withContext<Result>(
  options: SessionOptions,
  io: SessionIo,
  work: (context: Context) => Promise<Result>,
  events?: Listener,
): Promise<Result> {
  const context = await openConfig(options, io, events)
  const database = await openDatabase(context, {}, io.onStuck)
  try {
    await withoutSending(migrate(database, outsideSourcesOf(context.config)))
    if (database.engine === 'pglite') return await work(watched({ ...context, database }))
    const budgets = makeRateBudgets(context.environment, (account, order) =>
      takeCredits(database.kysely, account, order),
    )
    try {
      return await work(watched({ ...context, database, budgets }))
    } finally {
      await budgets.close()
    }
  } finally {
    await database.close()
  }
}

/** Lets all who watch listen, and the page of all integrations follow. */
function watched(context: Context): Context {
  /** Integrations whose run could not be recorded: a database that is gone, or silent, is not asked again. */
  const unrecorded = new Set<string>()
  return observed(context, [
    {
      emit(integration, event) {
        if (event.type !== 'run ended') return
        const { report, isRecorded = report.status !== 'failed' } = event
        if (isRecorded) unrecorded.delete(integration)
        else unrecorded.add(integration)
      },
      // Loaded only where there was work to do.
      async settled(integration) {
        if (unrecorded.delete(integration)) return
        const { writeStatusPage } = await import('../inspect/web-page.ts')
        await writeStatusPage(context, integration)
      },
    },
  ])
}

/**
 * Opens configuration and database for a command that reads what is stored: all of its queries see one state, no lock is
 * taken, and nothing is made, not even the schema.
 *
 * @throws where no database exists yet
 */
export async function withStored<Result>(
  options: SessionOptions,
  io: SessionIo,
  work: (db: Kysely<Tables>, context: BaseContext) => Promise<Result>,
): Promise<Result> {
  const context = await openConfig(options, io)
  const folder = embeddedFolder(context.secrets)
  if (context.config.database === undefined && !existsSync(folder)) {
    throw new Error(`there is no database in ${folder} yet; run \`event-sync run\` first`)
  }
  const database = await openDatabase(context, {}, io.onStuck)
  try {
    await requireMigrated(database, outsideSourcesOf(context.config))
    return await database.transaction(async (transaction) => {
      await inOneSnapshot(transaction)
      return work(transaction, context)
    })
  } finally {
    await database.close()
  }
}

/** Opens the configuration alone, for a command that must not touch the database. */
export async function openConfig(options: SessionOptions, io: SessionIo, listener?: Listener) {
  const events = listener ?? (await listenerFor(io, options))
  const path = io.configText === undefined ? options.config : GIVEN_CONFIG
  const secrets: SecretEnvironment = {
    insecureHttp: options.insecureHttp ?? false,
    env: io.env,
    readFile: (file) =>
      file === path && io.configText !== undefined
        ? io.configText
        : readFileSync(resolve(io.cwd, file), 'utf8'),
    configFolder: dirname(resolve(io.cwd, options.config)),
  }
  const file = readConfig(path, secrets)
  const config = checkConfig(file, secrets, await importSources(file, secrets.configFolder))
  const outputFolder = fromConfigFolder(config.output, secrets)
  const context = { config, environment: machine, secrets, outputFolder, events }
  const { cancelled } = io
  if (cancelled === undefined) return context
  // A wait ends where the caller gives up.
  const sleep: Environment['sleep'] = async (ms, signal) => {
    await machine.sleep(ms, signal === undefined ? cancelled : AbortSignal.any([signal, cancelled]))
    cancelled.throwIfAborted()
  }
  return { ...context, cancelled, environment: { ...machine, sleep } }
}

async function listenerFor(
  { stderr }: SessionIo,
  { logLevel: level = 'silent' }: SessionOptions,
): Promise<Listener> {
  if (level === 'silent') return showProgress(stderr, machine.monotonic)
  const { logEvents } = await import('../observe/log.ts')
  return logEvents(level, stderr)
}

interface Timeouts {
  readonly connectMs?: number
  readonly queryMs?: number
}

/**
 * Opens the database of the configuration without migrating it.
 *
 * Loads only the engine that is used: PGlite alone takes 30 MB and a noticeable moment.
 *
 * @param timeouts longest waits for a connection and for the answer to a statement; left out: those of the operating system
 * @param onStuck ends the process when the embedded engine neither answers nor works
 */
export function openDatabase(
  context: Pick<Context, 'config' | 'secrets'>,
  timeouts: Timeouts = {},
  onStuck?: (message: string) => void,
): Promise<Database> {
  return withoutSending(connect(context, timeouts, onStuck))
}

async function connect(
  { config, secrets }: Pick<Context, 'config' | 'secrets'>,
  timeouts: Timeouts,
  onStuck?: (message: string) => void,
): Promise<Database> {
  if (config.database !== undefined) {
    const { openPostgres } = await import('../database/postgres.ts')
    const url = resolveSecret(config.database, secrets, 'database').reveal()
    if (!/^(?:postgres(?:ql)?:\/\/|socket:|\/)/i.test(url)) {
      throw new ConfigError(
        `database: the address in ${config.database} is not one of PostgreSQL (not shown)`,
        {
          todo: 'it begins with postgres:// or postgresql://',
        },
      )
    }
    return openPostgres(url, timeouts.connectMs, timeouts.queryMs).catch((cause: unknown) => {
      if (cause instanceof UserError) throw cause
      const message = `the database of ${config.database} cannot be used: ${messageOf(cause)}; check the URL there, and that the server is running and lets this user connect`
      throw new Error(message, { cause })
    })
  }
  const folder = embeddedFolder(secrets)
  makePrivateFolder(dirname(folder))
  const { openPGlite } = await import('../database/pglite.ts')
  return openPGlite(folder, outsideSourcesOf(config), onStuck)
}

export function embeddedFolder(secrets: SecretEnvironment): string {
  return fromConfigFolder(join('.event-sync', 'db'), secrets)
}

/** Relative paths start at the configuration file, wherever the command is run from. */
function fromConfigFolder(path: string, { configFolder }: SecretEnvironment): string {
  return isAbsolute(path) ? path : resolve(configFolder, path)
}
