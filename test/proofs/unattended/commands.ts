import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { environmentWith, startNode } from '../../harness/process.ts'
import type { Site } from './site.ts'

const CLI = fileURLToPath(new URL('../../../pipeline/cli.ts', import.meta.url))

/** A line that a worker logged about an integration, with its time in milliseconds since 1970. */
export interface LogLine {
  readonly integration: string
  readonly atMs: number
  readonly msg: string
}

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

/** Runs a command to its end. @throws Error if its exit code is not 0 */
export async function runCommand(
  { config, variables }: Pick<Site, 'config' | 'variables'>,
  ...args: readonly string[]
): Promise<void> {
  const env = environmentWith(variables)
  const { code, stderr } = await startNode([CLI, '-c', config, ...args], { env }).ended
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`)
}

export function startWorker({ config, variables }: Site, concurrency: number): WorkerProcess {
  const args = ['--log-level', 'debug', 'worker', '--concurrency', String(concurrency)]
  const lines: LogLine[] = []
  const trouble: string[] = []
  let endedAtMs: number | null = null
  const { pid, kill, ended } = startNode([CLI, '-c', config, ...args], {
    env: environmentWith(variables),
    onStderr(line) {
      const parsed = parseLine(line)
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
function parseLine(line: string): LogLine | null {
  try {
    const { integration, time, msg } = JSON.parse(line)
    return typeof integration === 'string' ? { integration, atMs: Date.parse(time), msg } : null
  } catch {
    return null
  }
}
