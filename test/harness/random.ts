/** A random generator with a seed. */
export interface Random {
  /** Returns a number from 0 up to, but not including, 1. */
  next(): number
  /** Returns a whole number from 0 up to, but not including, `end`. */
  below(end: number): number
  chance(share: number): boolean
  pick<T>(list: readonly T[]): T
  /** Returns a random element; an element with a larger weight is returned more often. */
  weighted<T extends { readonly weight: number }>(list: readonly T[]): T
  shuffled<T>(list: readonly T[]): readonly T[]
  /** Returns some elements in the order of the list: each element is chosen with the probability `share`. */
  some<T>(list: readonly T[], share: number): readonly T[]
}

/** Makes a generator with the algorithm mulberry32, which is short and good enough to choose test cases. */
export function makeRandom(seed: number): Random {
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (end: number) => Math.floor(next() * end)
  function pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new Error('nothing to pick from')
    return list[below(list.length)] as T
  }
  function weighted<T extends { readonly weight: number }>(list: readonly T[]): T {
    let rest = next() * list.reduce((sum, { weight }) => sum + weight, 0)
    const chosen = list.find(({ weight }) => {
      rest -= weight
      return rest < 0
    })
    if (chosen === undefined) throw new Error('nothing to pick from')
    return chosen
  }
  return {
    next,
    below,
    pick,
    weighted,
    chance: (share) => next() < share,
    some: (list, share) => list.filter(() => next() < share),
    shuffled: (list) =>
      list
        .map((value) => ({ value, rank: next() }))
        .sort((a, b) => a.rank - b.rank)
        .map(({ value }) => value),
  }
}
