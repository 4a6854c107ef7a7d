import { setTimeout as sleep } from 'node:timers/promises'
import type { Point } from '../../pipeline/observe/told.ts'
import { type Ended, startRun } from './child.ts'
import { type CrashingServer, startCrashingServer } from './crashing-server.ts'
import { postgresDatabases } from './databases.ts'
import { type Lane, openLane, type Workplace } from './lane.ts'
import { lateCommitRound } from './late-commit.ts'
import type { Target } from './platforms.ts'
import { failed, finish } from './round.ts'
import { sleeperRound } from './sleeper.ts'
import { type SourceType, STORIES, type Story } from './sources.ts'
import type { Result, Tally } from './tally.ts'

/** What happens at the server while a run halts, and whether the run is there to notice. */
interface Blow {
  readonly server: 'crash' | 'terminate'
  readonly run: 'goes on' | 'dies'
}

const BLOWS: readonly Blow[] = [
  { server: 'crash', run: 'goes on' },
  { server: 'crash', run: 'dies' },
  { server: 'terminate', run: 'goes on' },
  { server: 'terminate', run: 'dies' },
]

/**
 * Between extract and merge, during extract, in the transaction, and after its commit; of a platform over HTTP, on
 * both sides of everything that is stored or sent while the plan is applied.
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

const LATE_COMMIT = 'killed, and the server commits its plan later'

/**
 * Crashes PostgreSQL, or ends the connections of a run that goes on, dies or sleeps, at named points and at random
 * moments.
 *
 * What was read and not merged is gone after a crash: nothing of it may be believed.
 *
 * @param count blows at random moments
 */
export async function crashRounds(
  type: SourceType,
  target: Target,
  count: number,
  random: () => number,
  tally: Tally,
): Promise<void> {
  const server = await startCrashingServer()
  if (server === null) return
  try {
    const lane = await openLane(postgresDatabases(server.url), type, target)
    try {
      await strikeAll(server, lane, count, random, tally)
    } finally {
      await lane.close()
    }
  } finally {
    await server.stop()
  }
}

async function strikeAll(
  server: CrashingServer,
  lane: Lane,
  count: number,
  random: () => number,
  tally: Tally,
): Promise<void> {
  let round = 0
  const nextStory = (): Story => {
    round += 1
    return STORIES[round % 2] ?? 'first'
  }
  for (const [point, hit] of count === 0 ? [] : MOMENTS[lane.target]) {
    for (const blow of BLOWS) {
      const strike = (workplace: Workplace) => strikeAt(server, workplace, blow, point, hit)
      tally.add(lane.name, named(blow, point), await strikeRound(lane, nextStory(), blow, strike))
      tally.tell(lane.name, named(blow, point))
    }
  }
  for (const [point, hit] of count === 0 ? [] : MOMENTS[lane.target]) {
    for (const which of ['all', 'lock'] as const) {
      const what = `sleeps, ${which === 'all' ? 'connections' : 'lock'} ended, ${point}`
      const terminate = (url: string) => server.terminate(url, which)
      tally.add(lane.name, what, await sleeperRound(terminate, lane, nextStory(), point, hit))
      tally.tell(lane.name, what)
    }
  }
  if (count > 0) {
    tally.add(lane.name, LATE_COMMIT, await lateCommitRound(server, lane))
    tally.tell(lane.name, LATE_COMMIT)
  }
  for (let left = count; left > 0; left -= 1) {
    const blow = BLOWS[left % BLOWS.length] ?? { server: 'crash', run: 'goes on' }
    const story = nextStory()
    const afterMs = random() * (lane.stories.get(story)?.runMs ?? 0)
    const strike = (workplace: Workplace) => strikeAfter(server, workplace, blow, afterMs)
    tally.add(lane.name, named(blow, 'moment'), await strikeRound(lane, story, blow, strike))
  }
  for (const blow of count === 0 ? [] : BLOWS) tally.tell(lane.name, named(blow, 'moment'))
}

function named(blow: Blow, where: Point | 'moment'): string {
  return `${blow.server}, run ${blow.run}, ${where}`
}

async function strikeRound(
  lane: Lane,
  story: Story,
  blow: Blow,
  strike: (workplace: Workplace) => Promise<Ended>,
): Promise<Result> {
  const workplace = await lane.open(story)
  try {
    const ended = await strike(workplace)
    if (ended.isHung) return failed([], 'a run that lost its server hangs', ended)
    const last = await finish(lane, workplace, blow.server === 'terminate')
    return { hits: [], unharmed: ended.code === 0 ? 1 : 0, ...last }
  } finally {
    await workplace.close()
  }
}

async function strikeAt(
  server: CrashingServer,
  workplace: Workplace,
  blow: Blow,
  point: Point,
  hit: number,
): Promise<Ended> {
  const started = startRun(workplace.order({ point, hit, signal: 'SIGSTOP' }, 'leaping'), workplace.variables)
  if ((await started.halted) === null) return started.ended
  // It tells of the point just before it halts.
  await sleep(50)
  await land(server, workplace, blow)
  started.kill(blow.run === 'dies' ? 'SIGKILL' : 'SIGCONT')
  return started.ended
}

async function strikeAfter(
  server: CrashingServer,
  workplace: Workplace,
  blow: Blow,
  afterMs: number,
): Promise<Ended> {
  const started = startRun(workplace.order(null, 'leaping'), workplace.variables)
  await started.ready
  await sleep(afterMs)
  const landed = land(server, workplace, blow)
  if (blow.run === 'dies') started.kill('SIGKILL')
  await landed
  return started.ended
}

async function land(server: CrashingServer, { variables }: Workplace, blow: Blow): Promise<void> {
  if (blow.server === 'crash') await server.crash()
  else await server.terminate(variables.DATABASE_URL ?? '')
}
