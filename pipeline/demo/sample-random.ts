/** A stream of numbers that its seed alone decides: no clock, no `Math.random`. */
export interface Random {
  /** a whole number from 0 to `count - 1` */
  below(count: number): number
  /** true in `share` of the cases, 0 to 1 */
  chance(share: number): boolean
  pick<T>(list: readonly T[]): T
  /** up to `count` different elements, in the order drawn */
  draw<T>(list: readonly T[], count: number): readonly T[]
}

/** mulberry32: small, fast, and good enough to invent names with. */
export function randomFrom(seed: number): Random {
  let state = seed | 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (count: number): number => Math.floor(next() * count)
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T
  return {
    below,
    pick,
    chance: (share) => next() < share,
    draw: (list, count) => {
      const drawn = new Set<(typeof list)[number]>()
      // Drawing again what is drawn already only makes the list shorter, never the loop longer.
      for (let turn = 0; turn < count && list.length > 0; turn += 1) drawn.add(pick(list))
      return [...drawn]
    },
  }
}

/** A stream for one element of a long list, so that the element can be made without those before it. */
export function randomAt(seed: number, index: number): Random {
  return randomFrom(Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35))
}
