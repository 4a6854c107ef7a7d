import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Point } from '../../../pipeline/runtime/events.ts'
import { type EndedProcess, environmentWith, startNode } from '../../harness/process.ts'

const SCRIPT = fileURLToPath(new URL('./killed-run.ts', import.meta.url))
/** A run that takes longer hangs, which is a fault; the machine may be busy. */
const HANGS_AFTER_MS = 180_000

/** A point at which a process kills itself (SIGKILL), or halts until it is woken (SIGSTOP). */
export interface Death {
  readonly point: Point
  /** Which hit of the point, from 1. */
  readonly hit: number
  readonly signal: 'SIGKILL' | 'SIGSTOP'
}

/** Instructions for one process of `killed-run.ts`. */
export interface Order {
  readonly config: string
  readonly death: Death | null
  /** With the leaping clock the run saves after each page. */
  readonly clock: 'leaping' | 'machine'
  /** Runs at least once and until the ledger has this many finished runs; 0 only creates the database. */
  readonly finishedRuns: number
  /** File for the state of the database at the end. */
  readonly stateFile: string
}

export interface SavedResource {
  readonly resource: string
  readonly requests: number
}

/** Messages of a process, one per line. */
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
  /** Time from its start to the end of its first run, or to its death. */
  readonly runMs: number
  /** Time from its first `apply begun` to the end of its first run; 0 if it did not apply a plan. */
  readonly applyMs: number
}

export interface Started {
  /** Resolves when its modules are loaded or it has ended; the promises below also resolve at its end. */
  readonly ready: Promise<unknown>
  /** Resolves when it begins to apply a plan. */
  readonly applying: Promise<unknown>
  /** Resolves to true when it halts at the point; to false if it ended before. */
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
    // It reports the point just before it halts.
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
