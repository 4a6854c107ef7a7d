import { beforeEach, describe, expect, test } from 'vitest'
import { openRun as recordRun } from '../../../loaders/ledger.ts'
import { incomingName } from '../../../loaders/staging/incoming.ts'
import { startSampleSourceA } from '../../../pipeline/demo/sample-source-a.ts'
import { sampleSourceBDefaults, startSampleSourceB } from '../../../pipeline/demo/sample-source-b.ts'
import { extract } from '../../../pipeline/extract/extract.ts'
import type { RunContext } from '../../../pipeline/run-context.ts'
import { engines } from '../../support/engines.ts'
import { useDatabase } from '../../support/use-database.ts'
import { type ExtractOptions, openRun, rowsOf, testEnvironment } from './support.ts'

const people = (count: number) => Array.from({ length: count }, (_, index) => ({ Id: index + 1 }))
const nothing = { Sessions: [], TimeSlots: [], Rooms: [], Tracks: [], SessionTypes: [] }
const registrants = (count: number) => Array.from({ length: count }, (_, index) => ({ id: index + 1 }))

/** Stands for the moment at which a process dies: nothing after it happens. */
class DiedError extends Error {}

describe.each(engines)('a run that died is continued on %s', (engine) => {
  const database = useDatabase(engine)
  let clockMs = Date.UTC(2031, 4, 4, 12)
  beforeEach(async () => {
    clockMs = Date.UTC(2031, 4, 4, 12)
    await database().kysely.deleteFrom('sync.readings').execute()
    await database().kysely.deleteFrom('sync.requests').execute()
    await database().kysely.deleteFrom('sync.runs').execute()
    for (const table of await leftTables()) await database().kysely.schema.dropTable(table).execute()
  })

  /** A run whose clock leaps at each look, so that every page is a place to go on from. */
  async function newRun(
    source: Readonly<Record<string, unknown>>,
    options: ExtractOptions = {},
  ): Promise<RunContext> {
    const environment = { ...testEnvironment(), now: () => (clockMs += 2000) }
    const run = openRun(database(), source, { environment, ...options })
    const { integrationId, runId } = run
    await recordRun(database().kysely, {
      integrationId,
      runId,
      command: 'run',
      startedAt: new Date(clockMs).toISOString(),
      startedBy: 'test',
      productVersion: '0',
      configHash: '',
      contents: ['attendees'],
      base: '0',
      timeZone: null,
    })
    return run
  }

  /** Reads until so many pages have come, then dies. */
  async function dieAfter(pages: number, source: Readonly<Record<string, unknown>>): Promise<RunContext> {
    const run = await newRun(source)
    let read = 0
    const dying: RunContext = {
      ...run,
      progress: {
        ...run.progress,
        at: (_, point) => {
          if (point === 'page read') read += 1
          if (read > pages) throw new DiedError()
        },
      },
    }
    await expect(extract(dying)).rejects.toThrow(DiedError)
    return run
  }

  async function goOn(run: RunContext) {
    const [reading] = await extract(run)
    if (reading === undefined) throw new Error('nothing was read')
    const rows = await rowsOf(database(), reading)
    return {
      reading,
      ids: rows.map(({ source_id }) => source_id),
      ordinals: rows.map(({ ordinal }) => ordinal),
    }
  }

  const sourceOfA = ({ url }: { readonly url: string }) => ({ type: 'a', url, eventId: '4242' })
  const expected = (count: number) => ({
    ids: people(count).map(({ Id }) => String(Id)),
    ordinals: people(count).map(({ Id }) => Id),
  })

  test('Source A goes on at the overlap, and every record is there once', async () => {
    await using source = closing(await startSampleSourceA({ ...nothing, Users: people(20) }, { pageCap: 4 }))
    await dieAfter(3, sourceOfA(source.value))
    const before = source.value.requests.length
    const { reading, ...rest } = await goOn(await newRun(sourceOfA(source.value)))
    expect(rest).toEqual(expected(20))
    expect(reading).toMatchObject({ certified: true, endProof: 'overlap', requests: 8 })
    // Three of them were there; the fourth was read when it died, but not saved.
    expect(source.value.requests.length - before).toBe(5)
    expect(reading.attempts).toBeGreaterThanOrEqual(reading.requests)
    const requests = await database()
      .kysely.selectFrom('sync.requests')
      .select(['page', 'run_id'])
      .orderBy('page')
      .execute()
    expect(requests.map(({ page }) => page)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(new Set(requests.map(({ run_id }) => run_id)).size).toBe(1)
  })

  test('records that arrived after the last save, as from a process that lost its lock, are taken out', async () => {
    await using source = closing(await startSampleSourceA({ ...nothing, Users: people(20) }, { pageCap: 4 }))
    const died = await dieAfter(3, sourceOfA(source.value))
    const table = database().kysely.selectFrom(incomingName(died.runId, 'users'))
    const last = await table.selectAll().orderBy('ordinal', 'desc').executeTakeFirstOrThrow()
    await database()
      .kysely.insertInto(incomingName(died.runId, 'users'))
      .values({ ...last, ordinal: Number(last.ordinal) + 1, doc: JSON.stringify(last.doc) })
      .execute()
    const before = source.value.requests.length
    const { reading, ...rest } = await goOn(await newRun(sourceOfA(source.value)))
    expect(rest).toEqual(expected(20))
    expect(reading.certified).toBe(true)
    expect(source.value.requests.length - before).toBe(5)
  })

  test('a source that moved at that place is read anew', async () => {
    await using source = closing(await startSampleSourceA({ ...nothing, Users: people(20) }, { pageCap: 4 }))
    await dieAfter(3, sourceOfA(source.value))
    source.value.setData({ ...nothing, Users: people(20).slice(1) })
    const { reading, ids } = await goOn(await newRun(sourceOfA(source.value)))
    expect(ids).toEqual(expected(20).ids.slice(1))
    expect(reading).toMatchObject({ certified: true, requests: 7 })
  })

  test('Source B goes on at the next page while the total is the same, and anew when it is not', async () => {
    const data = { sessions: [], regTypes: [], registrants: registrants(9) }
    await using source = closing(await startSampleSourceB(data, { pageCap: 2 }))
    const { apiKey, authenticationSecret } = sampleSourceBDefaults
    const config = {
      type: 'b',
      url: source.value.url,
      eventId: '77',
      apiKey: 'env:API_KEY',
      authenticationSecret: 'env:AUTHENTICATION_SECRET',
    }
    expect([apiKey, authenticationSecret]).toEqual(['sample key/1', 'sample:secret+%2F'])
    await dieAfter(3, config)
    const before = source.value.requests.length
    const { ids, reading } = await goOn(await newRun(config))
    expect(ids).toEqual(registrants(9).map(({ id }) => String(id)))
    expect(reading).toMatchObject({ certified: true, endProof: 'total met', declared: 9, requests: 5 })
    expect(source.value.requests.length - before).toBeLessThan(6)

    await database().kysely.deleteFrom('sync.readings').execute()
    await dieAfter(3, config)
    source.value.setData({ ...data, registrants: registrants(10) })
    const again = await goOn(await newRun(config))
    expect(again.ids).toEqual(registrants(10).map(({ id }) => String(id)))
  })

  test.each<[string, (died: RunContext) => Promise<ExtractOptions | undefined>]>([
    [
      'the table has lost a record',
      async (died) => {
        await database()
          .kysely.deleteFrom(incomingName(died.runId, 'users'))
          .where('ordinal', '=', 2)
          .execute()
        return undefined
      },
    ],
    [
      'the table is empty, as after a crash of the server',
      async (died) => {
        await database().kysely.deleteFrom(incomingName(died.runId, 'users')).execute()
        return undefined
      },
    ],
    [
      'the table is gone',
      async (died) => {
        await database().kysely.schema.dropTable(incomingName(died.runId, 'users')).execute()
        return undefined
      },
    ],
    [
      'it is older than http.resumeMinutes',
      async () => {
        clockMs += 61 * 60_000
        return undefined
      },
    ],
    ['http.resumeMinutes is 0', async () => ({ http: { resumeMinutes: 0 } })],
  ])('what a run had read is not used where %s', async (_, spoil) => {
    await using source = closing(await startSampleSourceA({ ...nothing, Users: people(20) }, { pageCap: 4 }))
    const died = await dieAfter(3, sourceOfA(source.value))
    const options = await spoil(died)
    const before = source.value.requests.length
    const { reading, ...rest } = await goOn(await newRun(sourceOfA(source.value), options))
    expect(rest).toEqual(expected(20))
    expect(reading.attempts).toBe(reading.requests)
    expect(source.value.requests.length - before).toBe(reading.requests)
    expect(await leftTables()).toEqual([reading.incoming])
  })

  test('what a run had read is not used where an option has changed that shapes the records', async () => {
    await using source = closing(await startSampleSourceA({ ...nothing, Users: people(20) }, { pageCap: 4 }))
    await dieAfter(3, sourceOfA(source.value))
    const other = { ...sourceOfA(source.value), fields: { facebook: 'Website' } }
    const before = source.value.requests.length
    const { reading, ...rest } = await goOn(await newRun(other))
    expect(rest).toEqual(expected(20))
    expect(source.value.requests.length - before).toBe(reading.requests)
  })

  test('a run that dies again and again is continued each time, and leaves no table behind', async () => {
    await using source = closing(await startSampleSourceA({ ...nothing, Users: people(40) }, { pageCap: 4 }))
    for (let round = 0; round < 4; round += 1) await dieAfter(2, sourceOfA(source.value))
    const { reading, ...rest } = await goOn(await newRun(sourceOfA(source.value)))
    expect(rest).toEqual(expected(40))
    expect(await leftTables()).toEqual([reading.incoming])
  })

  test('a resource that was read to its end is not asked for again', async () => {
    await using source = closing(await startSampleSourceA({ ...nothing, Users: people(5) }, { pageCap: 4 }))
    await extract(await newRun(sourceOfA(source.value)))
    const before = source.value.requests.length
    const { reading, ids } = await goOn(await newRun(sourceOfA(source.value)))
    expect(source.value.requests.length).toBe(before)
    expect(ids).toEqual(expected(5).ids)
    expect(reading).toMatchObject({ certified: true, endProof: 'overlap', requests: 3 })
  })

  async function leftTables(): Promise<readonly string[]> {
    const tables = await database().kysely.introspection.getTables()
    return tables.filter(({ schema }) => schema === 'incoming').map(({ name }) => `incoming.${name}`)
  }
})

/** Closes a server when the test is done. */
function closing<Server extends { close(): Promise<void> }>(value: Server) {
  return { value, [Symbol.asyncDispose]: () => value.close() }
}
