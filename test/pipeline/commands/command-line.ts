import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import {
  type EndedProcess,
  environmentWith,
  type StartedProcess,
  startProcess,
} from '../../harness/process.ts'

/** The source file of the command. The command `npm start` runs the source file too. */
export const CLI = fileURLToPath(new URL('../../../pipeline/cli.ts', import.meta.url))

/** The exit code of a command and the text that it printed. */
export type Ended = Pick<EndedProcess, 'code' | 'stdout' | 'stderr'>

/** A process that was started and may still run. */
export interface Started extends Omit<StartedProcess, 'ended'> {
  readonly ended: Promise<Ended>
  /**
   * Resolves as soon as the text appears on standard error. The promise of `seen` is rejected if the process
   * ends before the text appears.
   */
  seen(text: string): Promise<void>
}

export interface StartOptions {
  readonly folder: string
  /** Environment variables. The command inherits only PATH and HOME from the environment of the test. */
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
}

/** Starts a program in a folder, without a terminal. */
export function start(
  program: string,
  args: readonly string[],
  { folder, env = {}, input = '' }: StartOptions,
): Started {
  const started = startProcess(program, args, { folder, env: environmentWith(env), input })
  let isOver = false
  const ended = started.ended.then(({ code, stdout, stderr }) => {
    isOver = true
    return { code, stdout, stderr }
  })
  return {
    ...started,
    ended,
    async seen(text) {
      while (!started.output.stderr.includes(text)) {
        if (isOver) throw new Error(`it ended without "${text}":\n${started.output.stderr}`)
        await sleep(5)
      }
    },
  }
}
