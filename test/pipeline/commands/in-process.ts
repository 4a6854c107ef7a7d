import { Readable, Writable } from 'node:stream'
import type { CommandIo } from '../../../pipeline/commands/io.ts'
import { runCommand } from '../../../pipeline/commands/program.ts'
import { requirePublished } from '../schemas/published-output.ts'
import type { Ended } from './command-line.ts'

export interface TestIoOptions {
  readonly folder?: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  /** True if standard input and standard error behave like a terminal. */
  readonly isTerminal?: boolean
}

/** Replaces the process of a command within a test, and collects the text that the command prints. */
export interface TestIo extends CommandIo {
  readonly output: { readonly stdout: string; readonly stderr: string }
  /** Interrupts the command like the first SIGINT or SIGTERM that a process receives. */
  interrupt(code: number): void
  /** Does what the command does at SIGHUP. */
  hangUp(): void
  /** Resolves as soon as the text appears on standard error. */
  seen(text: string): Promise<void>
}

export function openTestIo({
  folder = '.',
  env = {},
  input = '',
  isTerminal = false,
}: TestIoOptions = {}): TestIo {
  const output = { stdout: '', stderr: '' }
  const waiting = new Set<() => void>()
  const open = (name: 'stdout' | 'stderr') =>
    new Writable({
      decodeStrings: false,
      write(chunk, _, done) {
        output[name] += String(chunk)
        for (const look of waiting) look()
        done()
      },
    })
  let end: ((code: number) => void) | null = null
  let hangup: (() => void) | null = null
  return {
    stdin: Object.assign(Readable.from(input === '' ? [] : [input], { objectMode: false }), {
      isTTY: isTerminal,
    }),
    stdout: open('stdout'),
    stderr: Object.assign(open('stderr'), { isTTY: isTerminal }),
    env,
    cwd: folder,
    signals: {
      onFirst(inOwnWay) {
        end = inOwnWay
      },
      onOrphaned: () => undefined,
      onHangup(work) {
        hangup = work
      },
      end(code) {
        end?.(code)
      },
      endAtOnce() {
        throw new Error('only a process can be ended')
      },
    },
    output,
    interrupt(code) {
      if (end === null) throw new Error('a signal would end the process at once')
      end(code)
    },
    hangUp() {
      if (hangup === null) throw new Error('SIGHUP would end the process at once')
      hangup()
    },
    seen: (text) =>
      new Promise((resolve) => {
        const look = () => {
          if (!output.stderr.includes(text)) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
  }
}

/**
 * Runs a command within the test process. The result is the same as if a separate process had run the command
 * in the folder. Any output of `--json` is checked by its published schema.
 */
export async function runInProcess(args: readonly string[], options: TestIoOptions): Promise<Ended> {
  const io = openTestIo(options)
  const code = await runCommand(args, io)
  requirePublished(args, io.output.stdout)
  return { code, ...io.output }
}
