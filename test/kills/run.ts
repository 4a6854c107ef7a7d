/**
 * Kills runs at every named point and at random moments, lets them finish, and compares with undisturbed ones; then
 * does as much to the PostgreSQL below them.
 *
 * `node test/kills/run.ts [--random 100] [--hits 5] [--crashes 12] [--engine pglite|postgres] [--source a|b]
 * [--target jsonl|http] [--seed N]`: kills at random moments of each engine and target, kills at each point of each
 * lane, blows to the server at random moments beside those at points. Exits 1 on any difference.
 *
 * `--random 6 --hits 1` takes minutes: each point once, several in a row, no blows to the server, and one source to a
 * platform over HTTP.
 */
import { parseArgs } from 'node:util'
import { startPostgres } from '../support/postgres.ts'
import { crashRounds } from './crashes.ts'
import { type Databases, pgliteDatabases, postgresDatabases } from './databases.ts'
import { type Lane, openLane } from './lane.ts'
import { pointsOf, ROWS, randomRounds, randomWeather, roundsAt, seeded, storyOf } from './moments.ts'
import { TARGETS, type Target } from './platforms.ts'
import { killRound } from './round.ts'
import { SOURCE_TYPES, STORIES } from './sources.ts'
import { makeTally } from './tally.ts'

const { values } = parseArgs({
  options: {
    random: { type: 'string', default: '100' },
    hits: { type: 'string', default: '5' },
    crashes: { type: 'string' },
    engine: { type: 'string' },
    source: { type: 'string' },
    target: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
  },
})
const crashesOf = values.crashes ?? (values.hits === '1' ? '0' : '12')
const [kills, hits, crashes, seed] = [values.random, values.hits, crashesOf, values.seed].map(Number)
const settings = { kills: kills ?? 0, hits: hits ?? 0, crashes: crashes ?? 0, seed: seed ?? 0 }
const targets = TARGETS.filter((target) => values.target === undefined || target === values.target)
const types = SOURCE_TYPES.filter((type) => values.source === undefined || type === values.source)
// The way to the platform is the same from both.
const typesTo = (target: Target) => (target === 'http' && settings.hits === 1 ? types.slice(0, 1) : types)
const startedMs = performance.now()
const say = (line: string) =>
  console.log(`${String(Math.round((performance.now() - startedMs) / 1000)).padStart(5)} s  ${line}`)
const tally = makeTally(say)

async function killAtPoints(lane: Lane): Promise<void> {
  let round = 0
  for (const row of settings.hits === 1 ? ROWS[lane.target] : []) {
    const kills = row.map((point) => ({ point, hit: 1 }))
    round += 1
    const result = await killRound(lane, storyOf(round, row), kills)
    const missed = row.filter((point) => !result.hits.includes(point))
    const differences = [...result.differences, ...missed.map((point) => `never came to: ${point}`)]
    tally.add(lane.name, 'every point once', { ...result, differences })
  }
  if (settings.hits === 1) {
    tally.tell(lane.name, 'every point once')
    return
  }
  for (const point of settings.hits === 0 ? [] : pointsOf(lane.target)) {
    for (const kills of roundsAt(point, lane.target, settings.hits)) {
      round += 1
      tally.add(lane.name, point, await killRound(lane, storyOf(round, [point]), kills))
    }
    tally.tell(lane.name, point)
  }
}

async function killAtRandom(lane: Lane, count: number, random: () => number): Promise<void> {
  // Undisturbed runs are longer while the machine is busy.
  let runMs = Math.max(...[...lane.stories.values()].map((story) => story.runMs))
  let applyMs = Math.max(...[...lane.stories.values()].map((story) => story.applyMs))
  for (const [index, shares] of randomRounds(count, lane.target, random).entries()) {
    const kills = shares.map(({ share, since, clock }) => {
      return { afterMs: share * (since === 'ready' ? runMs : applyMs), since, clock }
    })
    const weather = index % 3 === 2 ? randomWeather(random) : []
    const result = await killRound(lane, STORIES[index % 2] ?? 'first', kills, weather)
    runMs = (runMs + result.runMs) / 2
    if (result.applyMs > 0) applyMs = (applyMs + result.applyMs) / 2
    tally.add(lane.name, 'moment', result)
  }
  tally.tell(lane.name, 'moment')
}

async function checkEngine(databases: Databases): Promise<void> {
  for (const target of targets) {
    for (const [index, type] of typesTo(target).entries()) {
      const count = shareOf(settings.kills, index, typesTo(target).length)
      const lane = await openLane(databases, type, target)
      try {
        await killAtPoints(lane)
        await killAtRandom(lane, count, seeded(settings.seed + index))
      } finally {
        await lane.close()
      }
    }
  }
}

/** So many kills in all, over so many sources. */
function shareOf(count: number, index: number, sources: number): number {
  return Math.floor(count / sources) + (index < count % sources ? 1 : 0)
}

async function checkPostgres(): Promise<void> {
  const server = await startPostgres()
  try {
    if (settings.kills + settings.hits > 0) await checkEngine(postgresDatabases(server.url))
  } finally {
    await server.stop()
  }
  if (settings.crashes === 0) return
  for (const target of targets) {
    for (const type of typesTo(target)) {
      await crashRounds(type, target, settings.crashes, seeded(settings.seed), tally)
    }
  }
}

say(`seed ${settings.seed}`)
const checks: Promise<void>[] = []
if (values.engine !== 'postgres') checks.push(checkEngine(pgliteDatabases()))
if (values.engine !== 'pglite') checks.push(checkPostgres())
await Promise.all(checks)
tally.tellTotals()
process.exitCode = tally.differences === 0 ? 0 : 1
