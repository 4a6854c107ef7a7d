import { setTimeout as sleep } from 'node:timers/promises'
import type { Point } from '../../pipeline/observe/told.ts'
import { startRun } from './child.ts'
import type { Lane } from './lane.ts'
import { failed, finish } from './round.ts'
import type { Story } from './sources.ts'
import type { Result } from './tally.ts'

const PATIENCE_MS = 8_000

/**
 * Lets a run sleep at a point, ends its connections, or that of its lock alone, lets another process finish everything,
 * and wakes it up: it must notice that it no longer works for the integration.
 */
export async function sleeperRound(
  terminate: (databaseUrl: string) => Promise<unknown>,
  lane: Lane,
  story: Story,
  point: Point,
  hit: number,
): Promise<Result> {
  const workplace = await lane.open(story)
  try {
    const sleeper = startRun(
      workplace.order({ point, hit, signal: 'SIGSTOP' }, 'leaping'),
      workplace.variables,
    )
    if ((await sleeper.halted) === null)
      return failed([], 'the run ended before its point', await sleeper.ended)
    await sleep(50)
    await terminate(workplace.variables.DATABASE_URL ?? '')
    const next = startRun(workplace.order(null, 'leaping'), workplace.variables).ended
    // It may wait for rows that a transaction of the sleeper holds.
    await Promise.race([next, sleep(PATIENCE_MS)])
    sleeper.kill('SIGCONT')
    const woken = await sleeper.ended
    const other = await next
    if (other.code !== 0) return failed([point], 'the run after the sleeper failed', other)
    if (woken.isHung) return failed([point], 'the sleeper hangs', woken)
    const last = await finish(lane, workplace)
    return { hits: [point], unharmed: woken.code === 0 ? 1 : 0, ...last }
  } finally {
    await workplace.close()
  }
}
