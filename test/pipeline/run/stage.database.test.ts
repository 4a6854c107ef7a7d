import { beforeEach, describe, expect, test } from 'vitest'
import { incomingName, openIncoming } from '../../../loaders/staging/incoming.ts'
import { IncomingLostError } from '../../../loaders/staging/merge.ts'
import type { RunContext } from '../../../pipeline/context/run-context.ts'
import { stage } from '../../../pipeline/run/stage.ts'
import type { Reading } from '../../../pipeline/sources/contract/source.ts'
import { engines } from '../../support/engines.ts'
import { fault, ROOMS, record, type TestResource } from '../../support/read.ts'
import { emptyTables, INTEGRATION, runId } from '../../support/staged.ts'
import { useDatabase } from '../../support/use-database.ts'

const TRACKS: TestResource = { table: 'staging.a_tracks', columns: ['title'] }

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)
  beforeEach(() => emptyTables(database().kysely))

  async function read(
    run: number,
    name: string,
    resource: TestResource,
    records: readonly Parameters<Awaited<ReturnType<typeof openIncoming>>['add']>[0][],
    certified = true,
  ): Promise<Reading> {
    const incoming = await openIncoming(database(), incomingName(runId(run), name), resource)
    for (const row of records) await incoming.add(row)
    await incoming.commit()
    await incoming.close()
    const nothing = {
      naming: [],
      keys: [],
      versionInputs: [],
      contents: [],
      neededFor: [],
      read: () => ({ path: '$', message: '' }),
    }
    return {
      resource: { name, ...resource, ...nothing },
      incoming: incoming.table,
      totals: incoming.totals(),
      certified,
      requests: 3,
      attempts: 4,
      declared: certified ? 7 : null,
      endProof: certified ? 'overlap' : 'none',
      detail: certified ? '' : 'the source moved',
      confirmed: null,
      resumedFrom: null,
      changes: null,
    }
  }

  const staged = (run: number, readings: readonly Reading[]) =>
    database().transaction((transaction) =>
      stage(
        {
          integrationId: INTEGRATION,
          runId: runId(run),
          at: () => undefined,
          integration: { source: { type: 'a' } },
        } as unknown as RunContext,
        transaction,
        readings,
      ),
    )

  async function current(table: 'staging.a_rooms' | 'staging.a_tracks') {
    const rows = await database()
      .kysely.selectFrom(table)
      .where('valid_to_run', 'is', null)
      .orderBy('source_id')
      .select('source_id')
      .execute()
    return rows.map(({ source_id }) => source_id)
  }

  const rooms = (...ids: readonly string[]) => ids.map((id) => record(id, [id, null]))
  const tracks = (...ids: readonly string[]) => ids.map((id) => record(id, [id]))

  test('each resource is merged into its staged table, and its certificate is stored', async () => {
    await staged(1, [
      await read(1, 'rooms', ROOMS, [...rooms('1', '2', '1'), fault('$', 'not an object')]),
      await read(1, 'tracks', TRACKS, tracks('a'), false),
    ])
    expect([await current('staging.a_rooms'), await current('staging.a_tracks')]).toEqual([['1', '2'], ['a']])
    const certificates = await database()
      .kysely.selectFrom('sync.certificates')
      .orderBy('resource')
      .selectAll()
      .execute()
    expect(certificates).toMatchObject([
      { resource: 'rooms', certified: true, requests: 3, end_proof: 'overlap', detail: '' },
      { resource: 'tracks', certified: false, declared: null, end_proof: 'none', detail: 'the source moved' },
    ])
    expect(
      certificates.map((row) => [Number(row.bytes), Number(row.elements), Number(row.distinct_ids)]),
    ).toEqual([
      [0, 4, 2],
      [0, 1, 1],
    ])
  })

  test('staging says if any record of any resource was added, changed or removed', async () => {
    const read2 = async (run: number, ofRooms: readonly string[], ofTracks: readonly string[]) => [
      await read(run, 'rooms', ROOMS, rooms(...ofRooms)),
      await read(run, 'tracks', TRACKS, tracks(...ofTracks)),
    ]
    const isNew = async (run: number, ofRooms: readonly string[], ofTracks: readonly string[]) =>
      (await staged(run, await read2(run, ofRooms, ofTracks))).isNew
    expect(await isNew(1, ['1'], ['a'])).toBe(true)
    expect(await isNew(2, ['1'], ['a'])).toBe(false)
    expect(await isNew(3, ['1', '2'], ['a'])).toBe(true)
    expect(await isNew(4, ['1', '2'], [])).toBe(true)
    expect(await isNew(5, ['1', '2'], [])).toBe(false)
  })

  test('if rows of one incoming table are lost, no resource is merged', async () => {
    const readings = [await read(1, 'rooms', ROOMS, rooms('1')), await read(1, 'tracks', TRACKS, tracks('a'))]
    await database()
      .kysely.deleteFrom(readings[1]?.incoming ?? 'incoming.records')
      .execute()
    await expect(staged(1, readings)).rejects.toBeInstanceOf(IncomingLostError)
    expect(await current('staging.a_rooms')).toEqual([])
    expect(await database().kysely.selectFrom('sync.certificates').selectAll().execute()).toEqual([])
  })
})
