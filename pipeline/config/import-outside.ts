import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import * as module from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { mappingOf } from '../settings/yaml.ts'
import type { AnySourceType } from '../sources/contract/source-type.ts'
import { isSource } from '../sources/define-source.ts'
import { SOURCES } from '../sources/registry.ts'
import { isTarget } from '../targets/define-target.ts'
import { TARGETS } from '../targets/registry.ts'
import type { OutsideTarget } from '../targets/target-type.ts'
import { type ConfigFile, NOTHING_OUTSIDE, type Outside } from './config.ts'
import type { Mistake } from './files.ts'
import { importFailure } from './import-failure.ts'

/** One of the two keys of an integration whose `type` may name a file or a package. */
interface Kind<Type> {
  readonly key: 'source' | 'platform'
  /** The types of this package. */
  readonly own: object
  /** What the file defines, for messages. */
  readonly what: 'source' | 'target'
  readonly define: 'defineSource' | 'defineTarget'
  isType(value: unknown): value is Type
  /** @param revision SHA-256 of the file */
  toType(type: Type, revision: string): Type
}

const SOURCE: Kind<AnySourceType> = {
  key: 'source',
  own: SOURCES,
  what: 'source',
  define: 'defineSource',
  isType: isSource,
  // The revision of the file is part of the rules by which records are read. After a change of the file, the
  // product therefore reads all records again.
  toType: (type, revision) => ({ ...type, transform: { ...type.transform, revision } }),
}

const TARGET: Kind<OutsideTarget> = {
  key: 'platform',
  own: TARGETS,
  what: 'target',
  define: 'defineTarget',
  isType: isTarget,
  toType: (type) => type,
}

/**
 * Imports sources and targets that are not part of this package. The configuration names each of these by a
 * path or a package: `source: {type: ./sources/example.ts}`. A type that is neither a path nor a package is
 * skipped here; the check of the configuration reports it.
 *
 * @param folder folder of the configuration, in which the search for paths and packages starts
 * @throws ConfigError if a file cannot be imported, or does not export a source or target
 */
export async function importOutside(file: ConfigFile, folder: string): Promise<Outside> {
  const [ofSources, ofTargets] = [othersNamed(SOURCE, file), othersNamed(TARGET, file)]
  if (ofSources.size + ofTargets.size === 0) return NOTHING_OUTSIDE
  const mistakes: Mistake[] = []
  const hooks = provideOwnPackage()
  try {
    const sources = await importTypes(SOURCE, ofSources, folder, mistakes)
    const targets = await importTypes(TARGET, ofTargets, folder, mistakes)
    if (mistakes.length > 0) throw file.toError(mistakes)
    return { sources, targets }
  } finally {
    hooks.deregister()
  }
}

const OWN_NAME = 'event-content-sync'

/**
 * Lets every file import this package by its name. Without these hooks, Node finds the package only in a
 * `node_modules` above the file, and not in a container or after `npm install --global`. A second copy of the
 * package would not help, because its `defineSource` makes values that this process does not know.
 */
function provideOwnPackage() {
  // The function is called as a member of the module object, because old versions of Node do not have it.
  return module.registerHooks({
    resolve(name, context, next) {
      const isOwn = name === OWN_NAME || name.startsWith(`${OWN_NAME}/`)
      return next(name, isOwn ? { ...context, parentURL: import.meta.url } : context)
    },
  })
}

/**
 * Returns each type that the configuration names and that is not part of this package, with the indexes of the
 * integrations that name it. The configuration is not checked yet.
 */
function othersNamed({ key, own }: Kind<unknown>, { value }: ConfigFile): ReadonlyMap<string, number[]> {
  const named = new Map<string, number[]>()
  const { integrations } = mappingOf(value)
  const all: readonly unknown[] = Array.isArray(integrations) ? integrations : []
  for (const [index, integration] of all.entries()) {
    const { type } = mappingOf(mappingOf(integration)[key])
    if (typeof type !== 'string' || type in own) continue
    const indexes = named.get(type) ?? []
    named.set(type, indexes)
    indexes.push(index)
  }
  return named
}

async function importTypes<Type extends { readonly name: string }>(
  { key, what, define, isType, toType }: Kind<Type>,
  named: ReadonlyMap<string, readonly number[]>,
  folder: string,
  mistakes: Mistake[],
): Promise<ReadonlyMap<string, Type>> {
  const found = new Map<string, Type>()
  for (const [type, indexes] of named) {
    const fail = (message: string) =>
      mistakes.push(...indexes.map((index) => ({ path: ['integrations', index, key, 'type'], message })))
    const path = findModule(type, folder)
    if (path === null) continue
    try {
      const revision = hash('sha256', readFileSync(path))
      // Node imports each URL only once, so a changed file needs a new URL. The URL contains the hash of the
      // file.
      const url = `${pathToFileURL(path).href}?${revision}`
      const imported: { readonly default?: unknown } = await import(url)
      if (!isType(imported.default)) {
        fail(
          `${type} exports no ${what}: it must contain \`export default ${define}({…})\`, with ${define} imported from ${OWN_NAME}/${what}`,
        )
        continue
      }
      const { name } = imported.default
      const [other] = [...found].find(([, one]) => one.name === name) ?? []
      if (other !== undefined) fail(`${type} and ${other} are both called ${name}; give one another name`)
      else found.set(type, toType(imported.default, revision))
    } catch (error) {
      fail(importFailure(type, path, error))
    }
  }
  return found
}

/**
 * Returns the path of the module that a type names. A package may be installed above the configuration, or
 * beside this package. Returns null if the type is neither a path nor an installed package.
 */
function findModule(type: string, folder: string): string | null {
  if (/^(?:\.{1,2}[\\/]|[\\/]|[A-Za-z]:[\\/])/.test(type)) return resolve(folder, type)
  return findPackage(type, join(folder, 'event-sync.yaml')) ?? findPackage(type, import.meta.url)
}

/** @param from path or URL of the file that would import the package */
function findPackage(name: string, from: string): string | null {
  try {
    return module.createRequire(from).resolve(name)
  } catch {
    return null
  }
}
