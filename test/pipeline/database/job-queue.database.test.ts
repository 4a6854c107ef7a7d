import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import {
  type DueJobs,
  filedAs,
  findBacklog,
  type Job,
  openQueue,
  type Queue,
  SUPERVISE_SECONDS,
} from '../../../pipeline/database/job-queue.ts'
import { migrate } from '../../../pipeline/database/migrate.ts'
import { openPostgres } from '../../../pipeline/database/postgres.ts'
import { LOOK_EVERY_MS } from '../../../pipeline/worker/work.ts'
import type { Database } from '../../../sql/database.ts'
import { engines, openEngine } from '../../support/engines.ts'
import { createDatabase } from '../../support/postgres.ts'

const troubles: Error[] = []

describe.each(engines)('the queue on %s', (engine) => {
  let database: Database
  let queue: Queue

  beforeAll(async () => {
    database = await openEngine(engine)
    queue = await openQueue(database, false, (error) => troubles.push(error))
  })
  afterAll(async () => {
    await queue.close()
    await database.close()
    expect(troubles).toEqual([])
  })

  const ids = (jobs: readonly Job[]) => jobs.map(({ integrationId }) => integrationId)
  async function takeOne(integrationId: string): Promise<Job> {
    const jobs = await queue.take(10, [])
    expect(ids(jobs)).toEqual([integrationId])
    return jobs[0] as Job
  }

  test('a job that becomes due is skipped if a job of the same integration is waiting or running [R47]', async () => {
    await queue.call('summit')
    await queue.call('summit')
    const job = await takeOne('summit')
    await queue.call('summit')
    expect(await queue.take(10, [])).toEqual([])
    await queue.end(job)
    expect(await queue.take(10, [])).toEqual([])
    await queue.call('summit')
    await queue.end(await takeOne('summit'))
  })

  test('a job that the schedule created is the only waiting job of its integration, and can be started early by hand', async () => {
    const filed = { singletonKey: 'clock', group: { id: 'clock' }, startAfter: 3600 }
    await queue.boss.send('jobs', {}, filed)
    await queue.boss.send('jobs', {}, filed)
    expect(await queue.take(10, [])).toEqual([])
    // A job that is called by hand does not wait for the scheduled start.
    await queue.call('clock')
    await queue.end(await takeOne('clock'))
    expect(await queue.take(10, [])).toEqual([])
  })

  test('a worker does not take jobs of integrations that it leaves to other workers', async () => {
    for (const id of ['summit', 'expo', 'fair']) await queue.call(id)
    const [expo, ...none] = await queue.take(10, ['summit', 'fair'])
    expect([expo?.integrationId, none.length]).toEqual(['expo', 0])
    const rest = await queue.take(10, [])
    expect(ids(rest).toSorted()).toEqual(['fair', 'summit'])
    for (const job of [expo as Job, ...rest]) await queue.end(job)
  })

  test('a worker takes the chosen ones of the due jobs, and learns which jobs are running', async () => {
    for (const id of ['summit', 'expo', 'fair']) await queue.call(id)
    const due: DueJobs[] = []
    const choose = (id: string) => async (found: DueJobs) => {
      due.push(found)
      return [id]
    }
    const [expo] = await queue.take(1, ['gone'], choose('expo'))
    const [fair] = await queue.take(1, [], choose('fair'))
    const [summit] = await queue.take(1, [], choose('summit'))
    await queue.call('late')
    expect(await queue.take(1, [], async () => [])).toEqual([])
    expect([expo, fair, summit].map((job) => job?.integrationId)).toEqual(['expo', 'fair', 'summit'])
    const waiting = (found: DueJobs) => found.waiting.map(({ integrationId }) => integrationId).toSorted()
    expect(due.map(waiting)).toEqual([['expo', 'fair', 'summit'], ['fair', 'summit'], ['summit']])
    expect(due.map(({ running }) => running.toSorted())).toEqual([[], ['expo'], ['expo', 'fair']])
    for (const job of [expo, fair, summit, await takeOne('late')]) await queue.end(job as Job)
  })

  test('a job that a person asked for stays one after a failure and after a worker has put it back', async () => {
    await queue.boss.send('jobs', {}, { ...filedAs('clock') })
    expect((await takeOne('clock')).isByHand).toBe(false)
    await queue.boss.send('jobs', {}, { ...filedAs('summit'), startAfter: 3600 })
    await queue.call('summit')
    const job = await takeOne('summit')
    await queue.fail(job, 'extract failed', 0)
    const again = await takeOne('summit')
    await queue.putBack(again, 0)
    const last = await takeOne('summit')
    expect([job, again, last].map(({ isByHand }) => isByHand)).toEqual([true, true, true])
    await queue.end(last)
    await database.script("delete from queue.job where singleton_key = 'clock'")
  })

  test('if a worker puts a job back, the job waits for the given time, and the attempt is not counted', async () => {
    await queue.call('summit')
    const job = await takeOne('summit')
    await queue.putBack(job, 3600)
    const letPass = (seconds: number) =>
      database.script(`update queue.job set start_after = start_after - interval '${seconds} seconds'`)
    await letPass(3000)
    expect(await queue.take(10, [])).toEqual([])
    await letPass(600)
    const again = await takeOne('summit')
    expect(again.retryCount).toBe(0)
    await queue.end(again)
  })

  test('the backlog has the jobs that are due and not taken yet, and how long the oldest of them has been due', async () => {
    expect(await findBacklog(database)).toEqual({ waiting: 0, oldestWaitSeconds: 0 })
    await queue.call('summit')
    const job = await takeOne('summit')
    for (const id of ['expo', 'fair']) await queue.call(id)
    await queue.boss.send('jobs', {}, { singletonKey: 'clock', group: { id: 'clock' }, startAfter: 3600 })
    await database.script(
      `update queue.job set start_after = start_after - interval '900 seconds' where singleton_key = 'expo'`,
    )
    const { waiting, oldestWaitSeconds } = await findBacklog(database)
    expect(waiting).toBe(2)
    expect(Math.floor(oldestWaitSeconds / 300)).toBe(3)
    const rest = await queue.take(10, [])
    expect(await findBacklog(database)).toEqual({ waiting: 0, oldestWaitSeconds: 0 })
    await queue.call('clock')
    for (const one of [job, ...rest, await takeOne('clock')]) await queue.end(one)
  })

  test('a job that is put back under another id is a job of that integration', async () => {
    await queue.call('summit')
    await queue.putBack(await takeOne('summit'), 0, 'autumn')
    const job = await takeOne('autumn')
    await queue.call('summit')
    for (const one of [job, await takeOne('summit')]) await queue.end(one)
  })

  test('a worker that was believed dead cannot end its job after another worker has taken the job over', async () => {
    await queue.call('summit')
    const first = await takeOne('summit')
    await queue.fail(first, 'extract failed', 10)
    expect(await queue.take(10, [])).toEqual([])
    await queue.call('summit')
    const second = await takeOne('summit')
    expect(second).toMatchObject({ id: first.id, retryCount: 1 })
    await queue.end(first)
    await queue.putBack(first, 0)
    await queue.fail(first, 'again', 10)
    await queue.call('summit')
    expect(await queue.take(10, [])).toEqual([])
    await queue.end(second)
  })

  test('a job that has failed nine times is given up, and this is reported until a job of the integration succeeds', async () => {
    await queue.call('summit')
    for (let tries = 1; tries <= 9; tries += 1) {
      const job = await takeOne('summit')
      expect(job.retryCount).toBe(tries - 1)
      await queue.fail(job, `try ${tries} failed`, 3600)
      expect((await queue.givenUp('summit')).length).toBe(tries === 9 ? 1 : 0)
      if (tries < 9) await queue.call('summit')
    }
    expect(await queue.givenUp()).toMatchObject([{ integration: 'summit', tries: 9, error: 'try 9 failed' }])
    await queue.call('summit')
    await queue.end(await takeOne('summit'))
    expect(await queue.givenUp()).toEqual([])
  })

  test('a schedule that has come due since the last look of any worker adds one job; one that cannot be read is reported', async () => {
    const schedule = (id: string, cron: string, startAfter = 0) =>
      queue.boss.schedule(
        'jobs',
        cron,
        {},
        { ...filedAs(id), key: id, tz: 'Australia/Lord_Howe', startAfter },
      )
    await Promise.all([schedule('minutely', '* * * * *'), schedule('later', '* * * * *', 3600)])
    await Promise.all([schedule('leap', '0 0 29 2 *'), schedule('strange', '* * * * *')])
    await database.script(`
      update queue.schedule set created_on = created_on - interval '10 minutes';
      update queue.schedule set timezone = 'Atlantis' where key = 'strange'`)
    const letMinutesPass = (minutes: number) =>
      database.script(`update queue.version set cron_on = cron_on - interval '${minutes} minutes'`)
    // No worker has looked yet.
    await queue.addDue()
    const reported = troubles.splice(0).map(({ message }) => message)
    expect(reported).toEqual(['the schedule of strange is left out: "Atlantis" is not a time zone'])
    await queue.end(await takeOne('minutely'))
    await queue.addDue()
    expect(await queue.take(10, [])).toEqual([])
    await letMinutesPass(1)
    await queue.addDue()
    troubles.splice(0)
    await queue.end(await takeOne('minutely'))
    await queue.call('later')
    await queue.end(await takeOne('later'))
    await database.script('delete from queue.schedule')
  })

  test('all jobs of an integration that no longer exists are deleted', async () => {
    for (const id of ['summit', 'gone']) await queue.call(id)
    await queue.forget((id) => id === 'summit')
    await queue.end(await takeOne('summit'))
  })
})

