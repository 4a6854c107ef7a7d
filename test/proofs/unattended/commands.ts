import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { environmentWith, startNode } from '../../harness/process.ts'
import type { Site } from './site.ts'

const CLI = fileURLToPath(new URL('../../../pipeline/cli.ts', import.meta.url))

/** Describes what a worker has logged of an integration, and when, in milliseconds since 1970. */
export interface LogLine {
  readonly integration: string
  readonly atMs: number
  readonly msg: string
}

export interface WorkerProcess {
  readonly pid: number
  readonly lines: readonly LogLine[]
  /** When it was killed or had ended; null as long as it lives. */
  readonly endedAtMs: () => number | null
  readonly trouble: readonly string[]
  kill(): Promise<void>
  /** Lets it sleep for longer than one waits for a sign of life, then go on, and stops it when it is awake again. */
  freeze(ms: number): Promise<void>
  stop(): Promise<number | null>
}

/** Runs a command to its end. @throws where it ends with another code than 0 */
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

/** Null for a line that is not of an integration, or cut off by a death. */
function parseLine(line: string): LogLine | null {
  try {
    const { integration, time, msg } = JSON.parse(line)
    return typeof integration === 'string' ? { integration, atMs: Date.parse(time), msg } : null
  } catch {
    return null
  }
}
