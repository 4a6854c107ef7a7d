import { fileURLToPath } from 'node:url'
import { type StartedProcess, startNodeServer } from '../harness/process.ts'

const SCRIPT = fileURLToPath(new URL('./hold-directory.ts', import.meta.url))

/** Another process that has taken a directory. */
export interface Holder extends Pick<StartedProcess, 'pid'> {
  /** Ends it as `kill -9` does, and waits until it is gone. */
  kill(): Promise<void>
}

/** Starts a process that takes a directory, and resolves when it has it. */
export async function startHolder(directory: string): Promise<Holder> {
  const { pid, ended, kill } = await startNodeServer([SCRIPT, directory])
  return {
    pid,
    async kill() {
      kill('SIGKILL')
      await ended
    },
  }
}
