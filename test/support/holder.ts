import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const SCRIPT = fileURLToPath(new URL('./hold-directory.ts', import.meta.url))

/** Another process that has taken a directory. */
export interface Holder {
  readonly pid: number | undefined
  /** Ends it as `kill -9` does, and waits until it is gone. */
  kill(): Promise<void>
}

/** Starts a process that takes a directory, and resolves when it has it. */
export async function startHolder(directory: string): Promise<Holder> {
  const child: ChildProcess = spawn(process.execPath, [SCRIPT, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = once(child, 'exit')
  const held = child.stdout === null ? gone : once(child.stdout, 'data')
  if ((await Promise.race([held, gone])).length === 2) throw new Error('the other process did not get it')
  return {
    pid: child.pid,
    async kill() {
      child.kill('SIGKILL')
      await gone
    },
  }
}
