import { readFileSync } from 'node:fs'
import { join as joinPath } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { OtherBindingError } from '../../loaders/ledger/binding.ts'
import type { RecordedRunOptions } from '../../pipeline/run/recorded-run.ts'
import type { FaultOrder } from '../harness/sample-platform/faults.ts'
import type { SamplePlatform } from '../harness/sample-platform/start.ts'
import { usePlatforms } from '../harness/sample-platform/use-platform.ts'
import { engines } from '../support/engines.ts'
import { smallCounts } from './commands/small-event.ts'
import type { Ended, PlatformSync } from './sync-to-platform.ts'
import { useSmallSync } from './use-small-sync.ts'

describe.each(engines)('a platform over HTTP, on %s', (engine) => {
  const { database, output, source, ...small } = useSmallSync(engine)
  const platforms = usePlatforms()
  let platform: SamplePlatform
  beforeEach(async () => {
    platform = await platforms.start({ pageSize: 2 })
  })

  const sync = (more: Partial<PlatformSync> = {}, options: Partial<RecordedRunOptions> = {}) =>
    small.sync({ platform, ...more }, options)
  const change = (resource: 'Users' | 'Sessions', how: (list: readonly unknown[]) => readonly unknown[]) => {
    source().records = { ...source().records, [resource]: how(source().records[resource] ?? []) }
  }
  const join = (id: string) =>
    change('Users', (list) => [
      ...list,
      { Id: id, FirstName: 'Augusta', LastName: `Of ${id}`, EmailAddress: `${id}@people.example` },
    ])
  const leave = (id: string) =>
    change('Users', (list) => list.filter((user) => Reflect.get(Object(user), 'Id') !== id))
  const hideClosing = () =>
    change('Sessions', ([opening]) => [opening, { Id: 102, Title: 'Closing', TimeSlotId: 1, Enabled: false }])
  const play = (...faults: readonly FaultOrder[]) => platform.control('faults', faults)
  const effects = async () =>
    (await platform.control('ledger')).ledger
      .filter(({ effect }) => effect !== 'unchanged')
      .map(({ effect, content, uniqueId }) => `${effect} ${content} ${uniqueId}`)
  const items = async () => {
    const state = await platform.control('state')
    return Object.values(state.items).flatMap((list) => list.map(({ uniqueId }) => uniqueId))
  }
  /** Returns the lines of reconciliation.csv that state how many items the platform reports. */
  const sumsIn = ({ last }: Ended) =>
    readFileSync(joinPath(String(last.output), 'reconciliation.csv'), 'utf8')
      .split('\r\n')
      .filter((line) => line.includes(',"platform",'))
  const ALL = ['101', '102', 'u1', 'u1', 'u2', 'u3', 'u4']
  const CREATED = [
    ...['u1', 'u2', 'u3', 'u4'].map((id) => `created attendees ${id}`),
    'created speakers u1',
    'created agenda 101',
    'created agenda 102',
  ]

  test('if the platform does not report its number of items, the pack leaves this figure out, and the run says so', async () => {
    const told = await sync()
    expect(sumsIn(told)).toHaveLength(3)
    // Before the run, the first request for each content asks for fence and count. The fault skips the first
    // three requests, which ask for fence and count.
    await play({ fault: 'failBeforeCommit', on: 'items', skip: 3, count: 'always' })
    const undelivered = await sync({ retryBudgetSeconds: 1 })
    expect(undelivered).toMatchObject({ code: 0, last: { status: 'finished' } })
    expect(sumsIn(undelivered)).toEqual([])
    expect(undelivered.last.notes).toEqual([
      expect.stringMatching(
        /^the platform did not say how many items it has, so its count was not reconciled: .*500/,
      ),
    ])
  })

  test('if the platform does not store an item that it confirmed, the run fails and its pack says so; --refresh repairs it', async () => {
    await sync()
    await play({ fault: 'acknowledgesWithoutStoring' })
    join('u5')
    const ended = await sync()
    expect(ended).toMatchObject({ code: 1, last: { status: 'failed' } })
    expect(ended.last.error).toContain(
      'the figures do not reconcile: attendees platform is 4, not 5; the platform',
    )
    expect(sumsIn(ended)).toContain('"attendees","users","platform",4,5,"false"')
    await play()
    expect(await items()).toEqual(ALL)
    await expect(sync()).rejects.toThrow('the platform has accepted fence 1')
    expect(await sync({}, { refresh: true })).toMatchObject({
      code: 0,
      last: { status: 'finished', changes: { attendees: { create: 1, unchanged: 4 } } },
    })
    expect(await items()).toContain('u5')
  })

  test.each<[string, FaultOrder]>([
    ['a connection that breaks after the commit', { fault: 'failAfterCommit', how: 'destroy', skip: 1 }],
    ['429 with Retry-After', { fault: 'rateLimit', style: 'retryAfter', seconds: 3 }],
    ['a fault while items are read back', { fault: 'failBeforeCommit', on: 'items', count: 2 }],
    ['results out of order', { fault: 'shuffleResults', count: 'always' }],
  ])('all operations land exactly once with %s', async (_, fault) => {
    await play(fault)
    const { code, last } = await sync()
    expect(last.error).toBeUndefined()
    expect(code).toBe(0)
    expect((await effects()).toSorted()).toEqual(CREATED.toSorted())
  })

  test('rejected operations are reported with exit code 3 and sent again; removals that records state are sent nevertheless', async () => {
    await sync()
    join('u5')
    hideClosing()
    await play({ fault: 'failOperation', uniqueId: 'u5', code: 'too_many', retryable: true, count: 'always' })
    const rejected = await sync()
    expect(rejected).toMatchObject({ code: 3, last: { status: 'finished', failed: 1, withheld: 0 } })
    expect(await items()).toEqual(ALL.filter((id) => id !== '102'))
    await play()
    const next = await sync()
    expect(next).toMatchObject({ code: 0, last: { failed: 0, withheld: 0 } })
    expect(await items()).toEqual(['101', 'u1', 'u1', 'u2', 'u3', 'u4', 'u5'])
  })

  test('a platform whose answers do not match the operations is given up after three answers', async () => {
    await play({ fault: 'omitsAResult' })
    const { code, last } = await sync()
    expect(code).toBe(1)
    expect(last.error).toContain(
      'the last 3 answers of the platform do not say what happened to each operation',
    )
  })

  describe('a plan is sent only to the platform for which it was made', () => {
    const elsewhere = { platform: { type: 'http', url: '', eventId: 'other', token: 'env:TOKEN' } }

    async function interrupt() {
      await play({ fault: 'failAfterCommit', skip: 1, count: 'always' })
      const interrupted = await sync({ retryBudgetSeconds: 0 })
      expect(interrupted.code).toBe(1)
      await play()
      return interrupted.last.run
    }

    test('while a run is unfinished, another platform event is refused, and nothing is sent', async () => {
      await interrupt()
      const before = (await platform.control('requests')).requests.length
      const other = { ...elsewhere, platform: { ...elsewhere.platform, url: platform.url } }
      await expect(sync({ integration: other })).rejects.toBeInstanceOf(OtherBindingError)
      expect((await platform.control('requests')).requests).toHaveLength(before)
      expect((await sync()).code).toBe(0)
      expect(await effects()).toEqual(CREATED)
    })

    test('with --rebind the unfinished run is given up, and everything is planned again for the other platform', async () => {
      const run = await interrupt()
      const other = await platforms.start({ storage: joinPath(output(), 'other'), eventId: 'other' })
      const rebound = await sync({ platform: other }, { rebind: true })
      expect(rebound.reports).toHaveLength(1)
      expect(rebound).toMatchObject({ code: 0, last: { changes: smallCounts } })
      const given = await database()
        .kysely.selectFrom('sync.runs')
        .where('run_id', '=', run ?? '')
        .select(['status', 'error'])
        .executeTakeFirstOrThrow()
      expect(given).toMatchObject({ status: 'failed', error: expect.stringContaining('given up') })
      expect((await other.control('ledger')).ledger.map(({ effect }) => effect)).toEqual(
        CREATED.map(() => 'created'),
      )
    })

    test('while a run is unfinished, no plan is made', async () => {
      await interrupt()
      await expect(sync({}, { command: 'plan' })).rejects.toThrow(/finish it first with `event-sync run /)
    })
  })

  test('the first plan for a platform can be applied, because the state that was read back does not make it outdated', async () => {
    const planned = await sync({}, { command: 'plan' })
    const run = await database()
      .kysely.selectFrom('sync.runs')
      .innerJoin('sync.integrations', 'sync.integrations.integration_id', 'sync.runs.integration_id')
      .where('run_id', '=', planned.last.run ?? '')
      .select(['sync.runs.base as planned', 'sync.integrations.base as now'])
      .executeTakeFirstOrThrow()
    expect(String(run.planned)).toBe(String(run.now))
    const again = await sync({}, { command: 'plan' })
    expect(again.last.planHash).toBe(planned.last.planHash)
  })

  test('a sealed password is deleted when its attendee will no longer be created', async () => {
    const passwords = { passwords: { mode: 'random', storeEncryptedPassword: true } }
    await play({ fault: 'failOperation', uniqueId: 'u4', content: 'attendees', count: 'always' })
    await sync({ integration: passwords })
    const sealed = () => database().kysely.selectFrom('sync.passwords').select('unique_id').execute()
    expect(await sealed()).toEqual([{ unique_id: 'u4' }])
    leave('u4')
    await sync({ integration: passwords })
    expect(await sealed()).toEqual([])
  })
})
