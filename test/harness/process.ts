import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** Compile cache of Node: later starts take half as long. */
const NODE_COMPILE_CACHE = join(import.meta.dirname, '../../node_modules/.cache/node-compile')

export interface EndedProcess {
  /** Null if a signal ended it. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** True if it was killed because it took too long. */
  readonly isHung: boolean
  readonly stdout: string
  readonly stderr: string
}

export interface StartedProcess {
  readonly pid: number
  readonly output: { readonly stdout: string; readonly stderr: string }
  readonly ended: Promise<EndedProcess>
  kill(signal: NodeJS.Signals): void
}

export interface ProcessSettings {
  /** Its working folder; by default that of this process. */
  readonly folder?: string
  /** Its whole standard input. If left out, standard input stays open as long as this process lives. */
  readonly input?: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Called with each line of its standard output. */
  readonly onStdout?: (line: string) => void
  /** Called with each line of its standard error. */
  readonly onStderr?: (line: string) => void
  /** It is killed after this time; if left out, it has no time limit. */
  readonly hangsAfterMs?: number
}

/** Returns an environment that inherits only `PATH` and `HOME` from this process. */
export function environmentWith(
  variables: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const { PATH = '', HOME = '' } = process.env
  return { PATH, HOME, NODE_COMPILE_CACHE, ...variables }
}

export const startNode = (args: readonly string[], settings: ProcessSettings) =>
  startProcess(process.execPath, args, settings)

/** Starts a program in its own process, which ends when this process ends at the latest. */
export function startProcess(
  program: string,
  args: readonly string[],
  { folder, input, env, onStdout, onStderr, hangsAfterMs }: ProcessSettings,
): StartedProcess {
  const child = spawn(program, args, { cwd: folder, env })
  endWithThisProcess(child)
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
    })
  }
  if (onStdout !== undefined) createInterface({ input: child.stdout }).on('line', onStdout)
  if (onStderr !== undefined) createInterface({ input: child.stderr }).on('line', onStderr)
  // Without this listener, writing to a process that has died would end this one too.
  child.stdin.on('error', () => undefined)
  if (input !== undefined) child.stdin.end(input)
  let isHung = false
  const hang = () => {
    isHung = true
    child.kill('SIGKILL')
  }
  const timer = hangsAfterMs === undefined ? undefined : setTimeout(hang, hangsAfterMs)
  // Not `exit`: at that time output may still be in the pipes.
  const ended = once(child, 'close').then(([code, signal]) => {
    clearTimeout(timer)
    return { code, signal, isHung, ...output }
  })
  return { pid: child.pid ?? 0, output, ended, kill: (signal) => void child.kill(signal) }
}

/** Starts Node and resolves with the first line that it prints. @throws Error if it ends without one */
export async function startNodeServer(
  args: readonly string[],
): Promise<StartedProcess & { readonly firstLine: string }> {
  const said = Promise.withResolvers<string>()
  const started = startNode(args, { env: process.env, onStdout: said.resolve })
  const first = await Promise.race([said.promise, started.ended])
  if (typeof first !== 'string') throw new Error(`${args.join(' ')} did not start: ${first.stderr}`)
  return { ...started, firstLine: first }
}

const alive = new Set<ChildProcess>()

function endWithThisProcess(child: ChildProcess): void {
  if (alive.size === 0) process.once('exit', endAll)
  alive.add(child)
  child.once('exit', () => {
    alive.delete(child)
    if (alive.size === 0) process.removeListener('exit', endAll)
  })
}

function endAll(): void {
  for (const child of alive) child.kill('SIGKILL')
}
