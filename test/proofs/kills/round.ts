import { setTimeout as sleep } from 'node:timers/promises'
import type { Point } from '../../../pipeline/runtime/events.ts'
import type { Story } from '../../harness/sample-events.ts'
import type { FaultOrder } from '../../harness/sample-platform/faults.ts'
import { hasLeaked } from './canary.ts'
import { countOf, type Ended, savedIn } from './child.ts'
import { differences } from './compare.ts'
import type { Scenario, Workplace } from './scenario.ts'
import type { Result } from './tally.ts'

/**
 * The moment at which a process is killed: at a named point, or some time after the process was ready or
 * began to apply the plan.
 */
export type Kill =
  | { readonly point: Point; readonly hit: number }
  | { readonly afterMs: number; readonly since: 'ready' | 'applying'; readonly clock: 'leaping' | 'machine' }

/**
 * Kills processes one after another, lets the last process finish, and compares the result with the sync
 * without kills.
 *
 * @param faults faults of the platform during the round, which every platform may have
 */
export async function killRound(
  scenario: Scenario,
  story: Story,
  kills: readonly Kill[],
  faults: readonly FaultOrder[] = [],
): Promise<Result> {
  const workplace = await scenario.open(story)
  try {
    await workplace.play(...faults)
    const hits: (Point | 'moment')[] = []
    let unharmed = 0
    for (const kill of kills) {
      const ended = await killOne(workplace, kill)
      if (hasLeaked(ended.stderr)) return failed(hits, 'a run has told a password', ended)
      if (ended.isHung) return failed(hits, 'a run that was to be killed hangs', ended)
      if (ended.signal === 'SIGKILL') hits.push('point' in kill ? kill.point : 'moment')
      else if (ended.code === 0) unharmed += 1
      else return failed(hits, `a run that was to be killed failed`, ended)
    }
    return { hits, unharmed, ...(await finish(scenario, workplace)) }
  } finally {
    await workplace.close()
  }
}

async function killOne(workplace: Workplace, kill: Kill): Promise<Ended> {
  if ('point' in kill) return workplace.start({ ...kill, signal: 'SIGKILL' }).ended
  const started = workplace.start(null, kill.clock)
  await (kill.since === 'ready' ? started.ready : started.applying)
  await sleep(kill.afterMs)
  started.kill('SIGKILL')
  return started.ended
}

/**
 * Runs a process that finishes the work of the killed processes.
 *
 * @param isBelieved true if the process must use the saved reading; false if a crash of the server has
 * deleted the reading
 */
export async function finish(scenario: Scenario, workplace: Workplace, isBelieved = true) {
  const before = scenario.source.asked()
  const ended = await workplace.start().ended
  const found: string[] = []
  let requestsSaved = 0
  if (hasLeaked(ended.stderr + JSON.stringify(ended.told))) found.push('the last run has told a password')
  if (ended.code === 0) found.push(...differences(workplace.undisturbed.outcome, await workplace.outcome()))
  else found.push(`the last run ${ended.isHung ? 'hangs' : 'failed'}: ${tailOf(ended)}`)
  const saved = new Map(savedIn(ended).map(({ resource, requests }) => [resource, requests]))
  const after = scenario.source.asked()
  for (const [resource, requests] of workplace.undisturbed.requests) {
    const whole = requests * countOf(ended, 'run opened')
    const asked = (after.get(resource) ?? 0) - (before.get(resource) ?? 0)
    const there = saved.get(resource) ?? 0
    requestsSaved += whole - asked
    const due = isBelieved ? whole - there : whole
    if (ended.code === 0 && asked !== due) {
      found.push(`${resource}: ${asked} requests, where ${due} were due (${there} answers were saved)`)
    }
  }
  const { runMs, applyMs } = ended
  return { differences: found, requestsSaved, runMs, applyMs }
}

/** Returns the result of a failed round, in which a process did not do what the test expected. */
export function failed(hits: Result['hits'], what: string, ended: Ended): Result {
  const { runMs, applyMs } = ended
  const differences = [`${what}: ${tailOf(ended)}`]
  return { hits, unharmed: 0, requestsSaved: 0, runMs, applyMs, differences }
}

function tailOf({ stderr, told, code, signal }: Ended): string {
  const errors = told.flatMap((one) => (one.event === 'run ended' && one.error !== null ? [one.error] : []))
  return `exit ${code ?? signal}: ${[...errors, stderr].join(' | ').slice(-800)}`
}
