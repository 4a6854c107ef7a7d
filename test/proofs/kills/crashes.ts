import { setTimeout as sleep } from 'node:timers/promises'
import type { Point } from '../../../pipeline/runtime/events.ts'
import type { Random } from '../../harness/random.ts'
import { type SourceType, STORIES, type Story } from '../../harness/sample-events.ts'
import type { Ended } from './child.ts'
import { type CrashingServer, startCrashingServer } from './crashing-server.ts'
import { postgresDatabases } from './databases.ts'
import { lateCommitRound } from './late-commit.ts'
import type { Target } from './platforms.ts'
import { failed, finish } from './round.ts'
import { openScenario, type Scenario, type Workplace } from './scenario.ts'
import type { Result, Tally } from './tally.ts'

/**
 * A failure of the server while a run halts. The last value says if the run continues after the failure or
 * dies.
 */
interface ServerFailure {
  readonly server: 'crash' | 'terminate'
  readonly run: 'goes on' | 'dies'
}

const FAILURES = (['crash', 'terminate'] as const).flatMap((server) =>
  (['goes on', 'dies'] as const).map((run): ServerFailure => ({ server, run })),
)

/**
 * The points at which the server fails: during extract, between extract and merge, within the transaction,
 * and after its commit. For a platform over HTTP, the points before and after each step of applying the plan.
 */
const MOMENTS: Readonly<Record<Target, readonly (readonly [Point, number])[]>> = {
  jsonl: [
    ['source read', 1],
    ['reading saved', 4],
    ['records committed', 3],
    ['records gathered', 2],
    ['page read', 6],
    ['resource merged', 2],
    ['plan made', 1],
    ['plan stored', 1],
    ['outbox written', 1],
  ],
  http: [
    ['plan stored', 1],
    ['apply begun', 1],
    ['outbox written', 5],
    ['batch stored', 3],
    ['platform asked', 3],
    ['platform answered', 3],
    ['outbox written', 6],
    ['answer recorded', 3],
    ['operations sent', 1],
    ['plan applied', 1],
    ['pack written', 1],
  ],
}

/**
 * Crashes PostgreSQL, or ends the connections of a run, at named points and at random moments. The run
 * continues, dies or sleeps.
 *
 * A crash loses records that were read but not merged. The next run must read the lost records again.
 *
 * @param count number of failures at random moments
 */
export async function crashRounds(
  type: SourceType,
  target: Target,
  count: number,
  random: Random,
  tally: Tally,
): Promise<void> {
  if (count === 0) return
  const server = await startCrashingServer()
  if (server === null) return
  try {
    const scenario = await openScenario(postgresDatabases(server.url), type, target)
    try {
      await failEverywhere(server, scenario, count, random, tally)
    } finally {
      await scenario.close()
    }
  } finally {
    await server.stop()
  }
}

async function failEverywhere(
  server: CrashingServer,
  scenario: Scenario,
  count: number,
  random: Random,
  tally: Tally,
): Promise<void> {
  let round = 0
  const nextStory = (): Story => {
    round += 1
    return STORIES[round % 2] ?? 'first'
  }
  for (const [point, hit] of MOMENTS[scenario.target]) {
    for (const failure of FAILURES) {
      const what = `${failure.server}, run ${failure.run}, ${point}`
      tally.add(
        scenario.name,
        what,
        await failureRound(server, scenario, nextStory(), failure, { point, hit }),
      )
    }
    for (const which of ['all', 'lock'] as const) {
      const what = `sleeps, ${which === 'all' ? 'connections' : 'lock'} ended, ${point}`
      tally.add(scenario.name, what, await sleeperRound(server, which, scenario, nextStory(), point, hit))
    }
  }
  const late = await lateCommitRound(server, scenario)
  tally.add(scenario.name, 'killed, and the server commits its plan later', late)
  for (let left = count; left > 0; left -= 1) {
    const story = nextStory()
    const afterMs = random.next() * (scenario.stories.get(story)?.runMs ?? 0)
    const failure = FAILURES[left % FAILURES.length] ?? { server: 'crash', run: 'goes on' }
    const result = await failureRound(server, scenario, story, failure, { afterMs })
    tally.add(scenario.name, `${failure.server}, run ${failure.run}, moment`, result)
  }
}

type When = { readonly point: Point; readonly hit: number } | { readonly afterMs: number }

async function failureRound(
  server: CrashingServer,
  scenario: Scenario,
  story: Story,
  failure: ServerFailure,
  when: When,
): Promise<Result> {
  const workplace = await scenario.open(story)
  try {
    const ended = await failOnce(server, workplace, failure, when)
    if (ended.isHung) return failed([], 'a run that lost its server hangs', ended)
    const last = await finish(scenario, workplace, failure.server === 'terminate')
    return { hits: [], unharmed: ended.code === 0 ? 1 : 0, ...last }
  } finally {
    await workplace.close()
  }
}

async function failOnce(
  server: CrashingServer,
  workplace: Workplace,
  failure: ServerFailure,
  when: When,
): Promise<Ended> {
  const happen = () =>
    failure.server === 'crash' ? server.crash() : server.terminate(workplace.databaseUrl, 'all')
  if ('point' in when) {
    const started = workplace.start({ ...when, signal: 'SIGSTOP' })
    if (!(await started.halted)) return started.ended
    await happen()
    started.kill(failure.run === 'dies' ? 'SIGKILL' : 'SIGCONT')
    return started.ended
  }
  const started = workplace.start()
  await started.ready
  await sleep(when.afterMs)
  const happened = happen()
  if (failure.run === 'dies') started.kill('SIGKILL')
  await happened
  return started.ended
}

const PATIENCE_MS = 8_000

/**
 * Lets a run sleep at a point, and ends all its connections or only the connection with its lock. Another
 * process then finishes the work, and the first run is woken. The woken run must notice that it no longer has
 * the lock of the integration.
 */
async function sleeperRound(
  server: CrashingServer,
  which: 'all' | 'lock',
  scenario: Scenario,
  story: Story,
  point: Point,
  hit: number,
): Promise<Result> {
  const workplace = await scenario.open(story)
  try {
    const sleeper = workplace.start({ point, hit, signal: 'SIGSTOP' })
    if (!(await sleeper.halted)) return failed([], 'the run ended before its point', await sleeper.ended)
    await server.terminate(workplace.databaseUrl, which)
    const next = workplace.start().ended
    // The other run may wait for rows that a transaction of the sleeping run has locked, so the sleeping run
    // is woken after some time.
    await Promise.race([next, sleep(PATIENCE_MS)])
    sleeper.kill('SIGCONT')
    const woken = await sleeper.ended
    const other = await next
    if (other.code !== 0) return failed([point], 'the run after the sleeper failed', other)
    if (woken.isHung) return failed([point], 'the sleeper hangs', woken)
    return { hits: [point], unharmed: woken.code === 0 ? 1 : 0, ...(await finish(scenario, workplace)) }
  } finally {
    await workplace.close()
  }
}
