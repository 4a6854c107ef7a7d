import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

/** The command as it is built, since to read TypeScript costs memory of its own. */
export const cli = new URL('../../dist/pipeline/cli.js', import.meta.url).pathname

/** A command that has ended. */
export interface Measured {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly seconds: number
  /** Peak resident memory in megabytes, as the kernel counts it (VmHWM). */
  readonly peakMb: number
}

/** Runs a command to its end and reads its peak memory from the kernel. Linux only. */
export async function measure(
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<Measured> {
  const started = performance.now()
  const child = spawn(process.execPath, args, { env: { ...process.env, ...variables } })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (text) => {
    output.stdout += text
  })
  child.stderr.on('data', (text) => {
    output.stderr += text
  })
  const exited = once(child, 'close')
  let peakKb = 0
  const timer = setInterval(() => {
    peakKb = Math.max(peakKb, peakOf(child))
  }, 20)
  const [code] = await exited
  clearInterval(timer)
  return { code, ...output, seconds: (performance.now() - started) / 1000, peakMb: peakKb / 1024 }
}

function peakOf(child: ChildProcess): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

/** Starts the source of registrants in a process of its own. */
export async function startRegistrants(
  count: number,
  form: 'array' | 'pages',
): Promise<{ readonly url: string; stop(): void }> {
  const script = new URL('./source-server.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [script, String(count), form], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })
  const [url] = await Promise.race([once(lines, 'line'), sleep(20_000, ['']) as Promise<string[]>])
  if (url === '' || url === undefined) throw new Error('the source of registrants did not start')
  return { url, stop: () => void child.kill() }
}
