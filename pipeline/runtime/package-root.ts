import { readFileSync } from 'node:fs'
import * as module from 'node:module'
import { dirname } from 'node:path'

// The function is called through the module object. An old Node without the function can then still load this
// file,
// and `require-node.ts` can refuse that Node.
const packageFile = module.findPackageJSON(import.meta.url)
if (packageFile === undefined) throw new Error('event-content-sync is not installed as a package')

/** Folder of the package: the clone during development, otherwise the installed package. */
export const packageRoot = dirname(packageFile)

export const productVersion: string = JSON.parse(readFileSync(packageFile, 'utf8')).version