test('the job of a killed worker is taken over within 30 s', async () => {
  const database = await openEngine('postgres')
  const queue = await openQueue(database, false, (error) => troubles.push(error))
  /** Lets one second pass by moving all times that the queue compares one second into the past. */
  const letSecondPass = () =>
    database.script(`
      update queue.job set heartbeat_on = heartbeat_on - interval '1 second', start_after = start_after - interval '1 second';
      update queue.queue set monitor_on = monitor_on - interval '1 second', monitor_claim_on = monitor_claim_on - interval '1 second'`)
  // Each worker looks for dead workers every SUPERVISE_SECONDS. If the killed worker was the last worker that
  // did this, other workers notice its death only up to two intervals later.
  const passEvery = 2 * SUPERVISE_SECONDS
  for (let lastPass = 0; lastPass < passEvery; lastPass += 1) {
    await queue.call('summit')
    const [killed] = await queue.take(1, [])
    const taken: Job[] = []
    let seconds = 0
    while (taken.length === 0 && seconds < 60) {
      seconds += 1
      await letSecondPass()
      if ((seconds + lastPass) % passEvery === 0) await queue.boss.supervise('jobs')
      if (seconds % (LOOK_EVERY_MS / 1000) === 0) taken.push(...(await queue.take(1, [])))
    }
    expect(taken).toEqual([{ ...killed, retryCount: 1 }])
    expect(seconds).toBeLessThanOrEqual(30)
    await queue.end(taken[0] as Job)
  }
  await queue.close()
  await database.close()
  expect(troubles).toEqual([])
})

