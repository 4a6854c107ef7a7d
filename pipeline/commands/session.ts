import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, isAbsolute, resolve } from 'node:path'
import type { Kysely } from 'kysely'
import { type Database, inOneSnapshot } from '../../sql/database.ts'
import { giveBackTurn, postponeTurns, takeCredits, takeTurn } from '../../sql/rate-budgets.ts'
import type { Tables } from '../../sql/tables.ts'
import { checkConfig, readConfig, resolveSecret, type SecretEnvironment } from '../config/config.ts'
import { importOutside } from '../config/import-outside.ts'
import { type TrackedFiles, trackFiles } from '../config/tracked-files.ts'
import type { BaseContext, Context } from '../context/run-context.ts'
import { migrate, requireMigrated } from '../database/migrate.ts'
import { noteOfMove, requireWritable } from '../database/moved.ts'
import type { PostgresOptions } from '../database/postgres.ts'
import { embeddedFolder, makePrivateFolder } from '../database/private-folder.ts'
import { seatsFor } from '../database/seats.ts'
import { creditsInMemory, makeRateBudgets } from '../http/rate.ts'
import { takeTurns } from '../inspect/page-turns.ts'
import { withoutSending } from '../observe/emit.ts'
import type { LiveLines } from '../observe/live-lines.ts'
import { observed } from '../observe/observed.ts'
import { type Clock, showProgress } from '../observe/progress.ts'
import { finishRenames } from '../rename/finish-renames.ts'
import { type Environment, machine } from '../runtime/environment.ts'
import type { Listener } from '../runtime/events.ts'
import { ownerBesideRoot } from '../runtime/file-owner.ts'
import type { LogLevel } from '../runtime/log-levels.ts'
import { messageOf } from '../runtime/message-of.ts'
import { ConfigError, GIVEN_CONFIG, UserError } from '../settings/errors.ts'
import type { SecretReference } from '../settings/values.ts'
import { outsideSourcesOf } from '../sources/registry.ts'
import type { CommandIo } from './io.ts'
import { DEFAULT_CONFIG, namingConfig } from './naming-config.ts'

type SessionIo = Pick<CommandIo, 'env' | 'cwd' | 'stderr' | 'live' | 'cancelled' | 'configText' | 'onStuck'>

/** Options that every command accepts. The help texts of these options are in program.ts. */
export interface GlobalOptions {
  readonly config: string
  readonly json: boolean
  readonly input: boolean
  readonly logLevel: LogLevel
  readonly insecureHttp: boolean
  readonly showPersonal: boolean
  readonly color: boolean
  readonly quiet: boolean
}

type SessionOptions = Pick<GlobalOptions, 'config'> & Partial<GlobalOptions>

/**
 * What a command does with a database whose data was moved to another database. `refused`: the command would
 * write, so it fails. `noted`: the command only reads, and prints a note. `allowed`: the command is `move`.
 */
export type OnMoved = 'refused' | 'noted' | 'allowed'

/** How a command opens the database. */
export interface Opening {
  readonly events?: Listener
  readonly onMoved?: OnMoved
  /** Longest wait for another process that has the embedded database; default: 0. */
  readonly lockWaitMs?: number
  /** Number of runs at the same time, for which a server needs connections; default: 1. */
  readonly runs?: number
}

/** How a command that runs for a long time reads its configuration again. */
export interface Rereading {
  /** Returns a text that differs if a file of the configuration was changed, added or removed. */
  fingerprint(): string
  /**
   * Reads the configuration as it is now. The database stays open.
   *
   * @throws UserError if the configuration has mistakes, or names another database
   */
  read(): Promise<Context>
}

