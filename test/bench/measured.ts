import { readFileSync } from 'node:fs'
import { type EndedProcess, startNode } from '../harness/process.ts'

/** A command that has ended. */
export interface Measured extends EndedProcess {
  readonly seconds: number
  /** Peak resident memory in megabytes (millions of bytes), as the kernel counts it (VmHWM). */
  readonly peakMb: number
  /** Time that the kernel gave it, in seconds: unlike `seconds`, hardly longer where others use the machine too. */
  readonly cpuSeconds: number
}

/** Runs a command to its end; the kernel tells its peak memory and its time. Linux only; elsewhere both are 0. */
export async function measure(
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<Measured> {
  const started = performance.now()
  const { pid, ended } = startNode(args, { env: { ...process.env, ...variables } })
  let [peakKb, cpu] = [0, 0]
  const timer = setInterval(() => {
    peakKb = Math.max(peakKb, peakOf(pid))
    cpu = Math.max(cpu, cpuSeconds(pid).own)
  }, 20)
  const result = await ended
  clearInterval(timer)
  return {
    ...result,
    seconds: (performance.now() - started) / 1000,
    peakMb: (peakKb * 1024) / 1_000_000,
    cpuSeconds: cpu,
  }
}

function peakOf(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

/** The kernel counts time in these. */
const TICKS_A_SECOND = 100

/** Time that a process has had, and that those of its children had that have ended; 0 for one that is not there. */
export function cpuSeconds(pid: number | undefined): { readonly own: number; readonly children: number } {
  try {
    // The name, in brackets, may hold anything; the third field comes after it.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
      .map(Number)
    const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = fields.slice(11, 15)
    return {
      own: (user + system) / TICKS_A_SECOND,
      children: (childrenUser + childrenSystem) / TICKS_A_SECOND,
    }
  } catch {
    return { own: 0, children: 0 }
  }
}
