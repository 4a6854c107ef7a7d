import { execFileSync } from 'node:child_process'
import { delimiter, dirname, join, sep } from 'node:path'

/** An installation of Node with which the package is installed and run. */
export interface Runtime {
  readonly version: string
  readonly major: number
  /** Path of the program. */
  readonly node: string
  /**
   * Environment variables of a shell that uses this Node. The variables contain nothing that refers to this
   * project.
   */
  readonly env: Readonly<Record<string, string>>
}

/** The Node that runs this script. */
export const thisRuntime = () => toRuntime(process.execPath)

/** Returns Node 20 and 22 of the tools, and the Node that runs this script. */
export function runtimes(tools: string): readonly Runtime[] {
  const installed = ['node20', 'node22'].map((name) => join(tools, 'node_modules', name, 'bin', 'node'))
  return [...installed.map(toRuntime), thisRuntime()]
}

function toRuntime(node: string): Runtime {
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()
  const outside = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((part) => !part.includes(`node_modules${sep}.bin`) && !part.includes('node-gyp-bin'))
  // Variables that `npm run` sets are removed. With the variables of `npm run`, the npm of the test would
  // work on this project instead of the test's folder.
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_|NODE$|NODE_OPTIONS$|INIT_CWD|PATH$)/i.test(name),
  )
  const env = Object.fromEntries(kept.map(([name, value]) => [name, value ?? '']))
  return {
    version,
    major: Number(version.slice(1).split('.')[0]),
    node,
    env: { ...env, PATH: [dirname(node), ...outside].join(delimiter) },
  }
}
