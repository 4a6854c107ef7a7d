import { readFileSync } from 'node:fs'
import { join as joinPath } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { OtherBindingError } from '../../loaders/binding.ts'
import type { FaultOrder } from '../../pipeline/demo/sample-platform/faults.ts'
import type { SamplePlatform } from '../../pipeline/demo/sample-platform/start.ts'
import { engines } from '../support/engines.ts'
import { useFolder } from '../support/folder.ts'
import { emptyTables } from '../support/staged.ts'
import { useDatabase } from '../support/use-database.ts'
import { type ScriptedSource, startScriptedSource } from './commands/scripted-source.ts'
import { smallCounts, smallEvent } from './commands/small-event.ts'
import { usePlatforms } from './demo/sample-platform/use-platform.ts'
import { type Ended, type PlatformSync, syncToPlatform } from './sync-to-platform.ts'

const UNCHANGED = { create: 0, update: 0, remove: 0 }

describe.each(engines)('a platform over HTTP, on %s', (engine) => {
  const database = useDatabase(engine)
  const output = useFolder()
  const platforms = usePlatforms()
  let source: ScriptedSource
  let platform: SamplePlatform

  beforeEach(async () => {
    await emptyTables(database().kysely)
    source = await startScriptedSource(structuredClone(smallEvent))
    platform = await platforms.start({ pageSize: 2 })
  })

  const sync = (more: Partial<PlatformSync> = {}): PlatformSync => ({
    database: database(),
    sourceUrl: source.url,
    platform,
    output: output(),
    ...more,
  })
  const change = (resource: 'Users' | 'Sessions', how: (list: readonly unknown[]) => readonly unknown[]) => {
    source.records = { ...source.records, [resource]: how(source.records[resource] ?? []) }
  }
  const join = (id: string) =>
    change('Users', (list) => [
      ...list,
      { Id: id, FirstName: 'Augusta', LastName: `Of ${id}`, EmailAddress: `${id}@people.example` },
    ])
  const leave = (id: string) =>
    change('Users', (list) => list.filter((user) => Reflect.get(Object(user), 'Id') !== id))
  const play = (...faults: readonly FaultOrder[]) => platform.control('faults', faults)
  const effects = async () =>
    (await platform.control('ledger')).ledger
      .filter(({ effect }) => effect !== 'unchanged')
      .map(({ effect, content, uniqueId }) => `${effect} ${content} ${uniqueId}`)
  const items = async () => {
    const state = await platform.control('state')
    return Object.values(state.items).flatMap((list) => list.map(({ uniqueId }) => uniqueId))
  }
  /** Lines of the pack on the platform's own count. */
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

  test('the first sync creates everything once, references hold, and the second sends nothing', async () => {
    const first = await syncToPlatform(sync())
    expect(first.last.error).toBeUndefined()
    expect(first).toMatchObject({ code: 0, last: { status: 'finished', changes: smallCounts } })
    expect(await effects()).toEqual(CREATED)
    expect((await platform.control('dangling')).dangling).toEqual([])
    const second = await syncToPlatform(sync())
    expect(second.code).toBe(0)
    for (const counts of Object.values(second.last.changes)) expect(counts).toMatchObject(UNCHANGED)
    expect(await effects()).toEqual(CREATED)
  })

  test('everything that is stored or sent has a point before and after it', async () => {
    const { log } = await syncToPlatform(sync())
    const lines = log.split('\n').filter((line) => line !== '')
    const points = lines.flatMap((line) => JSON.parse(line).point ?? [])
    const batch = ['batch stored', 'platform asked', 'platform answered', 'outbox written', 'answer recorded']
    const pages = ['platform asked', 'platform answered']
    expect(points.slice(points.indexOf('source read') + 1)).toEqual([
      ...[pages, pages, pages].flat(),
      ...['items read back', 'platform known'],
      ...[
        'merge begun',
        'resource merged',
        'merge begun',
        'resource merged',
        'merge begun',
        'resource merged',
      ],
      ...[
        'merge begun',
        'resource merged',
        'merge begun',
        'resource merged',
        'merge begun',
        'resource merged',
      ],
      ...['decisions made', 'plan made', 'plan stored', 'apply begun'],
      ...[batch, batch, batch, batch].flatMap((points) => ['outbox written', ...points]),
      // Neither another batch, nor a reason to withhold removals, nor a removal.
      ...['outbox written', 'outbox written', 'outbox written'],
      ...['operations sent', 'plan applied'],
      // How many items it has.
      ...[pages, pages, pages].flat(),
      'figures stored',
      // Eight of rows, the data package, the note and the report; the sums and the manifest.
      ...Array.from({ length: 13 }, () => 'pack file written'),
      ...['pack written', 'run finished'],
    ])
  })

  test('what a new database does not know is read back: nothing is created a second time', async () => {
    await syncToPlatform(sync())
    await emptyTables(database().kysely)
    const again = await syncToPlatform(sync(), { fresh: true })
    expect(again.code).toBe(0)
    for (const counts of Object.values(again.last.changes)) expect(counts).toMatchObject(UNCHANGED)
    expect(await effects()).toEqual(CREATED)
    // The platform has seen fences before: the new database goes on above them.
    join('u5')
    expect((await syncToPlatform(sync())).code).toBe(0)
    expect(await items()).toContain('u5')
  })

  test('a platform that does not say how many items it has leaves that sum out, and the run says so', async () => {
    const told = await syncToPlatform(sync())
    expect(sumsIn(told)).toHaveLength(3)
    await play({ fault: 'failBeforeCommit', on: 'items', count: 'always' })
    const untold = await syncToPlatform(sync({ retryBudgetSeconds: 1 }))
    expect(untold).toMatchObject({ code: 0, last: { status: 'finished' } })
    expect(sumsIn(untold)).toEqual([])
    expect(untold.last.notes).toEqual([
      expect.stringMatching(
        /^the platform did not say how many items it has, so its own count is not among the sums: .*500/,
      ),
    ])
  })

  test('an item that the platform does not count fails the run, whose pack says so; --refresh mends it', async () => {
    await syncToPlatform(sync())
    await play({ fault: 'acknowledgesWithoutStoring' })
    join('u5')
    const ended = await syncToPlatform(sync())
    expect(ended).toMatchObject({ code: 1, last: { status: 'failed' } })
    expect(ended.last.error).toContain(
      'the figures do not reconcile: attendees platform is 4, not 5; the platform',
    )
    expect(sumsIn(ended)).toContain('"attendees","users","platform",4,5,"false"')
    await play()
    expect(await syncToPlatform(sync(), { refresh: true })).toMatchObject({
      code: 0,
      last: { status: 'finished', changes: { attendees: { create: 1 } } },
    })
  })

  test('--refresh plans from what the platform really has', async () => {
    await syncToPlatform(sync())
    // Somebody else's hand: an item lost, which only the platform knows.
    await play({ fault: 'acknowledgesWithoutStoring' })
    join('u5')
    await syncToPlatform(sync())
    await play()
    expect(await items()).toEqual(ALL)
    expect((await syncToPlatform(sync())).last.changes.attendees.create).toBe(0)
    const refreshed = await syncToPlatform(sync(), { refresh: true })
    expect(refreshed.last.changes.attendees).toMatchObject({ create: 1, unchanged: 4 })
    expect(await items()).toContain('u5')
  })

  test.each<[string, FaultOrder]>([
    ['500 before anything happened', { fault: 'failBeforeCommit', count: 2 }],
    ['a connection that breaks before', { fault: 'failBeforeCommit', how: 'destroy', skip: 1 }],
    ['a connection that breaks after', { fault: 'failAfterCommit', how: 'destroy', skip: 1 }],
    ['503 after', { fault: 'failAfterCommit', how: 503, count: 3 }],
    ['429 with Retry-After', { fault: 'rateLimit', style: 'retryAfter', seconds: 3 }],
    ['429 with a date', { fault: 'rateLimit', style: 'retryAfterDate', seconds: 3 }],
    ['429 with X-Rate-Limit-Reset', { fault: 'rateLimit', style: 'rateLimitReset', seconds: 3 }],
    ['429 that says nothing', { fault: 'rateLimit', style: 'none' }],
    ['a fault while items are read back', { fault: 'failBeforeCommit', on: 'items', count: 2 }],
    ['results out of order', { fault: 'shuffleResults', count: 'always' }],
  ])('%s: all lands, once', async (_, fault) => {
    await play(fault)
    const { code, last } = await syncToPlatform(sync())
    expect(last.error).toBeUndefined()
    expect(code).toBe(0)
    expect((await effects()).toSorted()).toEqual(CREATED.toSorted())
  })

  test('where the platform stays silent nothing counts as failed; the next run finishes under the same run id', async () => {
    await play({ fault: 'failAfterCommit', skip: 1, count: 'always' })
    const first = await syncToPlatform(sync({ retryBudgetSeconds: 1 }))
    expect(first).toMatchObject({ code: 1, last: { status: 'failed' } })
    expect(first.last.error).toContain('platform possibly touched; the next run finishes this plan first')
    await play()
    const second = await syncToPlatform(sync())
    expect(second.reports.map(({ run, status }) => [run === first.last.run, status])).toEqual([
      [true, 'finished'],
      [false, 'finished'],
    ])
    expect(second.code).toBe(0)
    expect(await effects()).toEqual(CREATED)
  })

  test('what the platform rejects is told, exits 3, holds the removals back and is tried again', async () => {
    await syncToPlatform(sync())
    join('u5')
    change('Sessions', (list) => [
      ...list.slice(0, 1),
      { Id: 102, Title: 'Closing', TimeSlotId: 1, Enabled: false },
    ])
    await play({ fault: 'failOperation', uniqueId: 'u5', code: 'too_many', retryable: true, count: 'always' })
    const rejected = await syncToPlatform(sync())
    expect(rejected).toMatchObject({ code: 3, last: { status: 'finished', failed: 1, withheld: 1 } })
    expect(await items()).toEqual(ALL)
    await play()
    const next = await syncToPlatform(sync())
    expect(next).toMatchObject({ code: 0, last: { failed: 0, withheld: 0 } })
    expect(await items()).toEqual(['101', 'u1', 'u1', 'u2', 'u3', 'u4', 'u5'])
  })

  test('a batch that is refused whole goes one operation at a time', async () => {
    await play({ fault: 'refuseBatch', uniqueId: 'u2', count: 'always' })
    const { code, last } = await syncToPlatform(sync({ batchSize: 3 }))
    expect([code, last.failed]).toEqual([3, 1])
    expect(await items()).toEqual(ALL.filter((id) => id !== 'u2'))
  })

  test.each(['omitsAResult', 'repeatsAResult', 'addsAResult'] as const)(
    'a platform that %s is not believed: its items are read back',
    async (fault) => {
      await play({ fault, count: 2 })
      const { code } = await syncToPlatform(sync())
      expect(code).toBe(0)
      expect(await effects()).toEqual(CREATED)
      const requests = (await platform.control('requests')).requests
      const firstBatch = requests.findIndex(
        ({ method, path }) => method === 'POST' && path.endsWith('/batches'),
      )
      expect(
        requests.slice(firstBatch).some(({ method, path }) => method === 'GET' && path.includes('/items')),
      ).toBe(true)
    },
  )

  test('a platform whose answers never fit is told so, before each batch costs a read-back', async () => {
    await play({ fault: 'omitsAResult' })
    const { code, last } = await syncToPlatform(sync())
    expect(code).toBe(1)
    expect(last.error).toContain('its last 3 answers do not say what became of each operation')
  })

  describe('a plan goes to the platform that it was made for, or nowhere', () => {
    const elsewhere = { platform: { type: 'http', url: '', eventId: 'other', token: 'env:TOKEN' } }

    async function interrupt() {
      await play({ fault: 'failAfterCommit', skip: 1, count: 'always' })
      const interrupted = await syncToPlatform(sync({ retryBudgetSeconds: 0 }))
      expect(interrupted.code).toBe(1)
      await play()
      return interrupted.last.run
    }

    test('another event is refused while a run is not finished, and nothing is sent', async () => {
      await interrupt()
      const before = (await platform.control('requests')).requests.length
      const other = { ...elsewhere, platform: { ...elsewhere.platform, url: platform.url } }
      await expect(syncToPlatform(sync({ integration: other }))).rejects.toBeInstanceOf(OtherBindingError)
      expect((await platform.control('requests')).requests).toHaveLength(before)
      expect((await syncToPlatform(sync())).code).toBe(0)
      expect(await effects()).toEqual(CREATED)
    })

    test('with --rebind what was on its way is given up, and all is planned anew for the other', async () => {
      const run = await interrupt()
      const other = await platforms.start({ storage: joinPath(output(), 'other'), eventId: 'other' })
      const rebound = await syncToPlatform(sync({ platform: other }), { rebind: true })
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

    test('nothing is planned beside it', async () => {
      await interrupt()
      await expect(syncToPlatform(sync(), { command: 'plan' })).rejects.toThrow(/finishes it first$/)
    })
  })

  test('the first plan of a platform can be applied: it stands on what was read back', async () => {
    const planned = await syncToPlatform(sync(), { command: 'plan' })
    const run = await database()
      .kysely.selectFrom('sync.runs')
      .innerJoin('sync.integrations', 'sync.integrations.integration_id', 'sync.runs.integration_id')
      .where('run_id', '=', planned.last.run ?? '')
      .select(['sync.runs.base as planned', 'sync.integrations.base as now'])
      .executeTakeFirstOrThrow()
    expect(String(run.planned)).toBe(String(run.now))
    const again = await syncToPlatform(sync(), { command: 'plan' })
    expect(again.last.planHash).toBe(planned.last.planHash)
  })

  test('content that is added later is read back as well', async () => {
    await syncToPlatform(sync())
    await emptyTables(database().kysely)
    await syncToPlatform(sync({ integration: { content: ['agenda'] } }), { fresh: true })
    const all = await syncToPlatform(sync())
    expect(all.code).toBe(0)
    for (const counts of Object.values(all.last.changes)) expect(counts).toMatchObject(UNCHANGED)
  })

  test('a crash among the removals: the same batch goes out again, under its key', async () => {
    await syncToPlatform(sync())
    change('Sessions', (list) => [
      ...list.slice(0, 1),
      { Id: 102, Title: 'Closing', TimeSlotId: 1, Enabled: false },
    ])
    await play({ fault: 'failAfterCommit', skip: 0, count: 'always' })
    expect((await syncToPlatform(sync({ retryBudgetSeconds: 0 }))).code).toBe(1)
    await play()
    const { code, reports } = await syncToPlatform(sync())
    expect([code, reports[0]?.failed]).toEqual([0, 0])
    expect((await effects()).filter((effect) => effect.startsWith('removed'))).toEqual(['removed agenda 102'])
  })

  test('a process that was left behind records nothing', async () => {
    await syncToPlatform(sync())
    join('u5')
    await play({ fault: 'latency', ms: 1500 })
    const left = syncToPlatform(sync())
    // Another process has gone on with its run meanwhile.
    for (let tries = 0; tries < 200; tries += 1) {
      const { numUpdatedRows } = await database()
        .kysely.updateTable('sync.runs')
        .set({ status: 'finished' })
        .where('status', '=', 'applying')
        .executeTakeFirstOrThrow()
      if (numUpdatedRows > 0n) break
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    const { last } = await left
    expect(last.error).toContain('another process has gone on with run')
    const known = await database()
      .kysely.selectFrom('sync.platform_items')
      .where('unique_id', '=', 'u5')
      .select('unique_id')
      .execute()
    expect(known).toEqual([])
  })

  test('sealed passwords go when nobody will be created with them any more', async () => {
    const passwords = { passwords: { mode: 'random', storeEncryptedPassword: true } }
    await play({ fault: 'failOperation', uniqueId: 'u4', content: 'attendees', count: 'always' })
    await syncToPlatform(sync({ integration: passwords }))
    const sealed = () => database().kysely.selectFrom('sync.passwords').select('unique_id').execute()
    expect(await sealed()).toEqual([{ unique_id: 'u4' }])
    leave('u4')
    await syncToPlatform(sync({ integration: passwords }))
    expect(await sealed()).toEqual([])
  })

  test('a token that no header can carry is refused before anything is sent', async () => {
    const bad = { ...platform, token: 'two words' }
    await expect(syncToPlatform(sync({ platform: bad }))).rejects.toThrow(/^platform.token of summit: /)
  })

  test('a run of a database that is behind is refused, and says how to go on', async () => {
    await syncToPlatform(sync())
    // As after a backup was restored.
    await database().kysely.updateTable('sync.integrations').set({ fence: 0 }).execute()
    join('u6')
    const stale = await syncToPlatform(sync())
    expect(stale).toMatchObject({ code: 1, last: { status: 'failed' } })
    expect(stale.last.error).toContain('event-sync run --refresh')
    expect(await items()).not.toContain('u6')
    const refreshed = await syncToPlatform(sync(), { refresh: true })
    expect(refreshed.last.error).toBeUndefined()
    expect(await items()).toContain('u6')
  })

  test('the platform may die in the middle: nothing is lost, nothing is there twice', async () => {
    await play({ fault: 'failAfterCommit', how: 'crash', skip: 2 })
    const died = await syncToPlatform(sync({ retryBudgetSeconds: 0 }))
    expect(died.code).toBe(1)
    await platform.gone
    platform = await platforms.start({ port: Number(new URL(platform.url).port), pageSize: 2 })
    expect((await syncToPlatform(sync())).code).toBe(0)
    expect(await effects()).toEqual(CREATED)
  })

  test('attendees get their password when they are created, and no later', async () => {
    const canary = 'canary-password-of-all'
    const passwords = { passwords: { mode: 'global', global: 'env:PASSWORD' } }
    const first = await syncToPlatform(sync({ integration: passwords, password: canary }))
    leave('u1')
    join('u1')
    const second = await syncToPlatform(sync({ integration: passwords, password: canary }))
    const { ledger } = await platform.control('ledger')
    expect(
      ledger.filter(({ passwordGiven }) => passwordGiven).map(({ effect, uniqueId }) => [effect, uniqueId]),
    ).toEqual(['u1', 'u2', 'u3', 'u4'].map((id) => ['created', id]))
    expect(await platform.control('password', { uniqueId: 'u1', password: canary })).toEqual({
      matches: true,
    })
    expect(first.log + second.log + JSON.stringify([first.reports, second.reports])).not.toContain('canary')
  })
})
