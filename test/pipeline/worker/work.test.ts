import { describe, expect, test } from 'vitest'
import type { Job, Queue } from '../../../pipeline/database/job-queue.ts'
import { type JobResult, type WorkerState, work } from '../../../pipeline/worker/work.ts'
import { EngineStoppedError } from '../../../sql/database.ts'

const DONE: JobResult = { reports: [], code: 0, result: 'done', error: null }

/** Starts a worker with a queue in memory, and a clock that advances only when the worker sleeps. */
function setUp(waiting: string[], run: (id: string) => Promise<JobResult>, concurrency = 1, graceMs = 1_000) {
  const stop = new AbortController()
  const told: string[] = []
  const states: WorkerState[] = []
  let nowMs = 0
  let away: Error | null = null
  const guarded = async <Answer>(answer: () => Answer): Promise<Answer> => {
    if (away !== null) throw away
    return answer()
  }
  const takes: number[] = []
  const adds: number[] = []
  let excluded: readonly string[] = []
  let configured: readonly string[] = []
  const queue = {
    addDue: () => guarded(() => void adds.push(nowMs)),
    take: (count: number, excluding: readonly string[]) => {
      takes.push(nowMs)
      excluded = excluding
      return guarded(() =>
        waiting.splice(0, count).map((id): Job => {
          return { id: `job of ${id}`, retryCount: id.length - 1, integrationId: id, isByHand: false }
        }),
      )
    },
    beat: (jobs: readonly Job[]) => guarded(() => void told.push(`beat ${jobs.length}`)),
    end: ({ integrationId }: Job) => guarded(() => void told.push(`end ${integrationId}`)),
    fail: ({ integrationId }: Job, error: string, seconds: number) =>
      guarded(() => void told.push(`fail ${integrationId} for ${seconds} s: ${error}`)),
    putBack: ({ integrationId }: Job, seconds: number, id = integrationId) =>
      guarded(() => void told.push(`put ${id} back for ${seconds} s`)),
  } as unknown as Queue
  const environment = {
    now: () => nowMs,
    monotonic: () => nowMs,
    // When the worker sleeps, 2 ms of real time pass, and its clock advances by the whole sleep.
    sleep: async (ms: number, signal?: AbortSignal) => {
      await new Promise((resolve) => setTimeout(resolve, 2))
      if (signal?.aborted !== true) nowMs += ms
    },
    random: () => 1,
    randomBytes: () => new Uint8Array(),
    randomInt: () => 0,
    user: 'test',
    timeZone: 'UTC',
  }
  const log = {
    started: () => undefined,
    took: () => undefined,
    ended: () => undefined,
    trouble: (what: string) => void told.push(`trouble: ${what}`),
    recovered: () => void told.push('recovered'),
    note: () => undefined,
    warn: () => undefined,
    stopping: () => undefined,
  }
  const ended = work({
    queue,
    environment,
    log,
    run,
    choose: async () => [],
    concurrency,
    graceMs,
    giveUp(why) {
      told.push(`gives up: ${why.message}`)
      stop.abort()
    },
    excluding: () => configured,
    stop: stop.signal,
    show: (state) => states.push(state),
  })
  return {
    ended,
    told,
    takes,
    adds: () => adds.length,
    excluded: () => excluded,
    /** Makes the worker use another configuration. */
    configure(excluding: readonly string[]) {
      configured = excluding
    },
    state: () => states.at(-1),
    stop: () => stop.abort(),
    /** @param why the error that each query throws from now on, or null to make the database answer again */
    away(why: Error | null) {
      away = why
    },
  }
}

const until = async (is: () => boolean) => {
  while (!is()) await new Promise((resolve) => setTimeout(resolve, 1))
}