test('a finished job is deleted from the queue within an hour', async () => {
  const database = await openEngine('postgres')
  // The queue of this test does not look for dead workers by itself, so time passes only by statements of the
  // test.
  const queue = await openQueue(database, false, (error) => troubles.push(error))
  await queue.call('summit')
  for (const job of await queue.take(1, [])) await queue.end(job)
  const minutesPerPass = 5
  const left = async () => (await queue.boss.findJobs('jobs')).length
  expect(await left()).toBe(1)
  for (let minutes = 0; minutes <= 60; minutes += minutesPerPass) {
    await queue.boss.supervise('jobs')
    await database.script(`
      update queue.job set completed_on = completed_on - interval '${minutesPerPass} minutes';
      update queue.queue set maintain_on = maintain_on - interval '${minutesPerPass} minutes'`)
  }
  expect(await left()).toBe(0)
  await queue.close()
  await database.close()
  expect(troubles).toEqual([])
})

test('several processes can create the database and the queue at the same time', async () => {
  for (let round = 0; round < 3; round += 1) {
    const url = await createDatabase(inject('postgresUrl'))
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        const database = await openPostgres(url)
        await migrate(database)
        const queue = await openQueue(database, false, (error) => troubles.push(error))
        await queue.call('summit')
        await queue.close()
        await database.close()
      }),
    )
  }
  expect(troubles).toEqual([])
})
