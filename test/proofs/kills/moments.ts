import type { Point } from '../../../pipeline/runtime/events.ts'
import type { Random } from '../../harness/random.ts'
import { STORIES, type Story } from '../../harness/sample-events.ts'
import type { FaultOrder } from '../../harness/sample-platform/faults.ts'
import type { Target } from './platforms.ts'
import type { Kill } from './round.ts'

/**
 * The kills at each named point of a run: 1 means that a run is killed when it reaches the point for the
 * first time. Each point has a list for files and a list for a platform over HTTP. If a point has no line
 * here, this file does not compile. Points before the plan are the same for both targets, so they have no
 * entries for HTTP.
 */
const HITS: Readonly<Record<Point, Readonly<Record<Target, readonly number[]>>>> = {
  'run opened': { jsonl: [1], http: [] },
  'reading handed over': { jsonl: [1, 2, 3], http: [] },
  'page asked for': { jsonl: [1, 4, 9, 6, 2], http: [] },
  'page read': { jsonl: [1, 5, 9, 3, 7], http: [] },
  'records gathered': { jsonl: [1, 4, 9, 2, 6], http: [] },
  'records committed': { jsonl: [1, 4, 9, 2, 6], http: [] },
  'reading written': { jsonl: [1, 4, 9, 2, 6], http: [] },
  'reading saved': { jsonl: [1, 4, 9, 2, 6], http: [] },
  'source read': { jsonl: [1], http: [] },
  'items read back': { jsonl: [], http: [1] },
  'platform known': { jsonl: [], http: [1] },
  'merge begun': { jsonl: [1, 3, 2], http: [] },
  'resource merged': { jsonl: [1, 3, 2], http: [] },
  'decisions made': { jsonl: [1], http: [] },
  'plan made': { jsonl: [1], http: [1] },
  'plan stored': { jsonl: [1], http: [1] },
  'apply begun': { jsonl: [1], http: [1] },
  'outbox written': { jsonl: [1], http: [3, 8, 5, 4, 2] },
  'batch stored': { jsonl: [], http: [4, 6, 3, 3, 2] },
  'platform asked': { jsonl: [], http: [4, 6, 3, 3, 2] },
  'platform answered': { jsonl: [], http: [4, 6, 3, 3, 2] },
  'answer recorded': { jsonl: [1], http: [4, 6, 3, 2, 1] },
  'operations sent': { jsonl: [1], http: [1] },
  'plan applied': { jsonl: [1], http: [1] },
  'figures stored': { jsonl: [1], http: [1] },
  // A pack has 14 files; the last two are the checksums and the manifest.
  'pack file written': { jsonl: [1, 4, 8, 12, 13, 14], http: [10, 11, 12, 13, 14, 3] },
  'pack written': { jsonl: [1], http: [1] },
  'run finished': { jsonl: [1], http: [1] },
  // Runs do not reach the following points of `export`, `forget`, `purge`, `rename` and `move`;
  // export.long.test.ts, people.long.test.ts, rename.long.test.ts and move.long.test.ts test these points.
  'pack file moved': { jsonl: [], http: [] },
  'erasure begun': { jsonl: [], http: [] },
  'erasure written': { jsonl: [], http: [] },
  'person erased': { jsonl: [], http: [] },
  'manifest kept': { jsonl: [], http: [] },
  'pack beside': { jsonl: [], http: [] },
  'pack in place': { jsonl: [], http: [] },
  'pack reissued': { jsonl: [], http: [] },
  'purge noted': { jsonl: [], http: [] },
  'rows purged': { jsonl: [], http: [] },
  'pack purged': { jsonl: [], http: [] },
  'evidence begun': { jsonl: [], http: [] },
  'evidence pack copied': { jsonl: [], http: [] },
  'evidence written': { jsonl: [], http: [] },
  'evidence in place': { jsonl: [], http: [] },
  'renaming stored': { jsonl: [], http: [] },
  'folder renamed': { jsonl: [], http: [] },
  'renaming noted': { jsonl: [], http: [] },
  'table scrubbed': { jsonl: [], http: [] },
  'rebuilt whole': { jsonl: [], http: [] },
  'old directory gone': { jsonl: [], http: [] },
  'rebuilt in place': { jsonl: [], http: [] },
  'move noted at the old database': { jsonl: [], http: [] },
  'move noted at the new database': { jsonl: [], http: [] },
  'table emptied': { jsonl: [], http: [] },
  'table copied': { jsonl: [], http: [] },
  'table noted': { jsonl: [], http: [] },
  'old database marked': { jsonl: [], http: [] },
  'move finished': { jsonl: [], http: [] },
}

type PointKill = Extract<Kill, { readonly point: Point }>

