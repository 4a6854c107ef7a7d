import { unencryptedAddresses } from './encryption.ts'
import { ConfigError, type ConfigProblem, toConfigError } from './errors.ts'
import { isPlainKey, plainMessage } from './messages.ts'
import { type Config, configSchema, keysOfText } from './schema.ts'
import type { ConfigEnvironment } from './secrets.ts'
import { type ParsedYaml, parseYaml } from './yaml.ts'

/**
 * Reads and checks the configuration file. Secrets stay references; `resolveSecret` looks one up when due.
 *
 * @returns the configuration, every default filled in, frozen to its leaves
 * @throws ConfigError with every mistake of the file at once, each with its line
 */
export function loadConfig(path: string, environment: ConfigEnvironment): Config {
  const yaml = parseYaml(readConfigFile(path, environment), keysOfText)
  if (!yaml.readable) throw toConfigError(path, yaml.problems)
  if (yaml.value === null || yaml.value === undefined) {
    throw new ConfigError(`${path} is empty; take it away and ${initWrites}, or ${another}`)
  }
  const result = configSchema.safeParse(yaml.value, { error: plainMessage })
  const problems = [
    ...yaml.problems,
    ...(result.error?.issues ?? []).flatMap((issue) => toProblems(issue, yaml)),
    ...(environment.insecureHttp === true ? [] : unencryptedAddresses(yaml.value)).map((breach) => ({
      path: pathText(breach.path),
      ...yaml.positionOf([...breach.path]),
      message: breach.message,
    })),
  ]
  if (!result.success || problems.length > 0) throw toConfigError(path, problems)
  return deepFreeze(result.data)
}

const initWrites = '`event-sync init` writes one'
const another = '-c FILE names another'

function readConfigFile(path: string, { readFile }: ConfigEnvironment): string {
  try {
    return readFile(path)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    if (code === 'ENOENT') throw new ConfigError(`${path} is not there; ${initWrites}, ${another}`, { cause })
    if (code === 'EISDIR') throw new ConfigError(`${path} is a folder; ${another}`, { cause })
    throw new ConfigError(`${path} cannot be read (${code || 'unknown fault'}); ${another}`, { cause })
  }
}

type Issue = Extract<ReturnType<typeof configSchema.safeParse>, { success: false }>['error']['issues'][number]

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

/** `['integrations', 0, 'id']` as `integrations[0].id`. */
function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((segment, index) =>
      typeof segment === 'number' ? `[${segment}]` : index === 0 ? String(segment) : `.${String(segment)}`,
    )
    .join('')
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) deepFreeze(inner)
    Object.freeze(value)
  }
  return value
}
