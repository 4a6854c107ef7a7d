import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Point } from '../../../pipeline/runtime/events.ts'
import { type EndedProcess, environmentWith, startNode } from '../../harness/process.ts'

const SCRIPT = fileURLToPath(new URL('./killed-run.ts', import.meta.url))
/** A run that hangs is a fault too; the machine may be busy. */
const HANGS_AFTER_MS = 180_000

/** Points at which a process ends itself (SIGKILL), or halts until it is woken (SIGSTOP). */
export interface Death {
  readonly point: Point
  /** At which hit of the point, from 1. */
  readonly hit: number
  readonly signal: 'SIGKILL' | 'SIGSTOP'
}

/** Describes what one process of `killed-run.ts` is to do. */
export interface Order {
  readonly config: string
  readonly death: Death | null
  /** The leaping clock makes each page a place to save at. */
  readonly clock: 'leaping' | 'machine'
  /** Runs until the ledger has so many finished ones, at least once; 0 only makes the database. */
  readonly finishedRuns: number
  /** Where the state of the database goes at the end. */
  readonly stateFile: string
}

export interface SavedResource {
  readonly resource: string
  readonly requests: number
}

/** Describes what a process tells, a line each. */
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
  /** From its start to the end of its first run; of a process that died, to its death. */
  readonly runMs: number
  /** From where it first began to apply a plan to the end of its first run; of another process, 0. */
  readonly applyMs: number
}

export interface Started {
  /** Its modules are loaded, or it has ended; likewise below. */
  readonly ready: Promise<unknown>
  /** It has begun to apply a plan. */
  readonly applying: Promise<unknown>
  /** It has come to the point at which it halts; false where it ended before. */
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

/** Returns what the process found saved when it began. */
export function savedIn({ told }: Ended): readonly SavedResource[] {
  return told.flatMap((one) => (one.event === 'found' ? one.saved : []))
}

export function countOf({ told }: Ended, event: Told['event']): number {
  return told.filter((one) => one.event === event).length
}
