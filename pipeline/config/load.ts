import { hash } from 'node:crypto'
import { describeCode, systemCodeOf } from '../runtime/not-writable.ts'
import {
  ConfigError,
  type ConfigProblem,
  isPlainKey,
  plainMessage,
  toConfigError,
} from '../settings/errors.ts'
import { type ConfigEnvironment, resolveSecret, type SecretEnvironment } from '../settings/secrets.ts'
import type { SecretReference } from '../settings/values.ts'
import { type ParsedYaml, parseYaml } from '../settings/yaml.ts'
import type { OutsideSources } from './integration-schema.ts'
import { unencryptedAddresses } from './rules.ts'
import {
  type Config,
  type configSchema,
  configSchemaWith,
  type IntegrationConfig,
  keysOfText,
} from './schema.ts'

export interface ConfigFile {
  readonly path: string
  readonly yaml: ParsedYaml
}

/** Reads a configuration file. @throws ConfigError if the file does not exist or is not YAML */
export function readConfig(path: string, environment: ConfigEnvironment): ConfigFile {
  const yaml = parseYaml(readConfigFile(path, environment), keysOfText)
  if (!yaml.readable) throw toConfigError(path, yaml.problems)
  if (yaml.value === null || yaml.value === undefined) {
    throw new ConfigError(`${path} is empty; delete it and ${initWrites}, or ${another}`)
  }
  return { path, yaml }
}

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
 * @throws ConfigError with all mistakes of the file, each with its line
 */
export function checkConfig(
  { path, yaml }: ConfigFile,
  environment: ConfigEnvironment,
  outside: OutsideSources = new Map(),
): Config {
  const result = configSchemaWith(outside).safeParse(yaml.value, { error: plainMessage })
  const problems = [
    ...yaml.problems,
    ...(result.error?.issues ?? []).flatMap(mistakesOf).flatMap((issue) => toProblems(issue, yaml)),
    ...(environment.insecureHttp === true ? [] : unencryptedAddresses(yaml.value)).map(
      ({ path: keys, message }) => ({ path: pathText(keys), ...yaml.positionOf(keys), message }),
    ),
  ]
  if (!result.success || problems.length > 0) throw toConfigError(path, problems)
  return deepFreeze(result.data)
}

const initWrites = 'create one with `event-sync init`'
const another = 'name another with -c FILE'

function readConfigFile(path: string, { readFile }: ConfigEnvironment): string {
  try {
    return readFile(path)
  } catch (cause) {
    const code = systemCodeOf(cause)
    if (code === 'ENOENT')
      throw new ConfigError(`${path} does not exist; ${initWrites}, or ${another}`, { cause })
    if (code === 'EISDIR') throw new ConfigError(`${path} is a folder; ${another}`, { cause })
    throw new ConfigError(`${path} cannot be read${describeCode(cause)}; ${another}`, { cause })
  }
}

type Issue = Extract<ReturnType<typeof configSchema.safeParse>, { success: false }>['error']['issues'][number]

/** Returns the mistakes of a value. If it can have several forms, its kind decides which form was meant. */
function mistakesOf(issue: Issue): readonly Issue[] {
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

function toProblems(issue: Issue, yaml: ParsedYaml): ConfigProblem[] {
  if (issue.code !== 'unrecognized_keys') {
    return [{ path: pathText(issue.path), ...yaml.positionOf(issue.path), message: issue.message }]
  }
  const messages = issue.message.split('\n')
  return issue.keys.map((key, index) => ({
    path: pathText(isPlainKey(key) ? [...issue.path, key] : issue.path),
    ...yaml.positionOf([...issue.path, key]),
    message: messages[index] ?? 'unknown key',
  }))
}

/** Formats a path: `['integrations', 0, 'id']` becomes `integrations[0].id`. */
function pathText(path: readonly PropertyKey[]): string {
  const segments = path.map((one) => (typeof one === 'number' ? `[${one}]` : `.${String(one)}`))
  return segments.join('').replace(/^\./, '')
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