/** Returns the points that a run to a target reaches. */
export function pointsOf(target: Target): readonly Point[] {
  return (Object.keys(HITS) as readonly Point[]).filter((point) => HITS[point][target].length > 0)
}

/** Points while the platform's items are read back, which happens only in the first sync. */
const ONLY_FIRST: readonly Point[] = ['items read back', 'platform known']

/**
 * Returns the story (first or second sync) for a round. The stories alternate; a point that occurs only in
 * the first sync has the first story.
 */
export function storyOf(round: number, points: readonly Point[]): Story {
  if (points.some((point) => ONLY_FIRST.includes(point))) return 'first'
  return STORIES[round % 2] ?? 'first'
}

/** Points that the next run does not reach again after a kill. */
const ONLY_ONCE: readonly Point[] = ['platform known']

/**
 * Returns rounds with this number of kills at a point. Most rounds kill one process; the last round kills
 * several processes in a row.
 */
export function roundsAt(point: Point, target: Target, hits: number): readonly (readonly PointKill[])[] {
  const places = HITS[point][target]
  const kills = Array.from({ length: hits }, (_, index) => ({
    point,
    hit: places[index % places.length] ?? 1,
  }))
  const inOneRow = ONLY_ONCE.includes(point) ? 0 : 3
  const alone = kills.slice(0, Math.max(1, hits - inOneRow)).map((kill) => [kill])
  const inARow = kills.slice(alone.length)
  const rounds: readonly (readonly PointKill[])[] = inARow.length === 0 ? alone : [...alone, inARow]
  // Only a run after a killed run takes over a saved reading, so each of these rounds begins with another
  // kill.
  if (point !== 'reading handed over') return rounds
  return rounds.map((round) => [{ point: 'source read', hit: 1 } as const, ...round])
}

/** Points that a run reaches after it has sent its operations. */
const ENDING: readonly Point[] = [
  'operations sent',
  'plan applied',
  'figures stored',
  'pack file written',
  'pack written',
  'run finished',
]

/**
 * All points, grouped in rows for rounds with several kills. The order within a row is chosen so that each
 * process still reaches its point after the kills before.
 */
export const ROWS: Readonly<Record<Target, readonly (readonly Point[])[]>> = {
  jsonl: [
    ['run opened', 'page asked for', 'page read', 'records gathered'],
    ['records committed', 'reading written', 'reading saved', 'source read', 'reading handed over'],
    ['merge begun', 'resource merged', 'decisions made', 'plan made', 'plan stored'],
    ['apply begun', 'outbox written', 'answer recorded', ...ENDING],
  ],
  http: [
    ['items read back', 'platform known', 'plan made', 'plan stored', 'apply begun'],
    ['outbox written', 'batch stored', 'platform asked', 'platform answered', 'answer recorded'],
    ENDING,
  ],
}

/** A kill at a random moment. */
interface RandomKill {
  /** The moment of the kill as a fraction of the length of a run, from 0 to 1. */
  readonly share: number
  readonly since: 'ready' | 'applying'
  readonly clock: 'leaping' | 'machine'
}

/**
 * Returns rounds with this number of kills at random moments. About every third round kills several processes
 * in a row.
 *
 * For a platform over HTTP, two thirds of the kills happen while the plan is applied, although this is the
 * shorter part of a run.
 */
export function randomRounds(
  kills: number,
  target: Target,
  random: Random,
): readonly (readonly RandomKill[])[] {
  const rounds: (readonly RandomKill[])[] = []
  for (let left = kills; left > 0; ) {
    const count = Math.min(left, random.chance(1 / 3) ? 2 + random.below(3) : 1)
    const clock = random.chance(0.75) ? 'leaping' : 'machine'
    const since = target === 'http' && random.chance(2 / 3) ? 'applying' : 'ready'
    rounds.push(Array.from({ length: count }, () => ({ share: random.next(), since, clock }) as const))
    left -= count
  }
  return rounds
}

/** Returns faults that a platform may have and that do not change its final state. */
export function randomFaults(random: Random): readonly FaultOrder[] {
  const skip = random.below(6)
  const all: readonly FaultOrder[] = [
    { fault: 'failBeforeCommit', how: 503, skip },
    { fault: 'failBeforeCommit', how: 'destroy', skip },
    { fault: 'failAfterCommit', how: 'destroy', skip, count: 2 },
    { fault: 'failAfterCommit', how: 503, skip, count: 3 },
    { fault: 'rateLimit', style: 'none', skip },
    { fault: 'latency', ms: 30, count: 'always' },
    { fault: 'shuffleResults', count: 'always' },
  ]
  return random.some(all, 1 / 5)
}