/** Opens the configuration and the database for one command, and closes them at the end. */
export async function withContext<Result>(
  options: SessionOptions,
  io: SessionIo,
  work: (context: Context, rereading: Rereading) => Promise<Result>,
  { events, onMoved = 'refused', lockWaitMs = 0, runs = 1 }: Opening = {},
): Promise<Result> {
  const files = trackFiles((file) => versionOf(resolve(io.cwd, file)))
  const context = await openConfig(options, io, events, files)
  // A command that only reads a server writes nothing that belongs to root.
  if (onMoved !== 'noted') requireOwner(context.outputFolder, 'output folder')
  const open = () => openDatabase(context, { seats: seatsFor(runs) }, io.onStuck)
  const database = await whenUnlocked(open, lockWaitMs, context.environment, (text) => io.stderr.write(text))
  try {
    await withoutSending(migrate(database, outsideSourcesOf(context.config)))
    if (onMoved === 'refused') await withoutSending(requireWritable(database))
    const note = onMoved === 'noted' ? await noteOfMove(database.kysely) : ''
    io.stderr.write(note)
    // Nothing may change in a database whose data was moved to another database.
    if (onMoved !== 'allowed' && note === '') await finishRenames({ ...context, database })
    const budgets =
      database.engine === 'pglite'
        ? undefined
        : makeRateBudgets(
            context.environment,
            (account, order) => takeCredits(database.kysely, account, order),
            {
              take: (account, intervalMs) => takeTurn(database.kysely, account, intervalMs),
              postpone: (account, byMs) => postponeTurns(database.kysely, account, byMs),
              giveBack: (...turn) => giveBackTurn(database.kysely, ...turn),
            },
          )
    const pages = takeTurns(machine)
    const complete = (base: BaseContext) => watched({ ...base, database, ...(budgets && { budgets }) }, pages)
    const read = async () => {
      const next = await openConfig(options, io, events, files)
      if (next.config.database !== context.config.database)
        throw new UserError('state', 'the key `database` was changed', 'restart this process to use it')
      await withoutSending(migrate(database, outsideSourcesOf(next.config)))
      return complete(next)
    }
    try {
      return await work(complete(context), { fingerprint: files.fingerprint, read })
    } finally {
      await pages.close()
      await budgets?.close()
    }
  } finally {
    await database.close()
  }
}

/** Interval at which a command looks if the embedded database is free. */
const LOOK_AGAIN_MS = 500

/**
 * Opens the database, and waits for another process that has the lock of the embedded database.
 *
 * @throws UserError if the other process has the lock for longer than `waitMs`
 */
async function whenUnlocked(
  open: () => Promise<Database>,
  waitMs: number,
  { monotonic, sleep }: Environment,
  note: (text: string) => void,
): Promise<Database> {
  const untilMs = monotonic() + waitMs
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await open()
    } catch (error) {
      const isLocked = error instanceof UserError && error.code === 'locked'
      if (!isLocked || monotonic() >= untilMs) throw error
      if (isFirst) note(`${error.what}; waiting until it is free\n`)
      await sleep(Math.min(LOOK_AGAIN_MS, untilMs - monotonic()))
    }
  }
}

/**
 * Adds the configured listeners for events of a run. Rewrites the status page after runs, if it is the turn of
 * the page.
 */
function watched(context: Context, pages: ReturnType<typeof takeTurns>): Context {
  /**
   * Integrations whose last run could not be recorded in the database. For these integrations the database is
   * not queried again, because it is missing or does not answer.
   */
  const unrecorded = new Set<string>()
  return observed(context, [
    {
      emit(integration, event) {
        if (event.type !== 'run ended') return
        const { report, isRecorded = report.status !== 'failed' } = event
        if (isRecorded) unrecorded.delete(integration)
        else unrecorded.add(integration)
      },
      // The status page is loaded only after a run, so that other commands start faster.
      async settled(integration) {
        if (unrecorded.delete(integration)) return
        const { writeStatusPage } = await import('../inspect/web-page.ts')
        await pages.after(() => writeStatusPage(context, integration))
      },
    },
  ])
}

/**
 * Opens the configuration and the database for a command that only reads data in the database. All queries of
 * the command see the same snapshot. The command takes no lock and creates nothing, not even the schema.
 *
 * @throws if the database does not exist yet
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
    io.stderr.write(await noteOfMove(database.kysely))
    return await database.transaction(async (transaction) => {
      await inOneSnapshot(transaction)
      return work(transaction, context)
    })
  } finally {
    await database.close()
  }
}

/** Opens only the configuration, for a command that must not open the database. */
export async function openConfig(
  options: SessionOptions,
  io: SessionIo,
  listener?: Listener,
  files?: TrackedFiles,
) {
  const events = listener ?? (await listenerFor(io, options))
  const path = io.configText === undefined ? options.config : GIVEN_CONFIG
  const configFolder = dirname(resolve(io.cwd, options.config))
  const secrets: SecretEnvironment = {
    insecureHttp: options.insecureHttp ?? false,
    env: io.env,
    readFile: (file) =>
      file === path && io.configText !== undefined
        ? io.configText
        : readFileSync(resolve(io.cwd, file), 'utf8'),
    findFiles: (glob) => globSync(glob, { cwd: configFolder }),
    configFolder,
  }
  const file = readConfig(path, files?.tracking(secrets) ?? secrets)
  const config = checkConfig(file, secrets, await importOutside(file, configFolder))
  const outputFolder = fromConfigFolder(config.output.folder, secrets)
  const { cancelled } = io
  const isDefault = options.config === DEFAULT_CONFIG
  const named = isDefault ? {} : { named: (text: string) => namingConfig(text, options.config) }
  const contextWith = (environment: Environment) => {
    const budgets = makeRateBudgets(environment, creditsInMemory(environment))
    return { config, environment, secrets, outputFolder, events, budgets, ...named }
  }
  if (cancelled === undefined) return contextWith(machine)
  // A wait ends early if the caller cancels the command.
  const sleep: Environment['sleep'] = async (ms, signal) => {
    await machine.sleep(ms, signal === undefined ? cancelled : AbortSignal.any([signal, cancelled]))
    cancelled.throwIfAborted()
  }
  return { ...contextWith({ ...machine, sleep }), cancelled }
}

