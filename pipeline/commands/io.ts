import { escaped, toVisibleJson } from '../text/visible.ts'
import { installSignalHandlers, type Signals } from './interruption.ts'

export interface CommandOutput extends NodeJS.WritableStream {
  readonly isTTY?: boolean
  readonly columns?: number
  /** The output itself, for sequences of our own, such as those that rewrite a line; left out: this is it. */
  readonly bare?: NodeJS.WritableStream
}

/** All that a command has of the process that it runs in. */
export interface CommandIo {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly stdout: CommandOutput
  readonly stderr: CommandOutput
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly signals: Signals
  /** Aborted where a caller gives the command up. */
  readonly cancelled?: AbortSignal
  /** The configuration itself; left out: it is in its file. */
  readonly configText?: string
}

/** The process itself, with handlers of its signals. Each part is taken when it is needed: opening standard input has effects. */
export function openProcessIo(): CommandIo {
  return {
    get stdin() {
      return process.stdin
    },
    get stdout() {
      return process.stdout
    },
    get stderr() {
      return process.stderr
    },
    get cwd() {
      return process.cwd()
    },
    env: process.env,
    signals: installSignalHandlers(),
  }
}

/** Prints a text for people, and with `json` an object on standard output and the text on standard error. */
export function printBoth(io: CommandIo, json: boolean, text: string, object: object): void {
  const output = json ? io.stderr : io.stdout
  output.write(text)
  if (json) io.stdout.write(`${toVisibleJson(object)}\n`)
}

/** What a command writes to, with everything that could steer a terminal escaped: all that is printed goes through here. */
export function guarded(io: CommandIo): CommandIo {
  // Each part is taken when it is needed.
  return Object.create(io, {
    stdout: { get: () => guardedOutput(io.stdout) },
    stderr: { get: () => guardedOutput(io.stderr) },
  })
}

function guardedOutput(output: CommandOutput): CommandOutput {
  return new Proxy(output, {
    get(target, key) {
      if (key === 'bare') return target
      if (key === 'write')
        return (text: string | Uint8Array) => target.write(typeof text === 'string' ? escaped(text) : text)
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
