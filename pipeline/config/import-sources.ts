import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import { messageOf } from '../runtime/message-of.ts'
import type { AnySourceType } from '../sources/contract/source-type.ts'
import { isSource } from '../sources/define-source.ts'
import { SOURCES } from '../sources/registry.ts'
import type { ConfigFile, OutsideSources } from './config.ts'
import type { Mistake } from './files.ts'

const namedTypes = z.object({
  integrations: z.array(z.looseObject({ source: z.looseObject({ type: z.string() }) }).catch(() => NONE)),
})
const NONE = { source: { type: 'a' } }

/**
 * Imports sources that are not part of this package. The configuration names such a source by a path or a
 * package: `source: {type: ./sources/example.ts}`. A type that is neither a path nor a package is skipped
 * here; the check of the configuration reports it.
 *
 * @param folder folder of the configuration, in which the search for paths and packages starts
 * @throws ConfigError if a file cannot be imported, or does not export a source
 */
export async function importSources(file: ConfigFile, folder: string): Promise<OutsideSources> {
  const found = new Map<string, AnySourceType>()
  const mistakes: Mistake[] = []
  const named = namedTypes.safeParse(file.value).data?.integrations ?? []
  for (const [index, { source }] of named.entries()) {
    const { type } = source
    if (type in SOURCES || found.has(type)) continue
    const fail = (message: string) =>
      mistakes.push({ path: ['integrations', index, 'source', 'type'], message })
    const path = findModule(type, folder)
    if (path === null) continue
    try {
      const revision = hash('sha256', readFileSync(path))
      // Node imports each URL only once, so a changed file needs a new URL. The URL contains the hash of the
      // file.
      const url = `${pathToFileURL(path).href}?${revision}`
      const module: { readonly default?: unknown } = await import(url)
      if (!isSource(module.default)) {
        fail(
          `${type} exports no source: it must contain \`export default defineSource({…})\`, with defineSource imported from the running event-content-sync, ${OWN}`,
        )
        continue
      }
      const { name, transform } = module.default
      const [other] = [...found].find(([, one]) => one.name === name) ?? []
      if (other !== undefined) fail(`${type} and ${other} are both called ${name}; give one another name`)
      // The revision of the file is part of the rules by which records are read. After a change of the file,
      // the product therefore reads all records again.
      else found.set(type, { ...module.default, transform: { ...transform, revision } })
    } catch (error) {
      fail(`${type} cannot be imported: ${messageOf(error)}; correct the file or its imports`)
    }
  }
  if (mistakes.length > 0) throw file.toError(mistakes)
  return found
}

const OWN = join(import.meta.dirname, '../..')

/**
 * Returns the path of the module that a source type names. Returns null if the type is neither a path nor an
 * installed package.
 */
function findModule(type: string, folder: string): string | null {
  if (/^(?:\.{1,2}[\\/]|[\\/]|[A-Za-z]:[\\/])/.test(type)) return resolve(folder, type)
  try {
    return createRequire(join(folder, 'event-sync.yaml')).resolve(type)
  } catch {
    return null
  }
}
