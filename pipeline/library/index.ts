/**
 * Entry `event-content-sync` of the package: the commands as functions. pipeline/library/README.md has an
 * example.
 */
import './require-node.ts'

export type { OpenOptions } from './options.ts'
export { CommandError, open, type Project } from './project.ts'
export type * from './results.ts'
