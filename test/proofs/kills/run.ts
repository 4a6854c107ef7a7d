/**
 * Kills runs at every named point and at random moments, lets further runs finish the work, and compares the
 * result with runs without kills. Afterwards does the same with failures of PostgreSQL instead of kills.
 *
 * `node test/proofs/kills/run.ts [--random 100] [--hits 5] [--crashes 12] [--engine pglite|postgres]
 * [--source a|b] [--target jsonl|http] [--seed N]`: The option `--random` is the number of kills at random
 * moments for each engine and target. The option `--hits` is the number of kills at each point of each
 * scenario. The option `--crashes` is the number of server failures at random moments, in addition to
 * failures at points. The exit code is 1 if there is any difference.
 *
 * The options `--random 6 --hits 1` take some minutes: each point is tested once, in rounds with several
 * kills. With these options the server does not fail, and only one source is tested with a platform over
 * HTTP.
 */
import { parseArgs } from 'node:util'
import { makeRandom, type Random } from '../../harness/random.ts'
import { STORIES } from '../../harness/sample-events.ts'
import { startPostgres } from '../../support/postgres.ts'
import { crashRounds } from './crashes.ts'
import { type Databases, pgliteDatabases, postgresDatabases } from './databases.ts'
import { pointsOf, ROWS, randomFaults, randomRounds, roundsAt, storyOf } from './moments.ts'
import { TARGETS, type Target } from './platforms.ts'
import { killRound } from './round.ts'
import { openScenario, type Scenario } from './scenario.ts'
import { SOURCE_TYPES } from './sources.ts'
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
// With `--hits 1` only one source is tested over HTTP, because sending to the platform is the same for both
// sources.
const typesTo = (target: Target) => (target === 'http' && settings.hits === 1 ? types.slice(0, 1) : types)
const tally = makeTally()

async function killAtPoints(scenario: Scenario): Promise<void> {
  let round = 0
  for (const row of settings.hits === 1 ? ROWS[scenario.target] : []) {
    const kills = row.map((point) => ({ point, hit: 1 }))
    round += 1
    const result = await killRound(scenario, storyOf(round, row), kills)
    const missed = row.filter((point) => !result.hits.includes(point))
    const differences = [...result.differences, ...missed.map((point) => `never came to: ${point}`)]
    tally.add(scenario.name, 'every point once', { ...result, differences })
  }
  if (settings.hits < 2) return
  for (const point of pointsOf(scenario.target)) {
    for (const kills of roundsAt(point, scenario.target, settings.hits)) {
      round += 1
      tally.add(scenario.name, point, await killRound(scenario, storyOf(round, [point]), kills))
    }
  }
}

async function killAtRandom(scenario: Scenario, count: number, random: Random): Promise<void> {
  // The measured lengths of a run can increase later, because runs take longer while the machine is busy.
  let runMs = Math.max(...[...scenario.stories.values()].map((story) => story.runMs))
  let applyMs = Math.max(...[...scenario.stories.values()].map((story) => story.applyMs))
  for (const [index, shares] of randomRounds(count, scenario.target, random).entries()) {
    const kills = shares.map(({ share, since, clock }) => {
      return { afterMs: share * (since === 'ready' ? runMs : applyMs), since, clock }
    })
    const faults = index % 3 === 2 ? randomFaults(random) : []
    const result = await killRound(scenario, STORIES[index % 2] ?? 'first', kills, faults)
    runMs = (runMs + result.runMs) / 2
    if (result.applyMs > 0) applyMs = (applyMs + result.applyMs) / 2
    tally.add(scenario.name, 'moment', result)
  }
}

async function checkEngine(databases: Databases): Promise<void> {
  for (const target of targets) {
    for (const [index, type] of typesTo(target).entries()) {
      const count = shareOf(settings.kills, index, typesTo(target).length)
      const scenario = await openScenario(databases, type, target)
      try {
        await killAtPoints(scenario)
        await killAtRandom(scenario, count, makeRandom(settings.seed + index))
      } finally {
        await scenario.close()
      }
    }
  }
}

/** Returns how many of all kills one source gets. */
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
  for (const target of targets) {
    for (const type of typesTo(target)) {
      await crashRounds(type, target, settings.crashes, makeRandom(settings.seed), tally)
    }
  }
}

console.log(`seed ${settings.seed}`)
const checks: Promise<void>[] = []
if (values.engine !== 'postgres') checks.push(checkEngine(pgliteDatabases()))
if (values.engine !== 'pglite') checks.push(checkPostgres())
await Promise.all(checks)
process.exitCode = tally.print() ? 0 : 1
