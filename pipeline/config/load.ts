import { hash } from 'node:crypto'
import type { ExcludeRule } from '../../transforms/declare/contents.ts'
import { namesPeople } from '../../transforms/rules/platform.ts'
import { ConfigError, isPlainKey, plainMessage } from '../settings/errors.ts'
import { type ConfigEnvironment, resolveSecret, type SecretEnvironment } from '../settings/secrets.ts'
import { type SecretReference, section } from '../settings/values.ts'
import { isMapping } from '../settings/yaml.ts'
import { usableDefaults } from './defaults.ts'
import { type ConfigFile, type Mistake, readConfig } from './files.ts'
import { integrationSchemaWith, NOTHING_OUTSIDE, type Outside } from './integration-schema.ts'
import { unencryptedAddresses } from './rules.ts'
import { type Config, type configSchema, configSchemaWith, type IntegrationConfig } from './schema.ts'

/**
 * Reads and checks a configuration that uses only sources and targets of this package.
 *
 * @throws ConfigError as `checkConfig` does
 */
export function loadConfig(path: string, environment: ConfigEnvironment): Config {
  return checkConfig(readConfig(path, environment), environment)
}

/**
 * Checks the configuration and fills in all defaults. References to secrets are not resolved; `resolveSecret`
 * reads a secret when the product needs it.
 *
 * @param outside the sources and targets that the configuration names and that are not part of this package
 * @returns the configuration, deeply frozen
 * @throws ConfigError with all mistakes, each with its file and line
 */
export function checkConfig(
  file: ConfigFile,
  environment: ConfigEnvironment,
  outside: Outside = NOTHING_OUTSIDE,
): Config {
  const { value, problems, nameOf } = file
  const result = configSchemaWith(outside, nameOf).safeParse(value, { error: plainMessage })
  const mistakes = [
    ...mistakesInDefaults(value, outside),
    ...(result.error?.issues ?? []).flatMap(mistakesOf).flatMap(toMistakes),
    ...(environment.insecureHttp === true ? [] : unencryptedAddresses(value)),
  ]
  if (!result.success || mistakes.length + problems.length > 0) throw file.toError(mistakes)
  const { defaults, ...config } = result.data
  return deepFreeze(config)
}

/**
 * Finds the mistakes in `defaults` that are mistakes in every integration. Missing keys are not reported,
 * because an integration may have these keys. Rules that compare several keys are not checked here, because
 * an integration may have some of these keys.
 *
 * @param file content of the configuration file
 */
export function mistakesInDefaults(file: unknown, outside: Outside): readonly Mistake[] {
  const defaults = isMapping(file) ? usableDefaults(file.defaults) : {}
  if (Object.keys(defaults).length === 0) return []
  const integration = section(integrationSchemaWith(outside).shape)
  const { error } = integration.safeParse(defaults, { error: plainMessage, reportInput: true })
  return (error?.issues ?? [])
    .flatMap(mistakesOf)
    .filter((issue) => !isMissing(issue) || isInList(issue))
    .flatMap(toMistakes)
    .map((mistake) => ({ ...mistake, path: ['defaults', ...mistake.path] }))
}

/** Returns true if the mistake is a missing key, or a mapping without the key that tells its forms apart. */
function isMissing({ code, input, ...issue }: Issue): boolean {
  if (code !== 'invalid_union' || !('discriminator' in issue)) return input === undefined
  return isMapping(input) && !Object.hasOwn(input, String(issue.discriminator))
}

/**
 * Returns true if a mistake is in an element of a list. Defaults are not merged into lists, so an integration
 * cannot add what is missing there.
 */
function isInList({ path }: Issue): boolean {
  return path.some((key) => typeof key === 'number')
}

type Issue = Extract<ReturnType<typeof configSchema.safeParse>, { success: false }>['error']['issues'][number]

/**
 * Returns the mistakes in a value. If the value can have several forms, only mistakes of the form with the
 * same type (text, list, mapping) are returned.
 */
export function mistakesOf(issue: Issue): readonly Issue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const meant = issue.errors.filter((issues) => !issues.some(isOtherKind))
  if (meant[0] === undefined || meant.length > 1) return [issue]
  return meant[0].flatMap((one) => mistakesOf({ ...one, path: [...issue.path, ...one.path] }))
}

