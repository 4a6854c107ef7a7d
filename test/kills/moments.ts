import type { Point } from '../../pipeline/report.ts'
import type { Kill } from './round.ts'

/** At which hits of each point a run is killed; every point has its line, or this file does not compile. */
const HITS: Readonly<Record<Point, readonly number[]>> = {
  'run opened': [1],
  'reading handed over': [1, 2, 3],
  'page asked for': [1, 4, 9, 6, 2],
  'page read': [1, 5, 9, 3, 7],
  'records gathered': [1, 4, 9, 2, 6],
  'records committed': [1, 4, 9, 2, 6],
  'reading written': [1, 4, 9, 2, 6],
  'reading saved': [1, 4, 9, 2, 6],
  'source read': [1],
  'merge begun': [1, 3, 2],
  'resource merged': [1, 3, 2],
  'decisions made': [1],
  'plan made': [1],
  'plan stored': [1],
  'apply begun': [1],
  'platform asked': [1, 2, 5, 3, 4],
  'platform answered': [1, 2, 5, 3, 4],
  'operations sent': [1],
  'plan applied': [1],
  'pack written': [1],
}

/** Points that a run comes to only where its platform is of type http. */
const ONLY_HTTP: readonly Point[] = ['platform asked', 'platform answered']

export const POINTS = (Object.keys(HITS) as readonly Point[]).filter((point) => !ONLY_HTTP.includes(point))

/** Rounds that end so many processes at a point: most of them alone, the last of them in a row. */
export function roundsAt(point: Point, hits: number): readonly (readonly Kill[])[] {
  const kills = Array.from({ length: hits }, (_, index) => ({
    point,
    hit: HITS[point][index % HITS[point].length] ?? 1,
  }))
  const alone = kills.slice(0, Math.max(1, hits - 3)).map((kill) => [kill])
  const inARow = kills.slice(alone.length)
  const rounds: readonly (readonly Kill[])[] = inARow.length === 0 ? alone : [...alone, inARow]
  // Only a run that comes after one that died takes a reading over.
  if (point !== 'reading handed over') return rounds
  return rounds.map((round) => [{ point: 'source read', hit: 1 }, ...round])
}

/** Every point once, in rows in which each process still comes to its point after those before it. */
export const ROWS: readonly (readonly Point[])[] = [
  ['run opened', 'page asked for', 'page read', 'records gathered'],
  ['records committed', 'reading written', 'reading saved', 'source read', 'reading handed over'],
  ['merge begun', 'resource merged', 'decisions made', 'plan made', 'plan stored'],
  ['apply begun', 'operations sent', 'plan applied', 'pack written'],
]

/** A kill at a random moment. */
interface RandomKill {
  /** Of the length of a run, 0 to 1. */
  readonly share: number
  readonly clock: 'leaping' | 'machine'
}

/** Rounds of so many kills at random moments of a run; in every third round several in a row. */
export function randomRounds(kills: number, random: () => number): readonly (readonly RandomKill[])[] {
  const rounds: (readonly RandomKill[])[] = []
  for (let left = kills; left > 0; ) {
    const count = Math.min(left, random() < 1 / 3 ? 2 + Math.floor(random() * 3) : 1)
    const clock = random() < 0.75 ? 'leaping' : 'machine'
    rounds.push(Array.from({ length: count }, () => ({ share: random(), clock }) as const))
    left -= count
  }
  return rounds
}

/** Random numbers from 0 to 1 that a seed brings again (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
