import { readFileSync } from 'node:fs'
import { type EndedProcess, startProcess } from '../harness/process.ts'

/** A command that has ended. */
export interface Measured extends EndedProcess {
  readonly seconds: number
  /** Peak resident memory in megabytes (millions of bytes), as the kernel counts it (VmHWM). */
  readonly peakMb: number
  /**
   * CPU seconds of the command and its child processes. Unlike `seconds`, the CPU time hardly grows if other
   * programs use the machine.
   */
  readonly cpuSeconds: number
}

/**
 * Runs a command to its end and reads its peak memory and CPU time from the kernel. Peak memory and CPU time
 * exist only on Linux; on other systems their values are 0. No other child of this process may end during the
 * measurement: its CPU time would be added.
 *
 * @param stopAfter a text and a number: the command is stopped after that many lines of standard error
 * contained the text
 */
export async function measure(
  program: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
  stopAfter?: { readonly text: string; readonly lines: number },
): Promise<Measured> {
  const started = performance.now()
  const before = secondsOfChildren(process.pid)
  let seen = 0
  const { pid, ended, kill } = startProcess(program, args, {
    env: { ...process.env, ...variables },
    onStderr(line) {
      if (stopAfter === undefined || !line.includes(stopAfter.text)) return
      seen += 1
      if (seen === stopAfter.lines) kill('SIGTERM')
    },
  })
  let peakKb = 0
  const timer = setInterval(() => {
    peakKb = Math.max(peakKb, peakOf(pid))
  }, 20)
  const result = await ended
  clearInterval(timer)
  return {
    ...result,
    seconds: (performance.now() - started) / 1000,
    peakMb: (peakKb * 1024) / 1_000_000,
    cpuSeconds: secondsOfChildren(process.pid) - before,
  }
}

function peakOf(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

/** Number of ticks in a second; the kernel states CPU times in ticks. */
const TICKS_A_SECOND = 100

/**
 * Returns the CPU seconds of a process's children that have ended, and of their children; 0 if the process
 * does not exist.
 */
export function secondsOfChildren(pid: number): number {
  try {
    // The second field is the name of the program in parentheses; it may contain any character. The third
    // field comes after the last `)`.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
      .map(Number)
    const [user = 0, system = 0] = fields.slice(13, 15)
    return (user + system) / TICKS_A_SECOND
  } catch {
    return 0
  }
}
