import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, dirname, join, sep } from 'node:path'

/** An installation of Node with which the package is installed and run. */
export interface Runtime {
  readonly version: string
  /** Path of the program. */
  readonly node: string
  /**
   * Environment variables of a shell that uses this Node. The variables contain nothing that refers to this
   * project.
   */
  readonly env: Readonly<Record<string, string>>
}

/**
 * Returns two installations of Node. A user of the package would use the Node of the machine. The other Node
 * runs this script.
 */
export function runtimes(): readonly Runtime[] {
  const outside = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((part) => !part.includes(`node_modules${sep}.bin`) && !part.includes('node-gyp-bin'))
  const folder = outside.find((part) => existsSync(join(part, 'node')))
  const own = folder === undefined ? [] : [toRuntime(join(folder, 'node'), outside)]
  const brought = toRuntime(process.execPath, [dirname(process.execPath), ...outside])
  const all = own.some(({ version }) => version === brought.version) ? [brought] : [...own, brought]
  if (!all.some(({ version }) => version.startsWith('v20.'))) {
    console.log('this machine has no Node 20 of its own, so the package is not tried under it')
  }
  return all
}

function toRuntime(node: string, path: readonly string[]): Runtime {
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()
  // Variables that `npm run` sets are removed. With the variables of `npm run`, the npm of the test would
  // work on this project instead of the test's folder.
  const kept = Object.entries(process.env).filter(([name]) => !/^(?:npm_|NODE|INIT_CWD|PATH$)/i.test(name))
  const env = Object.fromEntries(kept.map(([name, value]) => [name, value ?? '']))
  return { version, node, env: { ...env, PATH: path.join(delimiter) } }
}
