import { existsSync } from 'node:fs'
import { type PlatformReader, PlatformRefusalError } from '../../loaders/platform/target.ts'
import type { Database } from '../../sql/database.ts'
import { counted } from '../../transforms/texts/counted.ts'
import { withAnd } from '../../transforms/texts/with-and.ts'
import {
  type Config,
  ConfigError,
  type IntegrationConfig,
  resolveGlobalPassword,
  resolveSealingKeys,
  resolveSecret,
  type SecretEnvironment,
} from '../config/config.ts'
import { resolveSigner } from '../config/signing.ts'
import { findChangedKeys } from '../context/changed-keys.ts'
import { platformOf, platformReaderOf, requireUsable } from '../context/connect.ts'
import { findForgettingKeys } from '../context/keys.ts'
import { limitsOf } from '../context/limits.ts'
import type { BaseContext } from '../context/run-context.ts'
import { findObstacle } from '../database/migrate.ts'
import { embeddedFolder, findHolder } from '../database/private-folder.ts'
import { chooseProxies, type HttpProxy } from '../http/proxy.ts'
import { ReadError } from '../http/read-error.ts'
import { lineageAddress } from '../observe/deliver.ts'
import { parentRunOf } from '../observe/lineage-parent.ts'
import { receiversOf } from '../observe/receivers.ts'
import { findRefusal } from '../run/refusal.ts'
import { needsOfRun } from '../run/room.ts'
import { findBrokenPromises } from '../run/sql-checks.ts'
import { findFullDisk } from '../runtime/disk-room.ts'
import { messageOf } from '../runtime/message-of.ts'
import { adviceOn, describeCode, whyNotWritable } from '../runtime/not-writable.ts'
import { UserError } from '../settings/errors.ts'
import {
  failed,
  failedBy,
  notCheckable,
  ok,
  type Rule,
  type RuleResult,
  resultOf,
} from '../sources/contract/rule-result.ts'
import { transformsOf } from '../sources/registry.ts'
import { targetTypeOf } from '../targets/registry.ts'
import { FIRST_CONTACT_SECONDS } from './read-source.ts'

const SIGNING: Rule = { id: 'signing', sentence: 'packs can be signed', clause: null }
const LINEAGE: Rule = { id: 'lineage', sentence: 'lineage events have an address', clause: null }

const SEALING: Rule = {
  id: 'sealingKey',
  sentence: 'forgotten people can be recognised, and random passwords encrypted',
  clause: null,
}

/**
 * Checks that the keys for sealing and signing can be used, and the addresses for webhooks, mail and lineage.
 * The check sends nothing to these addresses.
 */
export function checkSecrets(context: BaseContext): readonly RuleResult[] {
  const { config, secrets } = context
  const { audit, formerSealingKeys = [], lineage, sealingKey } = config
  const results: RuleResult[] = []
  const add = (rule: Rule, reference: string, resolve: () => URL | null) => {
    let way = ''
    const result = resultOf(rule, '', () => {
      const address = resolve()
      const proxy = address === null ? null : chooseProxies(config.http.proxy, secrets)(address)
      if (proxy !== null) way = `, through the proxy ${shownProxy(proxy)}`
    })
    results.push(result.status === 'ok' ? ok(rule, `${reference} can be used${way}`) : result)
  }
  if (sealingKey !== undefined) {
    const all = [sealingKey, ...formerSealingKeys]
    results.push(resultOf(SEALING, `${withAnd(all)} can be used`, () => resolveSealingKeys(config, secrets)))
  }
  if (audit.signingKey !== undefined) {
    add(SIGNING, audit.signingKey, () => {
      resolveSigner(config, secrets)
      return null
    })
  }
  for (const { name, shown, address } of receiversOf(context)) {
    add({ id: name, sentence: 'messages have an address', clause: null }, shown, address)
  }
  if (lineage !== undefined) {
    add(LINEAGE, lineage.to, () => {
      parentRunOf(secrets.env)
      return lineageAddress(lineage, secrets)?.url ?? null
    })
  }
  return results
}

/**
 * Reports a `sealingKey` that is not the key in the last use for the integration.
 *
 * @returns an empty list if the key is the same, or if no key was used before
 */