/** Returns a text that changes when a file is written. A link counts as the file to which it leads. */
function versionOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined ? 'gone' : `${found.ino} ${found.size} ${found.mtimeMs}`
}

async function listenerFor(io: SessionIo, options: SessionOptions): Promise<Listener> {
  const { stderr } = io
  const { logLevel: level = 'silent' } = options
  if (level === 'silent') return showProgress(stderr, liveFor(io, options), CLOCK)
  const { logEvents, logTo } = await import('../observe/log.ts')
  return logEvents(level, logTo(io))
}

const CLOCK: Clock = {
  now: machine.monotonic,
  every(ms, work) {
    const timer = setInterval(work, ms).unref()
    return () => clearInterval(timer)
  },
}

/**
 * Returns the terminal lines in which a command may show its progress; null if the command must not show
 * progress.
 */
export function liveFor(
  { live }: Pick<CommandIo, 'live'>,
  { json = false, quiet = false, logLevel = 'silent' }: Partial<GlobalOptions>,
): LiveLines | null {
  return json || quiet || logLevel !== 'silent' ? null : (live ?? null)
}

/**
 * Opens the database that the configuration names, without migrating its schema.
 *
 * Only the engine in use is loaded, because PGlite alone takes 30 MB and noticeable time to load.
 *
 * @param options maximum waits and the number of connections of a server
 * @param onStuck ends the process if the embedded database does not answer and does no work
 */
export function openDatabase(
  context: Pick<Context, 'config' | 'secrets'>,
  options: PostgresOptions = {},
  onStuck?: (message: string) => void,
): Promise<Database> {
  return withoutSending(connect(context, options, onStuck))
}

async function connect(
  { config, secrets }: Pick<Context, 'config' | 'secrets'>,
  options: PostgresOptions,
  onStuck?: (message: string) => void,
): Promise<Database> {
  if (config.database !== undefined) return openServer(config.database, secrets, 'database', options)
  const folder = embeddedFolder(secrets)
  // PGlite writes files even if a command only reads.
  requireOwner(dirname(folder), 'folder')
  makePrivateFolder(dirname(folder))
  const { openPGlite } = await import('../database/pglite.ts')
  return openPGlite(folder, outsideSourcesOf(config), onStuck)
}

/**
 * Refuses to run as root in a folder of another user. Only root could read and replace the new files, so each
 * later command of the other user would fail.
 *
 * @throws UserError with the words that start the command as the owner of the folder
 */
function requireOwner(folder: string, what: string): void {
  const owner = ownerBesideRoot(folder)
  if (owner === null) return
  const program = owner.name === 'event-sync' ? 'with the program `event-sync` of the folder deploy, or ' : ''
  throw new UserError(
    'state',
    `the ${what} ${folder} belongs to ${owner.name}, who could not use files that root writes there`,
    `run the command as ${owner.name}, ${program}with \`${owner.prefix}\` before it; nothing was read or sent`,
  )
}

/**
 * Opens the PostgreSQL database whose address a secret contains.
 *
 * @param what key or option that refers to the secret, for error messages
 */
export async function openServer(
  reference: SecretReference,
  secrets: SecretEnvironment,
  what: string,
  options: PostgresOptions = {},
): Promise<Database> {
  const { openPostgres } = await import('../database/postgres.ts')
  const url = resolveSecret(reference, secrets, what).reveal()
  if (!/^(?:postgres(?:ql)?:\/\/|socket:|\/)/i.test(url)) {
    throw new ConfigError(`${what}: the address in ${reference} is not one of PostgreSQL (not shown)`, {
      todo: 'it begins with postgres:// or postgresql://',
    })
  }
  return openPostgres(url, options).catch((cause: unknown) => {
    if (cause instanceof UserError) throw cause
    const message = `the database of ${reference} cannot be used: ${messageOf(cause)}; check the URL there, and that the server is running and lets this user connect`
    throw new Error(message, { cause })
  })
}

/** Resolves a relative path from the folder of the configuration file, not from the current folder. */
function fromConfigFolder(path: string, { configFolder }: SecretEnvironment): string {
  return isAbsolute(path) ? path : resolve(configFolder, path)
}
