import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Site } from './site.ts'

const CLI = new URL('../../pipeline/cli.ts', import.meta.url).pathname
/** Where Node keeps what it made of the sources, so that a worker that replaces another starts in half the time. */
const NODE_COMPILE_CACHE = new URL('../../node_modules/.cache/node-compile', import.meta.url).pathname

/** What a worker has logged of an integration, and when, in milliseconds since 1970. */
export interface LogLine {
  readonly integration: string
  readonly atMs: number
  readonly msg: string
  readonly result: string | null
}

/** A worker process. */
export interface WorkerProcess {
  readonly pid: number
  readonly lines: readonly LogLine[]
  /** When it was killed or had ended; null as long as it lives. */
  readonly endedAtMs: () => number | null
  readonly trouble: readonly string[]
  kill(): Promise<void>
  /** Lets it sleep for longer than one waits for a sign of life, then go on, and stops it when it is awake again. */
  freeze(ms: number): Promise<void>
  /** Tells it to stop, and gives its exit code. */
  stop(): Promise<number | null>
}

/** Runs a command to its end. @throws where it ends with another code than 0 */
export async function runCommand(
  { config, variables }: Pick<Site, 'config' | 'variables'>,
  ...args: readonly string[]
): Promise<string> {
  const child = start(config, variables, args)
  let [stdout, stderr] = ['', '']
  child.stdout?.on('data', (text) => {
    stdout += text
  })
  child.stderr?.on('data', (text) => {
    stderr += text
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`)
  return stdout
}

export function startWorker({ config, variables }: Site, concurrency: number): WorkerProcess {
  const args = ['--log-level', 'debug', 'worker', '--concurrency', String(concurrency)]
  const child = start(config, variables, args)
  const lines: LogLine[] = []
  const trouble: string[] = []
  let endedAtMs: number | null = null
  const closed = once(child, 'close').then(([code]) => {
    endedAtMs ??= Date.now()
    return code as number | null
  })
  createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', (line) => {
    const parsed = parseLine(line)
    if (parsed === null) trouble.push(line)
    else lines.push(parsed)
  })
  return {
    pid: child.pid ?? 0,
    lines,
    trouble,
    endedAtMs: () => endedAtMs,
    async kill() {
      endedAtMs ??= Date.now()
      child.kill('SIGKILL')
      await closed
    },
    async freeze(ms) {
      child.kill('SIGSTOP')
      await new Promise((resolve) => setTimeout(resolve, ms))
      child.kill('SIGCONT')
      child.kill('SIGTERM')
      await closed
    },
    async stop() {
      child.kill('SIGTERM')
      return closed
    },
  }
}

function start(
  config: string,
  variables: Readonly<Record<string, string>>,
  args: readonly string[],
): ChildProcess {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [CLI, '-c', config, ...args], {
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // A worker goes on without whoever started it, as it should; here nobody would end it.
  const end = () => void child.kill('SIGKILL')
  process.on('exit', end)
  child.on('exit', () => process.removeListener('exit', end))
  return child
}

/** Null for a line that is not of an integration, or cut off by a death. */
function parseLine(line: string): LogLine | null {
  try {
    const { integration, time, msg, result = null } = JSON.parse(line)
    if (typeof integration !== 'string') return null
    return { integration, atMs: Date.parse(time), msg, result }
  } catch {
    return null
  }
}
