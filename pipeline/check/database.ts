import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, ConfigError, resolveSecret, type SecretEnvironment } from '../config/config.ts'
import { findHolder } from '../database/directory-lock.ts'
import { type Finding, failed, failedBy, notCheckable, ok, type Rule } from '../sources/contract/findings.ts'

const RULE: Rule = { id: 'database', sentence: 'the database can be used', clause: null }

/** A connection that is not there after this long is no connection; PostgreSQL's client itself waits for minutes. */
const CONNECT_TIMEOUT_MS = 10_000

/** Says whether the database answers, and makes nothing in it: even to open an embedded one would write. */
export async function databaseFinding(
  config: Config,
  secrets: SecretEnvironment,
  connectTimeoutMs = CONNECT_TIMEOUT_MS,
): Promise<Finding> {
  return config.database === undefined
    ? embeddedFinding(join(secrets.configFolder, '.event-sync', 'db'))
    : serverFinding(config.database, secrets, connectTimeoutMs)
}

async function embeddedFinding(directory: string): Promise<Finding> {
  if (!existsSync(directory)) {
    return ok(RULE, `embedded; not there yet: the first run makes it in ${directory}`)
  }
  const holder = await findHolder(directory)
  if (holder === null) return ok(RULE, `embedded, in ${directory}; nobody has it open`)
  const todo = 'wait until that process ends, or use PostgreSQL'
  return notCheckable(RULE, `embedded, in ${directory}; ${holder} has it open`, todo)
}

async function serverFinding(
  reference: NonNullable<Config['database']>,
  secrets: SecretEnvironment,
  connectTimeoutMs: number,
): Promise<Finding> {
  const { openPostgres, reasonOf } = await import('../database/postgres.ts')
  try {
    const url = resolveSecret(reference, secrets, 'database').reveal()
    const database = await openPostgres(url, connectTimeoutMs)
    await database.close()
    return ok(RULE, `the PostgreSQL of ${reference} answers`)
  } catch (error) {
    if (error instanceof ConfigError) return failedBy(RULE, error)
    const todo = `check the URL in ${reference}, and that the server runs and lets this user in`
    return failed(RULE, `the PostgreSQL of ${reference} cannot be used: ${reasonOf(error)}`, todo)
  }
}
