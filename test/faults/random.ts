/** Numbers that a seed decides, from 0 up to, not including, 1. */
export type Random = () => number

/** mulberry32: small, and the same on every machine. */
export function randomOf(seed: number): Random {
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** One of a list that is not empty. */
export function pick<Value>(list: readonly Value[], random: Random): Value {
  const value = list[Math.floor(random() * list.length)]
  if (value === undefined) throw new Error('nothing to pick from')
  return value
}

export function shuffled<Value>(list: readonly Value[], random: Random): readonly Value[] {
  return list
    .map((value) => ({ value, rank: random() }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ value }) => value)
}
