/** `event-content-sync`: the commands as functions. pipeline/README.md shows them in use. */
import './require-node.ts'
import type * as project from './project.ts'

// Later than the line above: an older Node cannot even load it.
const loaded: typeof project = await import('./project.ts')

export type { OpenOptions, Project } from './project.ts'
export type * from './results.ts'
export const { CommandError, open } = loaded
export type CommandError = project.CommandError
