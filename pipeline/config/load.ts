import { hash } from 'node:crypto'
import { ConfigError, isPlainKey, plainMessage } from '../settings/errors.ts'
import { type ConfigEnvironment, resolveSecret, type SecretEnvironment } from '../settings/secrets.ts'
import { type SecretReference, section } from '../settings/values.ts'
import { isMapping } from '../settings/yaml.ts'
import { usableDefaults } from './defaults.ts'
import { type ConfigFile, type Mistake, readConfig } from './files.ts'
import { integrationSchemaWith, type OutsideSources } from './integration-schema.ts'
import { unencryptedAddresses } from './rules.ts'
import { type Config, type configSchema, configSchemaWith, type IntegrationConfig } from './schema.ts'

/**
 * Reads and checks a configuration that uses only sources of this package.
 *
 * @throws ConfigError like `checkConfig`
 */
export function loadConfig(path: string, environment: ConfigEnvironment): Config {
  return checkConfig(readConfig(path, environment), environment)
}

/**
 * Checks the configuration. Secrets stay references; `resolveSecret` looks a secret up when it is needed.
 *
 * @param outside sources that the configuration names and that are not part of this package
 * @returns the configuration, deeply frozen, with all defaults filled in
 * @throws ConfigError with all mistakes, each with its file and line
 */
export function checkConfig(
  file: ConfigFile,
  environment: ConfigEnvironment,
  outside: OutsideSources = new Map(),
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
 * Finds mistakes in `defaults` that they have in every integration. Keys of mappings may be missing, because
 * an integration may have them. For the same reason, rules that involve several keys are not checked here.
 *
 * @param file content of a configuration
 */
export function mistakesInDefaults(file: unknown, outside: OutsideSources): readonly Mistake[] {
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

/** Returns true if a key is missing, or the key that tells the forms of a mapping apart. */
function isMissing({ code, input, ...issue }: Issue): boolean {
  if (code !== 'invalid_union' || !('discriminator' in issue)) return input === undefined
  return isMapping(input) && !Object.hasOwn(input, String(issue.discriminator))
}

/** Returns true if a mistake is in an element of a list. Lists are not merged, so nothing can be added. */
function isInList({ path }: Issue): boolean {
  return path.some((key) => typeof key === 'number')
}

type Issue = Extract<ReturnType<typeof configSchema.safeParse>, { success: false }>['error']['issues'][number]

/** Returns the mistakes of a value. If it can have several forms, its kind decides which form was meant. */
export function mistakesOf(issue: Issue): readonly Issue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const meant = issue.errors.filter((issues) => !issues.some(isOtherKind))
  if (meant[0] === undefined || meant.length > 1) return [issue]
  return meant[0].flatMap((one) => mistakesOf({ ...one, path: [...issue.path, ...one.path] }))
}

/** Returns true if the value has another kind than the form, for example text instead of a mapping. */
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
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) deepFreeze(inner)
    Object.freeze(value)
  }
  return value
}

/**
 * Returns a hash of the effective configuration of one integration: SHA-256, in hex, of its canonical JSON.
 *
 * The hash covers the integration with its defaults, `http` and `audit`. It covers neither other integrations
 * nor the places at which this machine stores data (`database`, `output`, `sealingKey`, `formerSealingKeys`).
 * It covers references to secrets, but not their values.
 */
export function configHash({ http, audit }: Config, integration: IntegrationConfig): string {
  return hash('sha256', canonicalJson({ integration, http, audit }))
}

/** Writes JSON without white space, with keys in the order of their UTF-16 units. */
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
 * Returns the one password of all attendees, with at least 6 Unicode characters; null if the integration has
 * none.
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

/** Returns `sealingKey` and `formerSealingKeys`, 32 bytes each; null if no key is configured. */
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
