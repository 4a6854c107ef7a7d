import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Point } from '../../../pipeline/runtime/events.ts'
import { type EndedProcess, environmentWith, startNode } from '../../harness/process.ts'

const SCRIPT = fileURLToPath(new URL('./killed-run.ts', import.meta.url))
/**
 * A run that takes longer than this is considered to hang, which is a fault. The limit is high because the
 * machine may be busy.
 */
const HANGS_AFTER_MS = 180_000

/** A point at which a process kills itself (SIGKILL), or halts until it is woken (SIGSTOP). */
export interface Death {
  readonly point: Point
  /** At which time the process reaches the point, counted from 1. */
  readonly hit: number
  readonly signal: 'SIGKILL' | 'SIGSTOP'
}

/** Instructions for one process of `killed-run.ts`. */
export interface Order {
  readonly config: string
  readonly death: Death | null
  /** With the clock `leaping`, the run saves its reading after each page. */
  readonly clock: 'leaping' | 'machine'
  /**
   * Number of finished runs that the ledger must have at the end. The process makes at least one run; with 0
   * it makes no run and only creates the database.
   */
  readonly finishedRuns: number
  /** File into which the process writes the state of the database at its end. */
  readonly stateFile: string
}

export interface SavedResource {
  readonly resource: string
  readonly requests: number
}

/** A message that a process prints as one line. */
export type Told =
  | { readonly event: 'ready' }
  | { readonly event: 'found'; readonly saved: readonly SavedResource[] }
  | { readonly event: 'locked' }
  | { readonly event: 'run opened' }
  | { readonly event: 'apply begun' }
  | { readonly event: 'hit'; readonly point: Point }
  | { readonly event: 'run ended'; readonly error: string | null }

export interface Ended extends EndedProcess {
  readonly told: readonly Told[]
  /** Milliseconds from the start of the process to the end of its first run, or to its death. */
  readonly runMs: number
  /**
   * Milliseconds from the first event `apply begun` to the end of the first run; 0 if no plan was applied.
   */
  readonly applyMs: number
}

export interface Started {
  /**
   * Resolves when the process has loaded its modules. The promises of this interface also resolve when the
   * process ends.
   */
  readonly ready: Promise<unknown>
  /** Resolves when the process begins to apply a plan. */
  readonly applying: Promise<unknown>
  /** Resolves to true when the process halts at the point, and to false if the process ended before. */
  readonly halted: Promise<boolean>
  readonly ended: Promise<Ended>
  kill(signal: NodeJS.Signals): void
}

export function startRun(order: Order, variables: Readonly<Record<string, string>>): Started {
  const told: Told[] = []
  const reached = new Map<Told['event'], number>()
  const waiting = new Map<Told['event'], () => void>()
  const startedAt = performance.now()
  const started = startNode([SCRIPT, JSON.stringify(order)], {
    env: environmentWith(variables),
    hangsAfterMs: HANGS_AFTER_MS,
    onStdout(line) {
      const one: Told = JSON.parse(line)
      told.push(one)
      if (!reached.has(one.event)) reached.set(one.event, performance.now())
      waiting.get(one.event)?.()
    },
  })
  const ended = started.ended.then((process): Ended => {
    const over = reached.get('run ended')
    const since = reached.get('ready') ?? startedAt
    const applying = reached.get('apply begun')
    return {
      ...process,
      told,
      runMs: (over ?? performance.now()) - since,
      applyMs: over === undefined || applying === undefined ? 0 : over - applying,
    }
  })
  const until = (event: Told['event']) =>
    Promise.race([
      new Promise<true>((resolve) => waiting.set(event, () => resolve(true))),
      ended.then(() => false),
    ])
  return {
    ready: until('ready'),
    applying: until('apply begun'),
    // The process reports the point just before it halts, so the test waits a moment longer.
    halted: until('hit').then((isHit) => sleep(50, isHit)),
    ended,
    kill: started.kill,
  }
}

/** Returns the saved readings that the process found at its start. */
export function savedIn({ told }: Ended): readonly SavedResource[] {
  return told.flatMap((one) => (one.event === 'found' ? one.saved : []))
}

export function countOf({ told }: Ended, event: Told['event']): number {
  return told.filter((one) => one.event === event).length
}
