import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Order, SavedResource, Told } from './order.ts'

const SCRIPT = new URL('./killed-run.ts', import.meta.url).pathname
/** A run that hangs is a fault too; the machine may be busy. */
const HANGS_AFTER_MS = 90_000

/** What became of one process. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly isHung: boolean
  readonly stderr: string
  readonly told: readonly Told[]
  /** From its start to the end of its first run; of a process that died, to its death. */
  readonly runMs: number
  /** From where it first began to apply a plan to the end of its first run; of another process, 0. */
  readonly applyMs: number
}

/** A process under way. */
export interface Started {
  /** Milliseconds since `ready`, which it is when its modules are loaded. */
  readonly ready: Promise<void>
  /** It has begun to apply a plan, or has ended. */
  readonly applying: Promise<void>
  /** It has come to the point at which it halts; null where it ended before. */
  readonly halted: Promise<number | null>
  readonly ended: Promise<Ended>
  kill(signal: NodeJS.Signals): void
}

/** Starts `killed-run.ts`. */
export function startRun(order: Order, variables: Readonly<Record<string, string>>): Started {
  const child = spawn(process.execPath, [SCRIPT, JSON.stringify(order)], {
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const told: Told[] = []
  const ready = Promise.withResolvers<void>()
  const applying = Promise.withResolvers<void>()
  const halted = Promise.withResolvers<number | null>()
  let readyAt = performance.now()
  let applyingAt: number | null = null
  let runMs: number | null = null
  let applyMs = 0
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => {
    const one: Told = JSON.parse(line)
    told.push(one)
    if (one.event === 'ready') {
      readyAt = performance.now()
      ready.resolve()
    }
    if (one.event === 'apply begun') {
      applyingAt ??= performance.now()
      applying.resolve()
    }
    if (one.event === 'run ended' && runMs === null) {
      runMs = performance.now() - readyAt
      if (applyingAt !== null) applyMs = performance.now() - applyingAt
    }
    if (one.event === 'hit') halted.resolve(child.pid ?? null)
  })
  let stderr = ''
  child.stderr.on('data', (text) => {
    stderr += text
  })
  let isHung = false
  const timer = setTimeout(() => {
    isHung = true
    child.kill('SIGKILL')
  }, HANGS_AFTER_MS)
  const ended = endOf(child).then(({ code, signal }) => {
    clearTimeout(timer)
    ready.resolve()
    applying.resolve()
    halted.resolve(null)
    return { code, signal, isHung, stderr, told, runMs: runMs ?? performance.now() - readyAt, applyMs }
  })
  return {
    ready: ready.promise,
    applying: applying.promise,
    halted: halted.promise,
    ended,
    kill: (signal) => void child.kill(signal),
  }
}

async function endOf(child: ChildProcess) {
  // Not `exit`: what it told may still be in the pipe then.
  const [code, signal]: unknown[] = await once(child, 'close')
  return { code: code as number | null, signal: signal as NodeJS.Signals | null }
}

/** What the process found saved when it began. */
export function savedIn({ told }: Ended): readonly SavedResource[] {
  return told.flatMap((one) => (one.event === 'found' ? one.saved : []))
}

export function countOf({ told }: Ended, event: Told['event']): number {
  return told.filter((one) => one.event === event).length
}
