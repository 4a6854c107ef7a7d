import type { Random } from './random.ts'
import { declare, type Tally } from './tally.ts'

/**
 * The source of random numbers for generators of test data, and the tally that counts the cases which the
 * generators made.
 */
export interface Draw {
  readonly random: Random
  readonly tally: Tally
}

/** A function that makes a value from the arguments of a generator. */
type Make<T, Given extends readonly unknown[]> = (draw: Draw, ...given: Given) => T

/**
 * Named ways to make a value. A way consists of a weight, which decides how often the way is drawn, and of
 * values or functions that make a value.
 */
export type Ways<T, Given extends readonly unknown[] = []> = Readonly<
  Record<string, readonly [weight: number, ...(T | Make<T, Given>)[]]>
>

/**
 * Declares a table of ways to make a value. Each name is added to the list of required cases: the test fails
 * if a case occurs too seldom.
 *
 * @returns a function that draws one value and counts the way in which it was made
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
