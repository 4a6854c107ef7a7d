import { readFileSync } from 'node:fs'
import * as module from 'node:module'
import { dirname } from 'node:path'

// By the module's name: a Node that lacks the function still loads this file, and `require-node.ts` can refuse it.
const packageFile = module.findPackageJSON(import.meta.url)
if (packageFile === undefined) throw new Error('event-content-sync is not installed as a package')

/** Folder of the package: the clone while developing, the installed package otherwise. */
export const packageRoot = dirname(packageFile)

export const productVersion: string = JSON.parse(readFileSync(packageFile, 'utf8')).version