export async function checkSealingKey(
  context: BaseContext,
  { id }: IntegrationConfig,
  { kysely }: Database,
): Promise<readonly RuleResult[]> {
  try {
    const changed = await findChangedKeys(kysely, context, id)
    const before = changed.find(({ name }) => name === 'sealingKey')?.before ?? null
    if (before === null) return []
    if (findForgettingKeys(context, id)?.has(Buffer.from(before, 'hex')) === true)
      return [ok(SEALING, 'sealingKey is new; formerSealingKeys has the key of the last run')]
    const seen = `neither sealingKey nor formerSealingKeys has the key of the last run (fingerprint ${before})`
    return [notCheckable(SEALING, seen, OTHER_KEY)]
  } catch (error) {
    // `checkSecrets` reports keys that cannot be used.
    if (error instanceof ConfigError) return []
    throw error
  }
}

const OTHER_KEY =
  'if the key was changed by mistake, set the key of the last run again; otherwise list that key in formerSealingKeys, because passwords that were encrypted with it, and people who were forgotten with it, can only be read or recognised with that key'

const PROXY: Rule = { id: 'proxy', sentence: 'the proxy that is set can be used', clause: null }

const shownProxy = ({ shown, namedBy }: HttpProxy) => `${shown} (${namedBy})`

/**
 * Reports through which proxies an integration reaches its source and its platform.
 *
 * @returns an empty list if no proxy is configured for them
 */
export function checkProxy({ config, secrets }: BaseContext, integration: IntegrationConfig) {
  const { url } = platformOf(integration)
  const places = [['source', integration.source.url] as const, ['platform', url] as const]
  try {
    const proxyOf = chooseProxies(config.http.proxy, secrets)
    const ways = places.flatMap(([place, address]) => {
      return URL.canParse(address) ? [[place, proxyOf(new URL(address))] as const] : []
    })
    if (ways.every(([, proxy]) => proxy === null)) return []
    const seen = ways.map(([place, proxy]) =>
      proxy === null
        ? `the ${place} is reached without a proxy`
        : `the ${place} is reached through ${shownProxy(proxy)}`,
    )
    return [ok(PROXY, seen.join('; '))]
  } catch (error) {
    if (error instanceof ConfigError) return [failedBy(PROXY, error)]
    throw error
  }
}

const PROMISES: Rule = {
  id: 'promises',
  sentence: 'all that the database has of the integration keeps the promises of sql/checks',
  clause: null,
}

/** Runs all queries in `sql/checks` on the data of all runs of an integration. */
export async function checkPromises(
  { config }: BaseContext,
  { id: integrationId }: IntegrationConfig,
  ledger: Database | 'none' | 'unread',
): Promise<RuleResult> {
  if (ledger === 'none') return notCheckable(PROMISES, 'no run has been made yet')
  const sql = 'event-sync sql -f sql/checks/…'
  if (ledger === 'unread') return notCheckable(PROMISES, 'the database is not read', `ask it: \`${sql}\``)
  const broken = [
    ...(await findBrokenPromises(ledger.kysely, 'before-apply', { integrationId }, transformsOf(config))),
    ...(await findBrokenPromises(ledger.kysely, 'after-apply', { integrationId }, transformsOf(config))),
  ]
  if (broken.length === 0) return ok(PROMISES, 'no check finds a row')
  const seen = broken.map(({ name, count }) => `${name} finds ${counted(count, 'row')}`).join('; ')
  return failed(PROMISES, seen, `look at the rows, and do what the checks say: \`${sql}\``)
}

const RULE: Rule = { id: 'database', sentence: 'the database can be used', clause: null }

/** Maximum wait for a connection to the database. The PostgreSQL client itself would wait for minutes. */
const CONNECT_TIMEOUT_MS = 10_000

/**
 * Checks that the database answers. The check creates nothing. An embedded database is not even opened,
 * because opening writes to it.
 */
export async function checkDatabase(
  config: Config,
  secrets: SecretEnvironment,
  connectTimeoutMs = CONNECT_TIMEOUT_MS,
): Promise<RuleResult> {
  return config.database === undefined
    ? checkEmbedded(embeddedFolder(secrets))
    : checkServer(config.database, secrets, connectTimeoutMs)
}

async function checkEmbedded(directory: string): Promise<RuleResult> {
  const fault = whyNotWritable(directory)
  if (fault !== null) {
    const seen = `the embedded database in ${directory} cannot be written${describeCode(fault)}`
    return failed(RULE, seen, `${adviceOn(fault)}, or name a PostgreSQL in \`database\``)
  }
  if (!existsSync(directory)) {
    return ok(RULE, `embedded; the first run creates it in ${directory}`)
  }
  const holder = await findHolder(directory)
  if (holder === null) return ok(RULE, `embedded, in ${directory}; not in use`)
  const todo = 'wait until that process ends, or use PostgreSQL'
  return notCheckable(RULE, `embedded, in ${directory}; in use by ${holder}`, todo)
}

