import type { Point } from '../../../pipeline/runtime/events.ts'

export interface Result {
  /** Points at which a process died; `moment` for one that was killed from outside. */
  readonly hits: readonly (Point | 'moment')[]
  /** Processes that ended well before they could be killed, or in spite of what happened to the server. */
  readonly unharmed: number
  readonly differences: readonly string[]
  /** Answers that the last process did not ask for again. */
  readonly requestsSaved: number
  /** Length of the last run. */
  readonly runMs: number
  /** Of that, from where it began to apply a plan. */
  readonly applyMs: number
}

/** Counts what rounds showed, by scenario and what was done. */
export interface Tally {
  add(scenario: string, what: string, result: Result): void
  /** Prints the sums; true where nothing differed. */
  print(): boolean
}

/** It says each difference at once: a long run may be broken off. */
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
