import { basename, dirname, isAbsolute, join, posix, sep } from 'node:path'
import { describeCode, systemCodeOf } from '../runtime/not-writable.ts'
import { pathFaultOf } from '../runtime/path-fault.ts'
import {
  ConfigError,
  type ConfigProblem,
  GIVEN_CONFIG,
  pathText,
  quoted,
  toConfigError,
} from '../settings/errors.ts'
import type { ConfigEnvironment } from '../settings/secrets.ts'
import { isMapping, type Mapping, mappingOf, type ParsedYaml, parseYaml } from '../settings/yaml.ts'
import { fittingDefaults, isDefault, KEYS_WITHOUT_DEFAULT, usableDefaults, withDefaults } from './defaults.ts'
import { type Breach, nameInList } from './rules.ts'
import { keysOfText } from './schema.ts'

/**
 * All files of a configuration, merged into one value. The object can name the file and line of each value.
 */
export interface ConfigFile {
  /**
   * The content of event-sync.yaml, merged with the files that it includes. `integrations` has the
   * integrations of all files, already merged with their defaults.
   */
  readonly value: unknown
  /** Mistakes that cannot be seen in the value, such as a key that appears twice. */
  readonly problems: readonly ConfigProblem[]
  /** Returns the name by which messages call an integration: `integrations[0]` or `customers/acme.yaml:1`. */
  nameOf(index: number): string
  /** Returns the file and the position where a value is written. */
  placeOf(path: readonly PropertyKey[]): ConfigPlace
  /** Makes the error that reports mistakes in the value, each with its file and line. */
  toError(mistakes: readonly Mistake[]): ConfigError
}

/** A file of the configuration and a position in this file. */
export type ConfigPlace = Omit<ConfigProblem, 'message'>

/** A mistake in the value of a `ConfigFile`. */
export interface Mistake extends Breach {
  /** True if the last key of the path must not be shown, because it may be a secret in the wrong place. */
  readonly isKeyHidden?: boolean
}

/**
 * A file of the configuration that was read. The name of a file is a path from the working directory, or
 * `GIVEN_CONFIG` for a text without a file.
 */
interface ReadFile {
  readonly name: string
  readonly yaml: ParsedYaml
}

/** An integration before the defaults are merged into it. */
interface Written {
  readonly file: ReadFile
  /** Path of the integration in the file. The path is empty if the file contains only this integration. */
  readonly at: readonly PropertyKey[]
  readonly value: unknown
}

/** An integration, and the defaults that can be merged into it. */
interface Integration extends Written {
  readonly defaults: Mapping
}

/**
 * Reads event-sync.yaml, and the files with integrations that it names.
 *
 * @throws ConfigError if a file does not exist, is not YAML or contains no integration
 */
export function readConfig(path: string, environment: ConfigEnvironment): ConfigFile {
  const main = readYaml(path, readMain(path, environment))
  if (!main.yaml.readable) throw toConfigError(path, problemsOf(main))
  const { value } = main.yaml
  if (value === null || value === undefined) {
    throw new ConfigError(`${path} is empty; delete it and ${initWrites}, or ${another}`)
  }
  const written = isMapping(value) ? writtenIn(main, value.integrations, environment) : null
  if (!isMapping(value) || written === null) return toConfigFile(main, value, [])
  const defaults = usableDefaults(value.defaults)
  const integrations = written.map((one) => ({ ...one, defaults: fittingDefaults(defaults, one.value) }))
  const all = integrations.map((one) => withDefaults(one.value, one.defaults))
  return toConfigFile(main, { ...value, integrations: all }, integrations)
}

const initWrites = 'create one with `event-sync init`'
const another = 'name another with -c FILE'

