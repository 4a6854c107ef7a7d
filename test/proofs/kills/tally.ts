import type { Point } from '../../../pipeline/runtime/events.ts'

export interface Result {
  /** Points at which processes died; `moment` stands for a kill from outside at a random moment. */
  readonly hits: readonly (Point | 'moment')[]
  /**
   * Number of processes that ended successfully before the kill, or in spite of the failure of the server.
   */
  readonly unharmed: number
  readonly differences: readonly string[]
  /** Number of answers that the last process did not have to request again. */
  readonly requestsSaved: number
  /** Length of the last run in milliseconds. */
  readonly runMs: number
  /** The part of `runMs` after the run began to apply its plan. */
  readonly applyMs: number
}

/** A tally of the results of rounds, by scenario and kind. */
export interface Tally {
  add(scenario: string, what: string, result: Result): void
  /** Prints the sums; returns true if there was no difference. */
  print(): boolean
}

/** Makes a tally that prints each difference immediately, because a long test may be aborted. */
export function makeTally(): Tally {
  const counted = new Map<string, Result[]>()
  return {
    add(scenario, what, result) {
      const name = `${scenario}: ${what}`
      counted.set(name, [...(counted.get(name) ?? []), result])
      for (const difference of result.differences) console.log(`DIFFERENCE ${name}: ${difference}`)
    },
    print() {
      for (const [name, results] of [...counted, ['all', [...counted.values()].flat()] as const]) {
        const sum = (count: (result: Result) => number) =>
          results.reduce((total, result) => total + count(result), 0)
        const kills = sum(({ hits }) => hits.length)
        const spared = sum(({ requestsSaved }) => requestsSaved)
        const differences = sum((result) => result.differences.length)
        console.log(
          `${name.padEnd(52)} ${results.length} rounds, ${kills} kills, ${sum(({ unharmed }) => unharmed)} unharmed, ${differences} differences, ${spared} requests spared`,
        )
      }
      return [...counted.values()].flat().every(({ differences }) => differences.length === 0)
    },
  }
}