async function checkServer(
  reference: NonNullable<Config['database']>,
  secrets: SecretEnvironment,
  connectTimeoutMs: number,
): Promise<RuleResult> {
  const { openPostgres } = await import('../database/postgres.ts')
  try {
    const url = resolveSecret(reference, secrets, 'database').reveal()
    const database = await openPostgres(url, { connectTimeoutMs })
    try {
      const obstacle = await findObstacle(database)
      return obstacle === null
        ? ok(RULE, `the PostgreSQL of ${reference} answers`)
        : failed(RULE, obstacle.what, obstacle.todo)
    } finally {
      await database.close()
    }
  } catch (error) {
    if (error instanceof UserError) return failedBy(RULE, error)
    const todo = `check the URL in ${reference}, and that the server is running and lets this user connect`
    return failed(RULE, `the PostgreSQL of ${reference} cannot be used: ${messageOf(error)}`, todo)
  }
}

const PLATFORM_RULE: Rule = { id: 'platform', sentence: 'what is synced can be delivered', clause: null }

/**
 * Checks that the output folder is writable, and that the disk has the space that the next run needs there and
 * for an embedded database. If the platform can list its items, also checks that the platform answers correctly:
 * asks it for the number of its items, and for the first items.
 */
export async function checkPlatform(
  context: BaseContext,
  integration: IntegrationConfig,
  database: Database | null = null,
) {
  const { config, outputFolder, secrets } = context
  const fault = whyNotWritable(outputFolder)
  if (fault !== null) {
    return failed(
      PLATFORM_RULE,
      `the output folder ${outputFolder} cannot be written${describeCode(fault)}`,
      `${adviceOn(fault)}, or set output to another folder`,
    )
  }
  const directory = config.database === undefined ? embeddedFolder(secrets) : null
  const needs = await needsOfRun({ database, directory, integrationId: integration.id, outputFolder })
  const full = findFullDisk(needs)
  if (full !== null) return failed(PLATFORM_RULE, full.what, `${full.todo}, or set output to another folder`)
  try {
    return await checkReachable(context, integration)
  } catch (error) {
    if (error instanceof ConfigError) return failedBy(PLATFORM_RULE, error)
    if (isMistake(error)) return failed(PLATFORM_RULE, error.what, error.todo)
    throw error
  }
}

/** Returns true for a mistake in the code of a target outside this package. */
function isMistake(error: unknown): error is PlatformRefusalError & { readonly todo: string } {
  return error instanceof PlatformRefusalError && error.todo !== null
}

/**
 * Checks that the platform can be reached.
 *
 * @throws ConfigError if a secret or certificate is missing or unusable
 */
async function checkReachable(context: BaseContext, integration: IntegrationConfig): Promise<RuleResult> {
  const limits = limitsOf(context, integration)
  try {
    const platformContext = { ...context, limits }
    const reader = platformReaderOf(platformContext, integration, FIRST_CONTACT_SECONDS)
    if (reader !== null) return await checkContact(reader, integration)
    requireUsable(platformContext, integration)
    const { platform } = integration
    return targetTypeOf(platform).writesToPack
      ? ok(PLATFORM_RULE, `operations files can be written in ${context.outputFolder}`)
      : notCheckable(
          PLATFORM_RULE,
          `a platform of type ${platform.type} cannot be queried`,
          'check the result of the first run',
        )
  } finally {
    limits.connections.close()
  }
}

async function checkContact(reader: PlatformReader, integration: IntegrationConfig): Promise<RuleResult> {
  const { url, eventId } = platformOf(integration)
  const where = eventId === '' ? url : `${url}, event ${eventId}`
  try {
    const counts: string[] = []
    for (const content of integration.content) {
      const { total } = await reader.stateOf(content)
      if (total !== null) counts.push(`${counted(total, 'item')} of ${content}`)
    }
    const [content = 'agenda'] = integration.content
    for await (const _page of reader.itemsOf(content)) break
    const has = counts.length === 0 ? '' : `; it has ${withAnd(counts)}`
    const weaker = targetTypeOf(integration.platform).hasFence
      ? ''
      : '; it does not refuse an older run, so a second writer to this event is noticed only by the number of items'
    return ok(PLATFORM_RULE, `the platform at ${where} answers, and its items can be read${has}${weaker}`)
  } catch (error) {
    if (isMistake(error) || !(error instanceof PlatformRefusalError || error instanceof ReadError))
      throw error
    const keys = Object.keys(targetTypeOf(integration.platform).shape).filter((key) => key !== 'type')
    const todo = `check ${keys.map((key) => `platform.${key}`).join(', ')}, and that this machine can reach it`
    return failed(PLATFORM_RULE, `the platform at ${where}: ${error.message}`, todo)
  }
}

