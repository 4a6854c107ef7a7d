import type { Random } from './random.ts'
import { declare, type Tally } from './tally.ts'

/** The randomness that generators draw from, and the tally in which they count what they made. */
export interface Draw {
  readonly random: Random
  readonly tally: Tally
}

/** Makes a value from the arguments of a generator. */
type Make<T, Given extends readonly unknown[]> = (draw: Draw, ...given: Given) => T

/**
 * Ways to make one value, by name: a weight relative to the others, then values or functions that make one.
 */
export type Ways<T, Given extends readonly unknown[] = []> = Readonly<
  Record<string, readonly [weight: number, ...(T | Make<T, Given>)[]]>
>

/**
 * Declares a table of shapes to choose from. Each name goes on the closed list: a run that makes one too
 * seldom fails.
 *
 * @returns a function that draws one value and counts its shape
 */
export function traps<T, Given extends readonly unknown[] = []>(
  group: string,
  ways: Ways<T, Given>,
): Make<T, Given> {
  const list = Object.entries(ways).map(([name, [weight, ...values]]) => ({ name, weight, values }))
  for (const { name } of list) declare(`${group}: ${name}`)
  return (draw, ...given) => {
    const { name, values } = draw.random.weighted(list)
    draw.tally.count(`${group}: ${name}`)
    const value = values.length === 1 ? values[0] : draw.random.pick(values)
    return typeof value === 'function' ? (value as Make<T, Given>)(draw, ...given) : (value as T)
  }
}