/**
 * Returns true if the value has another type than the form, for example if it is a text instead of a mapping.
 */
function isOtherKind({ path, ...issue }: Issue): boolean {
  if (path.length > 0) return false
  if (issue.code === 'invalid_union') return issue.errors.every((issues) => issues.some(isOtherKind))
  return issue.code === 'invalid_type' || issue.code === 'invalid_value'
}

function toMistakes(issue: Issue): Mistake[] {
  if (issue.code !== 'unrecognized_keys') return [{ path: issue.path, message: issue.message }]
  const messages = issue.message.split('\n')
  return issue.keys.map((key, index) => ({
    path: [...issue.path, key],
    isKeyHidden: !isPlainKey(key),
    message: messages[index] ?? 'unknown key',
  }))
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    for (const inner of Object.values(value)) deepFreeze(inner)
    Object.freeze(value)
  }
  return value
}

/**
 * Returns the effective configuration of one integration as canonical JSON. Runs store this text, and evidence
 * for auditors contains it.
 *
 * The text has `http`, `audit` and the integration with its defaults. Other integrations do not affect the
 * text. The keys `database`, `output`, `sealingKey` and `formerSealingKeys` do not affect it either, because
 * they only say where this machine stores data. The receivers of messages do not affect it, because they do
 * not change what is synced. The text has references to secrets, but not the values of secrets.
 *
 * A rule of `exclude` may compare a field with values of people, such as e-mail addresses. These values are
 * replaced by `(hidden)`.
 */
export function configurationOf({ http, audit }: Config, { exclude, ...integration }: IntegrationConfig) {
  const rules = exclude === undefined ? {} : { exclude: exclude.map(withoutValuesOfPeople) }
  return canonicalJson({ integration: { ...integration, ...rules }, http, audit })
}

/** Returns the SHA-256 of the effective configuration of one integration, in hexadecimal. */
export function configHash(config: Config, integration: IntegrationConfig): string {
  return hash('sha256', configurationOf(config, integration))
}

/** Hides the values with which a rule compares fields of speakers and attendees, and ids of people. */
function withoutValuesOfPeople(rule: ExcludeRule): ExcludeRule {
  const isOfPeople = (field: string) =>
    rule.contents.some((content) => content !== 'agenda' || namesPeople(content, field))
  const fields = Object.entries(rule.fields).map(([field, condition]) =>
    'values' in condition && isOfPeople(field)
      ? [field, { ...condition, values: condition.values.map(() => '(hidden)') }]
      : [field, condition],
  )
  return { ...rule, fields: Object.fromEntries(fields) }
}

/** Writes JSON without white space. Keys are sorted by their UTF-16 code units. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}

const shortestPassword = 6
const sealingKeyBytes = 32

/**
 * Returns the password that all attendees of an integration share. A global password has at least 6 Unicode
 * characters. Returns null if no such password is configured.
 */
export function resolveGlobalPassword({ id, passwords }: IntegrationConfig, environment: SecretEnvironment) {
  if (passwords?.mode !== 'global') return null
  const what = `passwords.global of ${id}`
  const password = resolveSecret(passwords.global, environment, what)
  if ([...password.reveal()].length >= shortestPassword) return password
  throw new ConfigError(`${what}: the password in ${passwords.global} is too short`, {
    todo: `use at least ${shortestPassword} characters`,
  })
}

/**
 * Returns the keys of `sealingKey` and `formerSealingKeys`. Each sealing key has 32 bytes. Returns null if
 * `sealingKey` is not configured.
 */
export function resolveSealingKeys(
  { sealingKey, formerSealingKeys = [] }: Config,
  environment: SecretEnvironment,
): readonly [Buffer, ...Buffer[]] | null {
  if (sealingKey === undefined) return null
  const resolve = (reference: SecretReference, key: string) => {
    const text = resolveSecret(reference, environment, key).reveal()
    const bytes = Buffer.from(text, 'base64')
    if (bytes.length === sealingKeyBytes && bytes.toString('base64') === text) return bytes
    throw new ConfigError(`${key}: the secret ${reference} is not 32 bytes in base64`, {
      todo: 'create one with `openssl rand -base64 32`',
    })
  }
  return [
    resolve(sealingKey, 'sealingKey'),
    ...formerSealingKeys.map((one, at) => resolve(one, `formerSealingKeys[${at}]`)),
  ]
}
