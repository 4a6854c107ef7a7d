import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** Folder for Node's compile cache, which halves the time of later starts. */
const NODE_COMPILE_CACHE = join(import.meta.dirname, '../../node_modules/.cache/node-compile')

export interface EndedProcess {
  /** Exit code of the process; null if a signal ended the process. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** True if the process was killed because it took too long. */
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
  /** Working folder of the program; default: the working folder of this process. */
  readonly folder?: string
  /**
   * The whole standard input of the program. If `input` is left out, standard input stays open as long as
   * this process lives.
   */
  readonly input?: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Called with each line of the program's standard output. */
  readonly onStdout?: (line: string) => void
  /** Called with each line of the program's standard error. */
  readonly onStderr?: (line: string) => void
  /** The program is killed after this time; if left out, it has no time limit. */
  readonly hangsAfterMs?: number
}

/** Returns environment variables that take only `PATH` and `HOME` from this process. */
export function environmentWith(
  variables: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const { PATH = '', HOME = '' } = process.env
  return { PATH, HOME, NODE_COMPILE_CACHE, ...variables }
}

export const startNode = (args: readonly string[], settings: ProcessSettings) =>
  startProcess(process.execPath, args, settings)

/** Starts a program in its own process. The program ends at the latest together with this process. */
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
  // Without this listener, this process would die if it writes to a child process that has died.
  child.stdin.on('error', () => undefined)
  if (input !== undefined) child.stdin.end(input)
  let isHung = false
  const hang = () => {
    isHung = true
    child.kill('SIGKILL')
  }
  const timer = hangsAfterMs === undefined ? undefined : setTimeout(hang, hangsAfterMs)
  // The event `exit` would be too early: some output may still be in the pipes.
  const ended = once(child, 'close').then(([code, signal]) => {
    clearTimeout(timer)
    return { code, signal, isHung, ...output }
  })
  return { pid: child.pid ?? 0, output, ended, kill: (signal) => void child.kill(signal) }
}

/**
 * Starts a server in Node and resolves with the first line that the server prints. @throws Error if the
 * server ends before it has printed a line
 */
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
