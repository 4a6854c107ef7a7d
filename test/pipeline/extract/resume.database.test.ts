import { beforeEach, describe, expect, test } from 'vitest'
import { openRun as recordRun } from '../../../loaders/ledger/ledger.ts'
import { incomingName } from '../../../loaders/staging/incoming.ts'
import type { RunContext } from '../../../pipeline/context/run-context.ts'
import { extract } from '../../../pipeline/extract/extract.ts'
import { stage } from '../../../pipeline/run/stage.ts'
import type { Reading } from '../../../pipeline/sources/contract/source.ts'
import { startSampleSourceA } from '../../harness/sample-source/a.ts'
import { startSampleSourceB } from '../../harness/sample-source/b.ts'
import { engines } from '../../support/engines.ts'
import { emptyTables } from '../../support/staged.ts'
import { useDatabase } from '../../support/use-database.ts'
import {
  type ExtractOptions,
  extractOne,
  NOTHING_OF_A,
  openRun,
  registrants,
  sourceA,
  sourceB,
  testEnvironment,
  users,
} from './support.ts'
import { useServers } from './use-servers.ts'

/** Simulates the death of a process: after this error the run does nothing more. */
class DiedError extends Error {}

describe.each(engines)('a later run continues a run that died, on %s', (engine) => {
  const database = useDatabase(engine)
  let clockMs = Date.UTC(2031, 4, 4, 12)
  beforeEach(async () => {
    clockMs = Date.UTC(2031, 4, 4, 12)
    await database().kysely.deleteFrom('sync.readings').execute()
    await database().kysely.deleteFrom('sync.requests').execute()
    await database().kysely.deleteFrom('sync.runs').execute()
    for (const table of await leftTables()) await database().kysely.schema.dropTable(table).execute()
  })

  /**
   * Opens a run whose clock advances by 2 s whenever it is read, so that the run saves its progress after
   * every page.
   */
  async function newRun(
    source: Readonly<Record<string, unknown>>,
    options: ExtractOptions = {},
  ): Promise<RunContext> {
    const now = () => (clockMs += 2000)
    const environment = { ...testEnvironment(), now, monotonic: now }
    const run = openRun(database(), source, { environment, ...options })
    const { integrationId, runId } = run
    await recordRun(database().kysely, {
      integrationId,
      runId,
      command: 'run',
      startedAt: new Date(clockMs).toISOString(),
      startedBy: 'test',
      productVersion: '0',
      configuration: '',
      contents: ['attendees'],
      platformRevision: '0',
      eventName: null,
      silencedHints: [],
      timeZone: null,
      custom: {},
      nextDueAt: null,
      maxQuarantined: 0,
    })
    return run
  }

  /** Reads the given number of pages, and dies while it reads the next page. */
  async function dieAfter(pages: number, source: Readonly<Record<string, unknown>>): Promise<RunContext> {
    const run = await newRun(source)
    let read = 0
    const dying: RunContext = {
      ...run,
      at(point) {
        if (point === 'page read') read += 1
        if (read > pages) throw new DiedError()
      },
    }
    await expect(extract(dying)).rejects.toThrow(DiedError)
    return run
  }

  async function goOn(run: RunContext, freshRead = false) {
    const { reading, rows } = await extractOne(run, freshRead)
    return {
      reading,
      ids: rows.map(({ source_id }) => source_id),
      ordinals: rows.map(({ ordinal }) => ordinal),
    }
  }

  const { closing } = useServers()
  const serveUsers = async (count: number) =>
    closing(await startSampleSourceA({ ...NOTHING_OF_A, Users: users(count) }, { pageCap: 4 }))
  const expected = (count: number) => ({
    ids: users(count).map(({ Id }) => String(Id)),
    ordinals: users(count).map(({ Id }) => Id),
  })

  test('a reading of Source A continues at the record that two pages share, and each record is read once', async () => {
    const source = await serveUsers(20)
    await dieAfter(3, sourceA(source.url))
    const before = source.requests.length
    const { reading, ...rest } = await goOn(await newRun(sourceA(source.url)))
    expect(rest).toEqual(expected(20))
    expect(reading).toMatchObject({ certified: true, endProof: 'overlap', requests: 8 })
    // Three pages were saved. The run died after it had read the fourth page but before it had saved this
    // page.
    expect(source.requests.length - before).toBe(5)
    expect(reading.attempts).toBeGreaterThanOrEqual(reading.requests)
    const requests = await database()
      .kysely.selectFrom('sync.requests')
      .select(['page', 'run_id'])
      .orderBy('page')
      .execute()
    expect(requests.map(({ page }) => page)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(new Set(requests.map(({ run_id }) => run_id)).size).toBe(1)
  })

  test('records written after the last save, for example by a process that lost its lock, are deleted', async () => {
    const source = await serveUsers(20)
    const died = await dieAfter(3, sourceA(source.url))
    const table = database().kysely.selectFrom(incomingName(died.runId, 'users'))
    const last = await table.selectAll().orderBy('ordinal', 'desc').executeTakeFirstOrThrow()
    await database()
      .kysely.insertInto(incomingName(died.runId, 'users'))
      .values({ ...last, ordinal: Number(last.ordinal) + 1, doc: JSON.stringify(last.doc) })
      .execute()
    const before = source.requests.length
    const { reading, ...rest } = await goOn(await newRun(sourceA(source.url)))
    expect(rest).toEqual(expected(20))
    expect(reading.certified).toBe(true)
    expect(source.requests.length - before).toBe(5)
  })

  test('if the record at the position of the cursor has changed, the source is read again from its start', async () => {
    const source = await serveUsers(20)
    await dieAfter(3, sourceA(source.url))
    source.setData({ ...NOTHING_OF_A, Users: users(20).slice(1) })
    const { reading, ids } = await goOn(await newRun(sourceA(source.url)))
    expect(ids).toEqual(expected(20).ids.slice(1))
    expect(reading).toMatchObject({ certified: true, requests: 7 })
  })

  test('a reading of Source B continues at the next page if the total is unchanged; otherwise it starts again', async () => {
    const data = { sessions: [], regTypes: [], registrants: registrants(9) }
    const source = closing(await startSampleSourceB(data, { pageCap: 2 }))
    const config = sourceB(source.url)
    await dieAfter(3, config)
    const before = source.requests.length
    const { ids, reading } = await goOn(await newRun(config))
    expect(ids).toEqual(registrants(9).map(({ id }) => String(id)))
    expect(reading).toMatchObject({ certified: true, endProof: 'total met', declared: 9, requests: 5 })
    expect(source.requests.length - before).toBeLessThan(6)

    await database().kysely.deleteFrom('sync.readings').execute()
    await dieAfter(3, config)
    source.setData({ ...data, registrants: registrants(10) })
    const again = await goOn(await newRun(config))
    expect(again.ids).toEqual(registrants(10).map(({ id }) => String(id)))
  })

  test('if a record comes again after the interruption, the source is read again from its start [R78]', async () => {
    const data = { sessions: [], regTypes: [], registrants: registrants(9) }
    const source = closing(await startSampleSourceB(data, { pageCap: 2 }))
    await dieAfter(3, sourceB(source.url))
    const moved = [...registrants(9).slice(-1), ...registrants(9).slice(0, -1)]
    source.setData({ ...data, registrants: moved })
    const { ids, reading } = await goOn(await newRun(sourceB(source.url)))
    expect(ids).toEqual(moved.map(({ id }) => String(id)))
    expect(reading).toMatchObject({ certified: true, resumedFrom: null, requests: 5 })
  })

  const incomingOf = ({ runId }: RunContext) => incomingName(runId, 'users')
  const remove = (died: RunContext) => database().kysely.deleteFrom(incomingOf(died))
  const wantsFresh = { isFresh: true }
  const hasOtherFields = { fields: { facebook: 'Website' } }
  test.each<[string, (died: RunContext) => unknown, (ExtractOptions & { isFresh?: boolean })?, object?]>([
    ['the table has lost a record', (died) => remove(died).where('ordinal', '=', 2).execute()],
    ['the table is empty, as after a crash of the server', (died) => remove(died).execute()],
    ['the table is gone', (died) => database().kysely.schema.dropTable(incomingOf(died)).execute()],
    [
      'they are older than http.resumeMinutes',
      () => {
        clockMs += 61 * 60_000
      },
    ],
    ['http.resumeMinutes is 0', () => undefined, { http: { resumeMinutes: 0 } }],
    ['a fresh reading is requested', () => undefined, wantsFresh],
    ['an option that shapes the records has changed', () => undefined, {}, hasOtherFields],
  ])('the pages of the earlier run are not used if %s', async (_, spoil, options, more) => {
    const source = await serveUsers(20)
    const died = await dieAfter(3, sourceA(source.url))
    await spoil(died)
    const before = source.requests.length
    const { reading, ...rest } = await goOn(
      await newRun({ ...sourceA(source.url), ...more }, options),
      options?.isFresh,
    )
    expect(rest).toEqual(expected(20))
    expect(reading.attempts).toBe(reading.requests)
    expect(source.requests.length - before).toBe(reading.requests)
    expect(await leftTables()).toEqual([reading.incoming])
  })

  test('a run that dies repeatedly is continued each time and leaves no table behind', async () => {
    const source = await serveUsers(40)
    for (let round = 0; round < 4; round += 1) await dieAfter(2, sourceA(source.url))
    const { reading, ...rest } = await goOn(await newRun(sourceA(source.url)))
    expect(rest).toEqual(expected(40))
    expect(await leftTables()).toEqual([reading.incoming])
  })

  test('a resource that was read completely is not requested again', async () => {
    const source = await serveUsers(5)
    await extract(await newRun(sourceA(source.url)))
    const before = source.requests.length
    const { reading, ids } = await goOn(await newRun(sourceA(source.url)))
    expect(source.requests.length).toBe(before)
    expect(ids).toEqual(expected(5).ids)
    expect(reading).toMatchObject({ certified: true, endProof: 'overlap', requests: 3 })
  })

  describe('if the staged version of a record is current, only its id is read', () => {
    const read = async (isFresh = false) => {
      const { reading } = await extractOne(await newRun(sourceA(servedAt)), isFresh)
      return { reading, read: await withDocuments(reading) }
    }
    const withDocuments = async ({ incoming }: Reading) => {
      const rows = await database()
        .kysely.selectFrom(incoming)
        .orderBy('ordinal')
        .select(['source_id', 'doc'])
        .execute()
      return rows.flatMap(({ source_id, doc }) => (doc === null ? [] : source_id))
    }
    const stageAll = async () => {
      const run = await newRun(sourceA(servedAt))
      const readings = await extract(run)
      await database().transaction((transaction) => stage(run, transaction, readings))
    }
    const erase = (id: string) =>
      database()
        .kysely.updateTable('staging.a_users')
        .set({ version_hash: Buffer.alloc(32, 7), doc: '{}' })
        .where('source_id', '=', id)
        .execute()
    let servedAt = ''
    beforeEach(async () => {
      await emptyTables(database().kysely)
      servedAt = (await serveUsers(6)).url
      await stageAll()
    })

    test('a fresh reading reads the values of every record, even after the values of one record were erased', async () => {
      expect((await read()).read).toEqual([])
      expect((await read(true)).read).toEqual(expected(6).ids)
      await erase('3')
      expect((await read(true)).read).toEqual(expected(6).ids)
    })

    test('if the last reading stored only the id of a record and the record is then erased, the next run reads all its values', async () => {
      const died = await read()
      expect(died.read).toEqual([])
      await erase('3')
      const again = await read()
      expect(again.read).toEqual(['3'])
      expect(again.reading).toMatchObject({ resumedFrom: null, totals: { elements: 6, faults: 0 } })
    })
  })

  async function leftTables(): Promise<readonly string[]> {
    const tables = await database().kysely.introspection.getTables()
    return tables.filter(({ schema }) => schema === 'incoming').map(({ name }) => `incoming.${name}`)
  }
})
