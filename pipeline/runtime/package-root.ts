import { readFileSync } from 'node:fs'
import * as module from 'node:module'
import { dirname } from 'node:path'

// The function is called as a member of the module object, because old versions of Node do not have it. An
// old version of Node can then still load this file, so that `require-node.ts` can print that the version is
// too old.
const packageFile = module.findPackageJSON(import.meta.url)
if (packageFile === undefined) throw new Error('event-content-sync is not installed as a package')

/** Folder of the package. During development, it is the folder of the clone. */
export const packageRoot = dirname(packageFile)

export const productVersion: string = JSON.parse(readFileSync(packageFile, 'utf8')).version
