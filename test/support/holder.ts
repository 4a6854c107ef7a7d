import { fileURLToPath } from 'node:url'
import { type StartedProcess, startNodeServer } from '../harness/process.ts'

const SCRIPT = fileURLToPath(new URL('./hold-directory.ts', import.meta.url))

/** Another process that has locked a directory. */
export interface Holder extends Pick<StartedProcess, 'pid'> {
  /** Kills the process with SIGKILL, and waits until the process has ended. */
  kill(): Promise<void>
}

/** Starts a process that locks a directory, and resolves when it has the lock. */
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
