import { Readable, Writable } from 'node:stream'
import type { CommandIo } from './io.ts'

/** The input of a command that code of this process calls. */
export interface CallOptions extends Pick<CommandIo, 'env' | 'cwd' | 'configText'> {
  /** Text of standard input; default: empty. */
  readonly stdin?: string
  /** Called with each text that the command prints on standard error. */
  readonly onText?: ((text: string) => void) | undefined
  readonly cancelled?: AbortSignal | undefined
}

/** Makes the streams of a command that code of this process calls. */
export function callIo({ env, cwd, configText, stdin = '', onText, cancelled }: CallOptions) {
  let output = ''
  const io: CommandIo = {
    stdin: Readable.from(stdin === '' ? [] : [stdin], { objectMode: false }),
    stdout: writableTo((text) => {
      output += text
    }),
    stderr: writableTo(onText),
    env,
    cwd,
    // The caller handles the signals of its process, so the command ignores them.
    signals: {
      onFirst: () => undefined,
      onHangup: () => undefined,
      onOrphaned: () => undefined,
      end: () => undefined,
      endAtOnce: () => undefined,
    },
    ...(cancelled === undefined ? {} : { cancelled }),
    ...(configText === undefined ? {} : { configText }),
  }
  return { io, output: () => output }
}

function writableTo(onText?: (text: string) => void): Writable {
  return new Writable({
    decodeStrings: false,
    write(text: string, _, done) {
      onText?.(text)
      done()
    },
  })
}
