import type { Random } from './random.ts'
import { declare, type Tally } from './tally.ts'

/** What generators draw from, and where they count what they made. */
export interface Draw {
  readonly random: Random
  readonly tally: Tally
}

/** Ways to make one value, by name: how often, relative to the others, and how. */
export type Ways<T> = Readonly<Record<string, readonly [weight: number, make: (draw: Draw) => T]>>

/**
 * A table of shapes to choose from. Each name goes on the closed list: a run that makes one too seldom fails.
 *
 * @returns draws one value and counts its shape
 */
export function traps<T>(group: string, ways: Ways<T>): (draw: Draw) => T {
  const list = Object.entries(ways)
  for (const [name] of list) declare(`${group}: ${name}`)
  const total = list.reduce((sum, [, [weight]]) => sum + weight, 0)
  return (draw) => {
    let rest = draw.random.next() * total
    for (const [name, [weight, make]] of list) {
      rest -= weight
      if (rest >= 0) continue
      draw.tally.count(`${group}: ${name}`)
      return make(draw)
    }
    throw new Error(`${group}: no way was chosen`)
  }
}
