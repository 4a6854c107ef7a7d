import type { Point } from '../../pipeline/observe/told.ts'

/** Where a process ends itself (SIGKILL), or halts until it is woken (SIGSTOP). */
export interface Death {
  readonly point: Point
  /** At which hit of the point, from 1. */
  readonly hit: number
  readonly signal: 'SIGKILL' | 'SIGSTOP'
}

/** What one process of `killed-run.ts` is to do. */
export interface Order {
  /** Path of the configuration. */
  readonly config: string
  readonly death: Death | null
  /** The leaping clock makes each page a place to save at. */
  readonly clock: 'leaping' | 'machine'
  /** Runs until the ledger has so many finished ones, at least once; 0 only makes the database. */
  readonly finishedRuns: number
  /** Where the state of the database goes at the end. */
  readonly stateFile: string
}

/** How far a resource was read by a run that died. */
export interface SavedResource {
  readonly resource: string
  readonly requests: number
}

/** What a process tells, a line each. */
export type Told =
  | { readonly event: 'ready' }
  | { readonly event: 'found'; readonly saved: readonly SavedResource[] }
  | { readonly event: 'locked' }
  | { readonly event: 'run opened' }
  | { readonly event: 'apply begun' }
  | { readonly event: 'hit'; readonly point: Point }
  | { readonly event: 'run ended'; readonly error: string | null }
