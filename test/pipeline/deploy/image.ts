import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type Instruction, wordsOf } from './dockerfile.ts'

/**
 * The layers of an image, of which the last is on top, and the settings of its Dockerfile. Below the layers are the
 * files of this machine, and a Node in /usr/local/bin, as in the base image.
 */
export interface Image {
  readonly layers: readonly string[]
  /** The layer with everything that the Dockerfile adds to its base image. */
  readonly added: string
  readonly user: string
  readonly workdir: string
  readonly entrypoint: readonly string[]
  readonly cmd: readonly string[]
  readonly healthcheck: readonly string[]
}

/** The settings with which a container is started. */
export interface ContainerOptions {
  /** User and group, such as `1000:1000`. */
  readonly user: string
  readonly workdir: string
  readonly env: Readonly<Record<string, string>>
  /** Folders and files of this machine by their places in the container. */
  readonly mounts: Readonly<Record<string, string>>
}

/**
 * Executes the instructions of a Dockerfile one by one, without a Docker daemon. Each instruction runs in the file
 * system of its stage: an overlay of this machine's files.
 *
 * @param context folder from which COPY copies
 * @param folder new folder for the layers
 * @param node program that stands for the Node of the base image
 */
export function buildImage(
  instructions: readonly Instruction[],
  context: string,
  folder: string,
  node: string,
): Image {
  const base = join(folder, 'base')
  mkdirSync(join(base, 'usr/local/bin'), { recursive: true })
  cpSync(realpathSync(node), join(base, 'usr/local/bin/node'))
  const stages = new Map<string, string>()
  let added = ''
  let workdir = '/'
  let user = '0:0'
  for (const { name, text } of instructions) {
    if (name === 'FROM') {
      const stage = / AS (\S+)/.exec(text)?.[1] ?? 'last'
      added = join(folder, stage)
      mkdirSync(added)
      stages.set(stage, added)
      workdir = '/'
      user = '0:0'
    } else if (name === 'WORKDIR') {
      workdir = text
      mkdirSync(join(added, text), { recursive: true })
    } else if (name === 'USER') user = text
    else if (name === 'COPY')
      copy(text, { context, stages, to: (path) => join(added, resolve(workdir, path)) })
    else if (name === 'RUN') {
      const words = ['sh', '-c', text]
      const [program, ...args] = command(
        [added, base],
        words,
        { user, workdir, env: {}, mounts: {} },
        join(folder, 'work'),
      )
      execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] })
    } else if (!['EXPOSE', 'HEALTHCHECK', 'ENTRYPOINT', 'CMD'].includes(name))
      throw new Error(`unknown: ${name}`)
  }
  return {
    ...{ layers: [added, base], added, user, workdir },
    entrypoint: wordsOf(instructions, 'ENTRYPOINT'),
    cmd: wordsOf(instructions, 'CMD'),
    healthcheck: wordsOf(instructions, 'HEALTHCHECK'),
  }
}

/** Copies what COPY names, from the folder of the build or from an earlier stage. */
function copy(
  text: string,
  { context, stages, to }: { context: string; stages: ReadonlyMap<string, string>; to(path: string): string },
): void {
  const [, stage, paths = ''] = /^(?:--from=(\S+) )?(.*)$/.exec(text) ?? []
  const [target = '', ...patterns] = paths.split(' ').reverse()
  if (stage !== undefined) {
    mkdirSync(dirname(to(target)), { recursive: true })
    // `cp` keeps the links, owners and modes of a whole tree.
    execFileSync('cp', ['-a', `${stages.get(stage)}${patterns[0]}`, to(target)])
    return
  }
  for (const pattern of patterns) {
    const found = globSync(pattern, { cwd: context })
    if (found.length === 0) throw new Error(`COPY finds no ${pattern}`)
    for (const path of found) cpSync(join(context, path), join(to(target), path))
  }
}

/**
 * Returns the command that starts a program in a container: with its own process ids, so that the program is process 1,
 * its own mounts, without capabilities and without a way to get any.
 *
 * @param writable folder for the work of a writable file system; without it, the file system is read-only
 */
export function command(
  layers: readonly string[],
  words: readonly string[],
  { user, workdir, env, mounts }: ContainerOptions,
  writable?: string,
): readonly [string, ...string[]] {
  const [top = '', ...lower] = layers
  const [uid = '', gid = ''] = user.split(':')
  const root = `${top}.root`
  const places = `${top}.places`
  mkdirSync(root, { recursive: true })
  for (const [place, from] of Object.entries(mounts)) {
    mkdirSync(join(places, dirname(place)), { recursive: true })
    if (/\/(:ro)?$/.test(from)) mkdirSync(join(places, place), { recursive: true })
    else writeFileSync(join(places, place), '')
  }
  mkdirSync(places, { recursive: true })
  if (writable !== undefined) mkdirSync(writable, { recursive: true })
  const overlay =
    writable === undefined
      ? `lowerdir=${[places, ...layers, '/'].join(':')}`
      : `lowerdir=${[...lower, '/'].join(':')},upperdir=${top},workdir=${writable}`
  const lines = [
    'set -e',
    `mount -t overlay overlay -o '${overlay}' '${root}'`,
    `mount -t proc -o subset=pid proc '${root}/proc'`,
    `mount --rbind /dev '${root}/dev'`,
    ...(writable === undefined ? [`mount -t tmpfs -o mode=1777 tmpfs '${root}/tmp'`] : []),
    ...Object.entries(mounts).flatMap(([place, from]) => [
      `mount --bind '${from.replace(/:ro$/, '')}' '${root}${place}'`,
      ...(from.endsWith(':ro') ? [`mount -o remount,bind,ro '${root}${place}'`] : []),
    ]),
    `exec chroot '${root}' "$@"`,
  ]
  const safe = [
    'setpriv',
    '--reuid',
    uid,
    '--regid',
    gid,
    '--clear-groups',
    '--no-new-privs',
    '--bounding-set=-all',
    // A change of the user clears the signal of `--kill-child`: a killed container would live on.
    '--pdeathsig=keep',
  ]
  const variables = Object.entries({ PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/root', ...env }).map(
    ([name, value]) => `${name}=${value}`,
  )
  return [
    'unshare',
    ...['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', lines.join('\n'), 'sh'],
    ...(writable === undefined ? safe : []),
    ...['env', '-i', '-C', workdir, ...variables, ...words],
  ]
}
