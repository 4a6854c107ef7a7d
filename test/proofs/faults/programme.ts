import { makeRandom, type Random } from '../../harness/random.ts'
import { TOKEN } from '../../harness/source-server.ts'
import { resourcesOf, type SourceType } from './event.ts'
import type { Fault } from './fault.ts'
import type { Cast } from './fault-server.ts'
import { expectedAt, faults } from './table.ts'

/** The faults that occur in the run of one seed. */
export interface Programme {
  readonly type: SourceType
  readonly eventSeed: number
  readonly casts: readonly Cast[]
}

/**
 * Number of different events. The number is small, because each event needs a sync without faults for the
 * comparison.
 */
const EVENTS = 6

/**
 * Number of faults in each of ten runs: faults that make the run fail, and other faults. In a run that fails,
 * the other faults have hardly any visible effect.
 */
const TURNS: readonly (readonly [failing: number, others: number])[] = [
  [3, 1],
  [0, 4],
  [4, 0],
  [0, 3],
  [4, 0],
  [0, 4],
  [3, 1],
  [0, 0],
  [3, 1],
  [0, 4],
]

export const allKinds = [...new Set(faults.map(({ kind }) => kind))]

const placesOf = (type: SourceType) => [...resourcesOf(type), TOKEN]
const fails = (fault: Fault, type: SourceType, place: string) => expectedAt(fault, type, place) === 'failed'

/**
 * Returns the places at which the fault is possible and makes the run fail; or, if `failing` is false, does
 * not make the run fail.
 */
function placesAt(fault: Fault, type: SourceType, failing: boolean): readonly string[] {
  return placesOf(type).filter(
    (place) => expectedAt(fault, type, place) !== null && fails(fault, type, place) === failing,
  )
}

/**
 * Returns the kinds of faults that are possible at a source. A kind that is possible only at this source is
 * listed twice.
 */
function deckOf(type: SourceType, failing: boolean): readonly string[] {
  return allKinds.flatMap((kind) => {
    const rows = faults.filter((fault) => fault.kind === kind)
    if (!rows.some((fault) => placesAt(fault, type, failing).length > 0)) return []
    return rows.every(({ sources }) => sources.length === 1) ? [kind, kind] : [kind]
  })
}

const decks = new Map(
  (['a', 'b'] as const).flatMap((type) =>
    [true, false].map((failing) => [`${type} ${failing}`, deckOf(type, failing)] as const),
  ),
)

/**
 * Returns the kinds of faults for one run: the next part of an endless list, in which all kinds are repeated
 * in random order.
 */
function kindsAt(type: SourceType, turn: number, failing: boolean): readonly string[] {
  const counts = TURNS.map(([some, others]) => (failing ? some : others))
  const sum = (list: readonly number[]) => list.reduce((total, count) => total + count, 0)
  const first = sum(counts) * Math.floor(turn / counts.length) + sum(counts.slice(0, turn % counts.length))
  const deck = decks.get(`${type} ${failing}`) ?? []
  return Array.from({ length: counts[turn % counts.length] ?? 0 }, (_, index) => {
    const place = first + index
    const round = makeRandom(7919 * (1 + Math.floor(place / deck.length)) + (type === 'a' ? 0 : 1))
    return round.shuffled(deck)[place % deck.length] ?? ''
  })
}

/**
 * Returns the faults of a seed. The same seed has the same faults on every machine, independently of other
 * seeds.
 */
export function programmeOf(seed: number): Programme {
  const type = seed % 2 === 0 ? 'a' : 'b'
  const random = makeRandom(seed)
  const free = new Set(placesOf(type))
  const due = [true, false].flatMap((failing) =>
    kindsAt(type, Math.floor(seed / 2), failing).map((kind) => {
      const rows = faults.filter((fault) => fault.kind === kind && placesAt(fault, type, failing).length > 0)
      const fault = random.pick(rows)
      return { fault, places: placesAt(fault, type, failing) }
    }),
  )
  // The faults with the fewest possible places are assigned first.
  const choosing = due.toSorted((one, other) => one.places.length - other.places.length)
  const casts = choosing.flatMap(({ fault, places }): readonly Cast[] => {
    const left = places.filter((place) => free.has(place))
    if (left.length === 0) return []
    const place = random.pick(left)
    free.delete(place)
    return [{ fault, place, fromPage: fromPageOf(fault, place, random) }]
  })
  return { type, eventSeed: seed % EVENTS, casts }
}

/**
 * Returns the first page with the fault. Every resource has at least two pages. Some faults are possible only
 * from the first page on, others only from the second page on.
 */
function fromPageOf(fault: Fault, place: string, random: Random): number {
  if (place === TOKEN || fault.isOfAllPages) return 1
  return fault.fromPage === 2 ? 2 : random.pick([1, 1, 2])
}
