import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, dirname, join, sep } from 'node:path'

/** A Node with which packages are installed and run. */
export interface Runtime {
  readonly version: string
  /** Path of the program. */
  readonly node: string
  /** Environment of a shell with this Node, without anything of this project. */
  readonly env: Readonly<Record<string, string>>
}

/**
 * Returns the Node that the machine has installed, as a user of the package would use it, and the Node that
 * runs this.
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
  // Variables of `npm run` are removed: they would lead the npm of the test back to this project.
  const kept = Object.entries(process.env).filter(([name]) => !/^(?:npm_|NODE|INIT_CWD|PATH$)/i.test(name))
  const env = Object.fromEntries(kept.map(([name, value]) => [name, value ?? '']))
  return { version, node, env: { ...env, PATH: path.join(delimiter) } }
}
