// These tests run on both engines, because each has its own way to COPY records.
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { incomingName, openIncoming } from '../../../loaders/staging/incoming.ts'
import { bothEngines } from '../../support/engines.ts'
import { fault, ROOMS, record } from '../../support/read.ts'
import { runId } from '../../support/staged.ts'
import { useDatabase } from '../../support/use-database.ts'

const NAME = incomingName(runId(1), 'rooms')

/** Returns the first six bytes of the version's hash as a number. */
const checkOf = (row: { readonly versionHash: string }) => BigInt(`0x${row.versionHash.slice(0, 12)}`)

describe.each(bothEngines)('on %s', (engine) => {
  const database = useDatabase(engine)

  async function found() {
    const rows = await database()
      .kysely.selectFrom(NAME)
      .orderBy('ordinal')
      .select([sql<number>`ordinal::int`.as('ordinal'), 'source_id', 'fault_path', 'fault'])
      .execute()
    return rows.map(({ ordinal, source_id, fault_path, fault }) => [ordinal, source_id, fault_path, fault])
  }

  test('the incoming table stores records in order, and reports their number, their faults and their checksum', async () => {
    const incoming = await openIncoming(database(), NAME, ROOMS)
    const rows = [record('1', ['Hall', null]), fault('$.Id', 'no id'), record('1', ['Attic', null])]
    for (const row of rows) await incoming.add(row)
    await incoming.commit()
    await incoming.close()
    expect(incoming.totals()).toEqual({
      elements: 3,
      faults: 1,
      forgotten: 0,
      checksum: rows.map(checkOf).reduce((sum, check) => sum + check),
    })
    expect(await found()).toEqual([
      [1, '1', null, null],
      [2, null, '$.Id', 'no id'],
      [3, '1', null, null],
    ])
  })

  test('an incoming table is empty when it is opened again', async () => {
    const incoming = await openIncoming(database(), NAME, ROOMS)
    await incoming.commit()
    await incoming.close()
    expect(await found()).toEqual([])
  })

  test('if a page is read again, its earlier rows are discarded, even if they have already reached the database', async () => {
    const incoming = await openIncoming(database(), NAME, ROOMS)
    await incoming.add(record('1', ['Hall', null]))
    const start = incoming.totals()
    for (const attempt of ['Loft', 'Attic']) {
      await incoming.add(record('2', [attempt, null]))
      await incoming.add(fault('$', 'not an object'))
      if (attempt === 'Attic') await incoming.commit()
      await incoming.rewind(start)
      expect(incoming.totals()).toEqual(start)
    }
    const last = record('2', ['Yard', null])
    await incoming.add(last)
    await incoming.commit()
    await incoming.close()
    expect(incoming.totals()).toEqual({
      elements: 2,
      faults: 0,
      forgotten: 0,
      checksum: start.checksum + checkOf(last),
    })
    expect(await found()).toEqual([
      [1, '1', null, null],
      [2, '2', null, null],
    ])
  })
})