const CLAUSE = 'spec 5.2'
const SECRET: Rule = { id: 'passwords.secret', sentence: 'the secret for passwords exists', clause: CLAUSE }
const SENT: Rule = { id: 'passwords', sentence: 'how attendees get a password', clause: CLAUSE }
const PLATFORM: Rule = {
  id: 'passwords.platform',
  sentence: 'the platform protects accounts with such passwords',
  clause: CLAUSE,
}

/**
 * Checks that the secrets for passwords can be used. Also explains the chosen password mode and what to ask
 * the operator of the platform. No text of the result contains a password or its length.
 */
export function checkPasswords(config: Config, integration: IntegrationConfig, secrets: SecretEnvironment) {
  const { passwords, platform } = integration
  const notSent = targetTypeOf(platform).takesPasswords
    ? ''
    : `a platform of type ${platform.type} takes no passwords, so none is sent`
  if (passwords === undefined || !integration.content.includes('attendees')) {
    return [ok(SENT, notSent || 'no attendees are synced, so no password is sent')]
  }
  const wereItSent = notSent === '' ? '' : 'if it were sent: '
  switch (passwords.mode) {
    case 'none':
      return [ok(SENT, 'none: the platform signs people in by other means')]
    case 'global': {
      const means = GLOBAL_MEANS + (passwords.storeEncryptedPassword ? IN_EMAIL : '')
      const isLongEnough = `${passwords.global} holds at least 6 characters`
      return [
        ok(SENT, notSent || 'one password for all of them'),
        resultOf(SECRET, isLongEnough, () => resolveGlobalPassword(integration, secrets)),
        notCheckable(PLATFORM, wereItSent + means, ASK_GLOBAL),
      ]
    }
    case 'random': {
      const isKey = `${config.sealingKey} holds a key of 32 bytes`
      return [
        ok(SENT, notSent || 'a random one of 6 characters for each'),
        resultOf(SECRET, isKey, () => resolveSealingKeys(config, secrets)),
        notCheckable(PLATFORM, wereItSent + RANDOM_MEANS + IN_EMAIL, ASK_RANDOM),
      ]
    }
  }
}

const GLOBAL_MEANS =
  'one password for everybody: anyone who has it can sign in as any attendee whose e-mail address they know, ' +
  'and it stays known after the event; 6 characters can also be guessed if attempts are not limited'

const RANDOM_MEANS =
  "6 random characters for each: nobody can derive another's from their own, but they can be guessed within hours " +
  'if attempts are not limited, or by anyone who obtains what the platform stores'

const IN_EMAIL =
  '; the welcome email contains it as plain text, so the platform stores it in a form that can be read back'

const ASK =
  'make sure that the platform requires a new password at the first sign-in, limits and reports failed attempts, and closes unused accounts after the event'
const ASK_GLOBAL = `${ASK}; or use mode: random`
const ASK_RANDOM = `${ASK}; and that passwords in welcome emails expire`

const LEDGER_RULE: Rule = {
  id: 'ledger',
  sentence:
    'the database is up to date with its packs and its platform, and nobody else writes to that platform event',
  clause: null,
}

/**
 * Checks that the next run could continue from the data of earlier runs.
 *
 * @param canAsk true if the platform answers
 */
export async function checkLedger(
  context: BaseContext,
  integration: IntegrationConfig,
  database: Database,
  canAsk: boolean,
): Promise<RuleResult> {
  const refusal = await findRefusal({ ...context, database }, integration, canAsk).catch((error: unknown) => {
    // A ConfigError comes here if a key is missing with which the suppressions beside the packs were written.
    if (error instanceof ConfigError) return error
    throw error
  })
  return refusal === null
    ? ok(
        LEDGER_RULE,
        'the database is up to date with its packs, and with the platform if that can be queried',
      )
    : failed(LEDGER_RULE, refusal.what, refusal.todo)
}
