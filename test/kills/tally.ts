import type { Point } from '../../pipeline/observe/told.ts'

/** What a round showed. */
export interface Result {
  /** Points at which a process died; `moment` for one that was killed from outside. */
  readonly hits: readonly (Point | 'moment')[]
  /** Processes that ended well before they could be killed, or in spite of what happened to the server. */
  readonly unharmed: number
  readonly differences: readonly string[]
  /** Answers that the last process did not ask for again. */
  readonly requestsSaved: number
  /** Answers that were saved when it began. */
  readonly requestsThere: number
  /** Times that the integration was still locked by a dead run. */
  readonly locked: number
  /** Length of the last run. */
  readonly runMs: number
  /** Of that, from where it began to apply a plan. */
  readonly applyMs: number
}

/** Counts what rounds showed, by lane and what was done. */
export interface Tally {
  add(lane: string, what: string, result: Result): void
  tell(lane: string, what: string): void
  tellTotals(): void
  readonly differences: number
}

interface Counts {
  kills: number
  unharmed: number
  rounds: number
  differences: number
  requestsSaved: number
  requestsThere: number
  locked: number
}

/** @param say told each difference at once: a long run may be broken off */
export function makeTally(say: (line: string) => void): Tally {
  const counted = new Map<string, Counts>()
  const none: Counts = {
    kills: 0,
    unharmed: 0,
    rounds: 0,
    differences: 0,
    requestsSaved: 0,
    requestsThere: 0,
    locked: 0,
  }
  const total = { ...none }

  function lineOf(what: string, counts: Counts): string {
    const { rounds, kills, unharmed, differences, requestsSaved, requestsThere, locked } = counts
    return [
      what.padEnd(52),
      `${rounds} rounds, ${kills} kills, ${unharmed} unharmed, ${differences} differences,`,
      `${requestsSaved} requests spared of ${requestsThere} saved, ${locked} times locked`,
    ].join(' ')
  }

  return {
    get differences() {
      return total.differences
    },
    add(lane, what, result) {
      const name = `${lane}: ${what}`
      const counts = counted.get(name) ?? { ...none }
      counted.set(name, counts)
      for (const sum of [counts, total]) {
        sum.rounds += 1
        sum.kills += result.hits.length
        sum.unharmed += result.unharmed
        sum.differences += result.differences.length
        sum.requestsSaved += result.requestsSaved
        sum.requestsThere += result.requestsThere
        sum.locked += result.locked
      }
      for (const difference of result.differences) say(`DIFFERENCE ${name}: ${difference}`)
    },
    tell(lane, what) {
      const name = `${lane}: ${what}`
      say(lineOf(name, counted.get(name) ?? none))
    },
    tellTotals: () => say(lineOf('all', total)),
  }
}