describe('a worker', () => {
  test('a worker takes as many jobs as it may run at the same time, and one more whenever a job ends', async () => {
    let [running, most] = [0, 0]
    const worker = setUp(
      ['a', 'b', 'c', 'd', 'e'],
      async () => {
        running += 1
        most = Math.max(most, running)
        await new Promise((resolve) => setTimeout(resolve, 5))
        running -= 1
        return DONE
      },
      2,
    )
    await until(() => worker.told.filter((one) => one.startsWith('end')).length === 5)
    worker.stop()
    expect(await worker.ended).toBe(true)
    expect(most).toBe(2)
  })

  test.each<[string, Partial<JobResult>, string]>([
    ['a run that ended ends the job, even if it is held or incomplete', { code: 4 }, 'end a'],
    [
      'a failed run fails the job',
      { result: 'failed', error: 'extract failed' },
      'fail a for 20 s: extract failed',
    ],
    ['a job that another process already runs is put back', { result: 'busy' }, 'put a back for 15 s'],
    [
      'a job with the former id of a renamed integration is put back under its new id',
      { result: 'left', leftAs: 'b' },
      'put b back for 0 s',
    ],
  ])('handles the result of a job: %s', async (_, outcome, expected) => {
    const worker = setUp(['a'], async () => ({ ...DONE, ...outcome }))
    await until(() => worker.told.includes(expected))
    worker.stop()
    await worker.ended
    expect(worker.told.filter((one) => !one.startsWith('beat'))).toEqual([expected])
  })

  test('a job of an integration that the worker does not know waits for other workers, and no try counts', async () => {
    const unknown = { result: 'left', leftAs: 'a', error: 'not in the configuration' } as const
    const worker = setUp(['a'], async () => ({ ...DONE, ...unknown }))
    await until(() => worker.excluded().length > 0)
    worker.stop()
    await worker.ended
    expect(worker.excluded()).toEqual(['a'])
    expect(worker.told.filter((one) => !one.startsWith('beat'))).toEqual(['put a back for 0 s'])
  })

  test('a worker takes no more jobs of an integration that was renamed after the worker read the configuration', async () => {
    const renamed = { result: 'left', leftAs: 'b', error: 'restart' } as const
    const worker = setUp(['a'], async () => ({ ...DONE, ...renamed }))
    await until(() => worker.excluded().length > 0)
    worker.stop()
    await worker.ended
    expect(worker.excluded()).toEqual(['b'])
    expect(worker.told.filter((one) => !one.startsWith('beat'))).toEqual(['put b back for 0 s'])
  })

  test('after the configuration was read again, a worker also takes jobs of an integration that was renamed', async () => {
    const renamed = { result: 'left', leftAs: 'b', error: 'change the id' } as const
    const worker = setUp(['a'], async () => ({ ...DONE, ...renamed }))
    await until(() => worker.excluded().length > 0)
    worker.configure(['c'])
    await until(() => !worker.excluded().includes('b'))
    worker.stop()
    await worker.ended
    expect(worker.excluded()).toEqual(['c'])
  })

  test('a worker reports a job as failed if the job cannot even start', async () => {
    const worker = setUp(['a'], () => Promise.reject(new Error('no connection')))
    await until(() => worker.told.includes('fail a for 20 s: no connection'))
    worker.stop()
    expect(await worker.ended).toBe(true)
  })

  test('a worker retries a failing job after at most 20 s, then after twice as long each time, up to 10 minutes', async () => {
    const worker = setUp(['a', 'aa', 'aaa', 'aaaaaa', 'aaaaaaa'], async () => ({
      ...DONE,
      result: 'failed',
      error: 'x',
    }))
    const waits = () => worker.told.flatMap((one) => /^fail a+ for (\d+) s: x$/.exec(one)?.[1] ?? [])
    await until(() => waits().length === 5)
    worker.stop()
    await worker.ended
    expect(waits()).toEqual(['20', '40', '80', '600', '600'])
  })

  test('a worker waits longer and longer for an unavailable database, and reports the result of its job when the database is back', async () => {
    const run = Promise.withResolvers<JobResult>()
    const worker = setUp(['a'], () => run.promise, 2)
    await until(() => worker.state()?.underWay.length === 1)
    worker.away(new Error('the database is away'))
    run.resolve(DONE)
    await until(() => worker.state()?.database === false)
    const from = worker.takes.length
    await until(() => worker.takes.length > from + 8)
    const waits = worker.takes.slice(from + 1).map((at, index) => at - (worker.takes[from + index] ?? 0))
    expect(Math.min(...waits.slice(4))).toBeGreaterThanOrEqual(30_000)
    expect(worker.told).not.toContain('end a')
    worker.away(null)
    await until(() => worker.told.includes('end a'))
    expect(worker.told).toContain('recovered')
    expect(worker.state()?.database).toBe(true)
    worker.stop()
    expect(await worker.ended).toBe(true)
  })

  test('a worker ends if its embedded database has stopped', async () => {
    const worker = setUp([], async () => DONE)
    worker.away(new EngineStoppedError('the disk is full'))
    await worker.ended
    expect(worker.told).toContain('gives up: the disk is full')
  })

  test('a worker that is stopped puts back a job that does not finish in time', async () => {
    const worker = setUp(['a'], () => new Promise(() => undefined))
    await until(() => worker.state()?.underWay.length === 1)
    worker.stop()
    expect(await worker.ended).toBe(false)
    expect(worker.told).toContain('put a back for 0 s')
  })

  test('a worker adds the runs that have come due, whether or not it has a place for them', async () => {
    const run = Promise.withResolvers<JobResult>()
    const worker = setUp(['a'], () => run.promise)
    await until(() => worker.adds() > 2 && worker.state()?.underWay.length === 1)
    run.resolve(DONE)
    const before = worker.adds()
    await until(() => worker.adds() > before + 2 && worker.state()?.underWay.length === 0)
    worker.stop()
    await worker.ended
  })

  test('a worker sends heartbeats for its running jobs', async () => {
    const run = Promise.withResolvers<JobResult>()
    const worker = setUp(['a', 'b'], () => run.promise, 2)
    await until(() => worker.told.includes('beat 2'))
    run.resolve(DONE)
    worker.stop()
    await worker.ended
  })
})