function readMain(path: string, { readFile }: ConfigEnvironment): string {
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

function readYaml(name: string, text: string): ReadFile {
  return { name, yaml: parseYaml(text, keysOfText) }
}

function problemsOf({ name, yaml }: ReadFile): readonly ConfigProblem[] {
  return yaml.problems.map((problem) => ({ file: name, ...problem }))
}

/**
 * Returns the integrations of all files in their order. Returns null if `integrations` is neither a list nor
 * a text; the schema reports this mistake.
 */
function writtenIn(
  main: ReadFile,
  integrations: unknown,
  environment: ConfigEnvironment,
): readonly Written[] | null {
  if (typeof integrations !== 'string' && !Array.isArray(integrations)) return null
  const elements: readonly (readonly [PropertyKey[], unknown])[] = Array.isArray(integrations)
    ? integrations.map((element: unknown, index) => [['integrations', index], element])
    : [[['integrations'], integrations]]
  // If two globs match the same file, the file is read once.
  const read = new Set<string>()
  const problems: ConfigProblem[] = []
  const written = elements.flatMap(([at, element]) => {
    if (typeof element !== 'string') return [{ file: main, at, value: element }]
    const paths = pathsOf(main, element, environment)
    if (paths.length === 0) problems.push(noFile(main, at, element, environment))
    const files = paths
      .filter((path) => !read.has(path))
      .map((path) => ({ path, file: readIntegrationFile(main, path, environment) }))
    for (const path of paths) read.add(path)
    problems.push(...files.flatMap(({ file }) => (file.yaml.readable ? [] : problemsOf(file))))
    return files.flatMap(({ path, file }) => integrationsOf(file, path))
  })
  if (problems.length > 0) throw toConfigError(main.name, [...problemsOf(main), ...problems])
  return written
}

/** Returns the paths that a glob matches. The path of event-sync.yaml is left out. */
function pathsOf({ name }: ReadFile, glob: string, { findFiles }: ConfigEnvironment): readonly string[] {
  const paths = findFiles?.(glob) ?? []
  return paths.filter((path) => path !== basename(name)).toSorted()
}

function noFile(
  main: ReadFile,
  at: readonly PropertyKey[],
  glob: string,
  environment: ConfigEnvironment,
): ConfigProblem {
  const { name, yaml } = main
  const refused = findRefused(main, glob, environment)
  const message =
    refused === null
      ? `${quoted(glob)} matches no file; correct the path, which starts at the folder of this file`
      : `the files of ${quoted(glob)} cannot be found${describeCode(refused)}`
  return { file: name, path: pathText(at), ...yaml.positionOf(at), message }
}

/** Returns why the folder of a glob cannot be read; null if it can. A glob treats such a folder as empty. */
function findRefused(main: ReadFile, glob: string, { readFile }: ConfigEnvironment): unknown {
  const names = glob.split('/')
  const folder = names
    .slice(
      0,
      names.findIndex((name) => WITH_WILDCARD.test(name)),
    )
    .join('/')
  try {
    readFile(fromMain(main, folder))
    return null
  } catch (cause) {
    // The error for a folder that can be read has no path.
    return pathFaultOf(cause) === null ? null : cause
  }
}

const WITH_WILDCARD = /[*?{[(]/

/** Returns a path from the working directory. @param path absolute, or from the folder of event-sync.yaml */
function fromMain(main: ReadFile, path: string): string {
  return isAbsolute(path) || main.name === GIVEN_CONFIG ? path : join(dirname(main.name), path)
}

/** Reads a file with integrations. @param path absolute path, or path from the folder of event-sync.yaml */
function readIntegrationFile(main: ReadFile, path: string, environment: ConfigEnvironment): ReadFile {
  const name = fromMain(main, path)
  const file = readYaml(name, readIntegrationText(main, name, environment))
  const { value, readable } = file.yaml
  const isEmpty = value === null || value === undefined || (Array.isArray(value) && value.length === 0)
  if (!readable || !isEmpty) return file
  const message = 'this file holds no integration; write one, or delete the file'
  const problems = [{ path: '', line: 1, column: 1, message }]
  return { name, yaml: { ...file.yaml, problems, readable: false } }
}

function readIntegrationText(main: ReadFile, name: string, { readFile }: ConfigEnvironment): string {
  try {
    return readFile(name)
  } catch (cause) {
    const what = systemCodeOf(cause) === 'EISDIR' ? 'is a folder' : `cannot be read${describeCode(cause)}`
    const todo = `\`integrations\` of ${main.name} must name only files that can be read`
    throw new ConfigError(`${name} ${what}`, { todo, cause })
  }
}

/** Returns the integrations of a file. The file contains one integration or a list of integrations. */
function integrationsOf(file: ReadFile, path: string): readonly Written[] {
  const { value } = file.yaml
  const folder = dirname(path).split(sep).join(posix.sep)
  const ofFolder = (one: unknown) => (isMapping(one) ? withPathsFrom(folder, one) : one)
  if (!Array.isArray(value)) return [{ file, at: [], value: ofFolder(value) }]
  return value.map((one: unknown, index) => ({ file, at: [index], value: ofFolder(one) }))
}

/** Keys of an integration whose values may contain relative paths. */
const KEYS_WITH_PATHS: ReadonlySet<string> = new Set(['source', 'platform', 'passwords'])

/**
 * Rewrites the relative paths of an integration in a file of its own. The user writes them from the folder of
 * that file, but the product resolves all paths from the folder of event-sync.yaml. A path therefore has the
 * same hash whether it is written in that file or in event-sync.yaml.
 */
function withPathsFrom(folder: string, integration: Mapping): Mapping {
  if (folder === '.') return integration
  const entries = Object.entries(integration).map(([key, value]) => [
    key,
    KEYS_WITH_PATHS.has(key) ? withPaths(value, (path) => posix.join(folder, path)) : value,
  ])
  return Object.fromEntries(entries)
}

function withPaths(value: unknown, moved: (path: string) => string): unknown {
  if (Array.isArray(value)) return value.map((one) => withPaths(one, moved))
  if (isMapping(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withPaths(inner, moved)]))
  }
  if (typeof value !== 'string') return value
  const [, reference] = /^file:(.+)$/.exec(value) ?? []
  if (reference !== undefined) return isAbsolute(reference) ? value : `file:${moved(reference)}`
  if (!/^\.{1,2}[\\/]/.test(value)) return value
  const path = moved(value.replaceAll('\\', '/'))
  return isAbsolute(path) ? path : `./${path}`
}

function unusableDefaults({ name, yaml }: ReadFile): readonly ConfigProblem[] {
  const defaults = mappingOf(mappingOf(yaml.value).defaults)
  return [...KEYS_WITHOUT_DEFAULT]
    .filter((key) => Object.hasOwn(defaults, key))
    .map((key) => ({
      file: name,
      path: `defaults.${key}`,
      ...yaml.positionOf(['defaults', key]),
      message: `cannot be a default, because each integration has its own ${key}; remove it here`,
    }))
}

function toConfigFile(main: ReadFile, value: unknown, integrations: readonly Integration[]): ConfigFile {
  const files = new Set([main, ...integrations.map(({ file }) => file)])
  const known = [...files].flatMap(problemsOf).concat(unusableDefaults(main))
  const nameOf = (index: number) => {
    const one = integrations[index]
    if (one === undefined) return nameInList(index)
    return one.file === main ? pathText(one.at) : `${one.file.name}:${one.file.yaml.positionOf(one.at).line}`
  }
  return {
    value,
    problems: known,
    nameOf,
    placeOf(path) {
      const { message: _, ...place } = locate(main, integrations, { path, message: '' }).problem
      return place
    },
    toError: (mistakes) => {
      const found = mistakes.map((mistake) => locate(main, integrations, mistake))
      return toConfigError(main.name, [...known, ...reportedOnce(found, integrations.length, nameOf)])
    },
  }
}

/**
 * A mistake with its file and line. If the mistake is in a default, `taker` is the index of the integration
 * into which the default was merged.
 */
interface Located {
  readonly problem: ConfigProblem
  readonly taker: number | null
}

function locate(
  main: ReadFile,
  integrations: readonly Integration[],
  { path, message, isKeyHidden = false }: Mistake,
): Located {
  const [top, index, ...inner] = path
  const one = top === 'integrations' && typeof index === 'number' ? integrations[index] : undefined
  const taker = one !== undefined && isDefault(one.value, one.defaults, inner) ? Number(index) : null
  const file = one === undefined || taker !== null ? main : one.file
  const place = one === undefined ? path : taker === null ? [...one.at, ...inner] : ['defaults', ...inner]
  const shown = pathText(isKeyHidden ? place.slice(0, -1) : place)
  return { problem: { file: file.name, path: shown, ...file.yaml.positionOf(place), message }, taker }
}

/**
 * Reports a mistake in a default only once, even if the default was merged into several integrations. If only
 * some integrations have the mistake, the message names the first integration that has it.
 */
function reportedOnce(
  found: readonly Located[],
  all: number,
  nameOf: ConfigFile['nameOf'],
): readonly ConfigProblem[] {
  const groups = Map.groupBy(found, ({ problem }) => JSON.stringify(problem))
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const { problem, taker } = first
    if (taker === null || group.length === all) return [problem]
    const others = group.length === 1 ? '' : ` and ${group.length - 1} more`
    return [{ ...problem, message: `${problem.message} (in ${nameOf(taker)}${others})` }]
  })
}
