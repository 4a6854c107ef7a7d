import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** The command from source, as `npm start` runs it. */
export const CLI = fileURLToPath(new URL('../../../pipeline/cli.ts', import.meta.url))

/** Where Node keeps what it made of the sources, so that the second start takes half as long. */
const NODE_COMPILE_CACHE = fileURLToPath(
  new URL('../../../node_modules/.cache/node-compile', import.meta.url),
)

/** How a process ended and what it wrote. */
export interface Ended {
  /** Null where a signal ended it. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A process that is under way. */
export interface Started {
  readonly ended: Promise<Ended>
  kill(signal: NodeJS.Signals): void
  /** What it has written so far. */
  readonly output: { readonly stdout: string; readonly stderr: string }
  /** Resolves as soon as standard error holds the text. */
  seen(text: string): Promise<void>
}

export interface StartOptions {
  readonly folder: string
  /** Variables beside PATH and HOME: nothing of the test's own environment reaches the command. */
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
}

/** Starts a program in a folder, without a terminal. */
export function start(program: string, args: readonly string[], options: StartOptions): Started {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(program, args, {
    cwd: options.folder,
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...options.env },
  })
  child.stdin.end(options.input ?? '')
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
    })
  }
  return {
    ended: once(child, 'close').then(([code]) => ({ code, ...output })),
    output,
    kill: (signal) => void child.kill(signal),
    seen: (text) => seen(child, () => output.stderr, text),
  }
}

async function seen(child: ChildProcess, read: () => string, text: string): Promise<void> {
  while (!read().includes(text)) {
    if (child.exitCode !== null) throw new Error(`it ended without "${text}":\n${read()}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
