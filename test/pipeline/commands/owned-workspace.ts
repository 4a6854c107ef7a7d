import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CLI, start } from './command-line.ts'
import { begin } from './rename-small-event.ts'
import type { Workspace } from './workspace.ts'

export const isRoot = process.platform === 'linux' && process.getuid?.() === 0

/** A user id that no user of the machine has, such as the one of a container. */
export const UID = 47_110
export const PREFIX = `setpriv --reuid=${UID} --regid=${UID} --clear-groups`

/** Makes a workspace that belongs to the user of a service, with its output folder. */
export async function beginAsService(engine: 'postgres' | 'pglite' = 'postgres') {
  const { source, workspace } = await begin(engine)
  mkdirSync(join(workspace.folder, 'out'), { mode: 0o700 })
  chmodSync(dirname(workspace.folder), 0o755)
  chown(workspace.folder)
  return { source, workspace }
}

const chown = (path: string) => execFileSync('chown', ['-R', `${UID}:${UID}`, path])

export function runAs(prefix: string, { folder, env }: Workspace, ...args: readonly string[]) {
  const [program = '', ...words] = [...prefix.split(' ').filter(Boolean), process.execPath, CLI, ...args]
  return start(program, words, { folder, env }).ended
}
