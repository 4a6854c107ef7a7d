import type { RequestWindow } from './request-window.ts'

/** Most elements that each source gives in one answer. Source: spec-gaps, "On the wire". */
const PAGE_OF_A = 1000
const PAGE_OF_B = 200

/**
 * Fewest answers in which a list of Source A can be read: each page begins with the last element of the one before, and
 * one more that holds that element alone proves the end. An empty answer proves itself.
 */
export function leastRequestsOfA(elements: number): number {
  if (elements === 0) return 1
  return 2 + Math.max(0, Math.ceil((elements - PAGE_OF_A) / (PAGE_OF_A - 1)))
}

/** Fewest answers in which a list of Source B can be read: the total that it declares, once met, is the end. */
export function leastRequestsOfB(elements: number): number {
  return Math.max(1, Math.ceil(elements / PAGE_OF_B))
}

/** Requests of a run, list by list, and what the source makes of them. */
export interface Lists {
  /** Requests for each list; lists are read beside each other. */
  readonly requests: readonly number[]
  readonly latencyMs: number
  readonly window: RequestWindow
  /** Asked for once, before all, and not counted by the window: a token. */
  readonly before: number
}

/** Least time by the budget alone, as if all pages of a window were asked for at once. */
export function leastSeconds({ requests, latencyMs, window, before }: Lists): number {
  const windows = Math.ceil(sum(requests) / window.requests)
  return ((windows - 1) * window.windowMs + (before + 1) * latencyMs) / 1000
}

/** Least time where a page of a list is asked for when the one before is there, as both sources are read. */
export function leastSecondsInTurn({ requests, latencyMs, window, before }: Lists): number {
  let atMs = before * latencyMs
  let [endsAtMs, left] = [atMs + window.windowMs, window.requests]
  for (let turn = 0; turn < Math.max(...requests); turn += 1) {
    const asked = requests.filter((count) => count > turn).length
    for (let request = 0; request < asked; request += 1) {
      if (left === 0) {
        atMs = Math.max(atMs, endsAtMs)
        endsAtMs = atMs + window.windowMs
        left = window.requests
      }
      left -= 1
    }
    atMs += latencyMs
  }
  return atMs / 1000
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
