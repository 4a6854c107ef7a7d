import { join } from 'node:path'
import { type StartedProcess, startNodeServer } from '../harness/process.ts'

const SCRIPT = join(import.meta.dirname, './hold-directory.ts')

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
