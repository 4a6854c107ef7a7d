import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A program with its first arguments. */
type Words = readonly [program: string, ...args: string[]]

/** A way to install the package. */
export interface Manager {
  readonly name: string
  /** Command that installs a tarball. */
  add(tarball: string): Words
  /** Command that runs `event-sync`, before the arguments of `event-sync`. */
  readonly exec: Words
  /** Folder with the installed package, and folder with its command. */
  readonly installed: string
  readonly bin: string
  /** Writes the files that the manager needs in a new folder. */
  prepare?(folder: string): void
}

const NAME = 'event-content-sync'
const LOCAL = { installed: join('node_modules', NAME), bin: join('node_modules', '.bin') }
const QUIET = ['--no-audit', '--no-fund', '--prefer-offline']

export const npm: Manager = {
  name: 'npm',
  add: (tarball) => ['npm', 'install', tarball, ...QUIET],
  exec: ['npx', '--no-install', 'event-sync'],
  ...LOCAL,
}

/** Returns the ways to install the package: by npm, and by the managers among the tools. */
export function managers(tools: string): readonly Manager[] {
  const inTools = (...path: readonly string[]) => join(tools, 'node_modules', ...path)
  const pnpm = inTools('pnpm', 'bin', 'pnpm.mjs')
  const yarn1 = inTools('yarn1', 'bin', 'yarn.js')
  const yarn4 = inTools('yarn4', 'bin', 'yarn.js')
  return [
    npm,
    {
      name: 'npm --global',
      add: (tarball) => ['npm', 'install', '--global', '--prefix', '.', tarball, ...QUIET],
      exec: [join('.', 'bin', 'event-sync')],
      installed: join('lib', 'node_modules', NAME),
      bin: 'bin',
    },
    {
      name: 'pnpm',
      add: (tarball) => ['node', pnpm, 'add', tarball],
      exec: ['node', pnpm, 'exec', 'event-sync'],
      ...LOCAL,
    },
    {
      name: 'yarn 1',
      add: (tarball) => ['node', yarn1, 'add', tarball, '--no-progress'],
      exec: ['node', yarn1, '--silent', 'run', 'event-sync'],
      ...LOCAL,
    },
    {
      name: 'yarn 4',
      add: (tarball) => ['node', yarn4, 'add', `${NAME}@file:${tarball}`],
      exec: ['node', yarn4, 'run', 'event-sync'],
      ...LOCAL,
      prepare: (folder) => useYarn4(folder, 'node-modules'),
    },
  ]
}

/** Returns Yarn with Plug'n'Play, which has no folder node_modules; the product refuses to run there. */
export function plugAndPlay(tools: string): Manager {
  const yarn4 = join(tools, 'node_modules', 'yarn4', 'bin', 'yarn.js')
  return {
    name: "Plug'n'Play",
    add: (tarball) => ['node', yarn4, 'add', `${NAME}@file:${tarball}`],
    exec: ['node', yarn4, 'run', 'event-sync'],
    ...LOCAL,
    prepare: (folder) => useYarn4(folder, 'pnp'),
  }
}

function useYarn4(folder: string, nodeLinker: string): void {
  writeFileSync(join(folder, '.yarnrc.yml'), `nodeLinker: ${nodeLinker}\nenableTelemetry: false\n`)
  // Yarn takes a folder without this file for a part of a project above it.
  writeFileSync(join(folder, 'yarn.lock'), '')
}
