import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type EndedProcess, environmentWith, startNode, startProcess } from '../../harness/process.ts'
import type { Site } from './site.ts'

const CLI = fileURLToPath(new URL('../../../pipeline/cli.ts', import.meta.url))

/** A line that a worker logged about an integration. */
export interface LogLine {
  readonly integration: string
  /** In milliseconds since 1970, by the clock of this process. */
  readonly atMs: number
  readonly msg: string
  /** Name of the step that begins, if `msg` is `step`. */
  readonly step?: string
}

/** A machine on which a worker runs. */
export interface Machine {
  /** Program and arguments that start a command on this machine. */
  readonly starter: readonly [program: string, ...args: string[]]
  readonly variables: Readonly<Record<string, string>>
  /** How much later the clock of the machine is, compared with the clock of this process. */
  readonly clockMs: number
}

const THIS_MACHINE: Machine = { starter: [process.execPath], variables: {}, clockMs: 0 }

export interface WorkerProcess {
  readonly pid: number
  readonly lines: readonly LogLine[]
  /**
   * Returns the time at which the worker was killed or ended, in milliseconds since 1970; null while the
   * worker lives.
   */
  readonly endedAtMs: () => number | null
  readonly trouble: readonly string[]
  kill(): Promise<void>
  /**
   * Freezes the worker for longer than other workers wait for its heartbeat. Afterwards wakes the worker and
   * stops it.
   */
  freeze(ms: number): Promise<void>
  stop(): Promise<number | null>
}

/** Runs a command to its end. */
export function tryCommand(
  { config, variables }: Pick<Site, 'config' | 'variables'>,
  ...args: readonly string[]
): Promise<EndedProcess> {
  return startNode([CLI, '-c', config, ...args], { env: environmentWith(variables) }).ended
}

/** Runs a command to its end. @throws Error if its exit code is not 0 */
export async function runCommand(
  site: Pick<Site, 'config' | 'variables'>,
  ...args: readonly string[]
): Promise<void> {
  const { code, stderr } = await tryCommand(site, ...args)
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`)
}

export function startWorker(
  { config, variables }: Site,
  concurrency: number,
  machine = THIS_MACHINE,
): WorkerProcess {
  const args = ['--log-level', 'debug', 'worker', '--concurrency', String(concurrency)]
  const lines: LogLine[] = []
  const trouble: string[] = []
  let endedAtMs: number | null = null
  const [program, ...before] = machine.starter
  const { pid, kill, ended } = startProcess(program, [...before, CLI, '-c', config, ...args], {
    env: environmentWith({ ...variables, ...machine.variables }),
    onStderr(line) {
      const parsed = parseLine(line, machine.clockMs)
      if (parsed === null) trouble.push(line)
      else lines.push(parsed)
    },
  })
  const closed = ended.then(({ code }) => {
    endedAtMs ??= Date.now()
    return code
  })
  return {
    pid,
    lines,
    trouble,
    endedAtMs: () => endedAtMs,
    async kill() {
      endedAtMs ??= Date.now()
      kill('SIGKILL')
      await closed
    },
    async freeze(ms) {
      kill('SIGSTOP')
      await sleep(ms)
      kill('SIGCONT')
      kill('SIGTERM')
      await closed
    },
    async stop() {
      kill('SIGTERM')
      return closed
    },
  }
}

/**
 * Parses a log line. Returns null if the line belongs to no integration, or is incomplete because the worker
 * died.
 */
function parseLine(line: string, clockMs: number): LogLine | null {
  try {
    const { integration, time, msg, step } = JSON.parse(line)
    if (typeof integration !== 'string') return null
    return { integration, atMs: Date.parse(time) - clockMs, msg, step }
  } catch {
    return null
  }
}
