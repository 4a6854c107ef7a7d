/** Time between two looks if a process still runs. */
const LOOK_EVERY_MS = 1_000

/** Name of the variable in which the launcher passes its own process id, and the id of its parent. */
const LAUNCHED_BY = 'EVENT_SYNC_LAUNCHED_BY'

/**
 * Returns the ids of the processes that started this process: the launcher, which is null if the launcher runs
 * the command itself, and the process that started the command.
 */
export function startersOf({ env, ppid }: Pick<NodeJS.Process, 'env' | 'ppid'>) {
  const [launcher, starter] = (env[LAUNCHED_BY] ?? '').split(' ').map(Number)
  // A command that another command starts has the variable too, but another parent.
  if (launcher !== ppid || starter === undefined) return { launcher: null, starter: ppid }
  return { launcher, starter }
}

/** Calls a function after another process has ended. Waiting for it does not keep this process running. */
export function whenEnded(pid: number, work: () => void): void {
  const isParent = pid === process.ppid
  const timer = setInterval(() => {
    // A parent that nobody has waited for still has a process id.
    if (isRunning(pid) && !(isParent && process.ppid !== pid)) return
    clearInterval(timer)
    work()
  }, LOOK_EVERY_MS).unref()
}

/** Returns true if there is a process with this id on the machine. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // Any other error means that the process exists but belongs to another user.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}
