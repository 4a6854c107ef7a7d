import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../sql/database.ts'
import { type Engine, engines, openEngine } from '../support/engines.ts'
import { useOneFolder } from '../support/folder.ts'
import { syncRecords } from '../traps/sync.ts'

describe.each(engines)('on %s', (engine: Engine) => {
  let database: Database
  const output = useOneFolder()
  beforeAll(async () => {
    database = await openEngine(engine)
  })
  afterAll(() => database?.close())

  test('a run counts the sessions with an unknown time zone, and names the most frequent zones [R66]', async () => {
    const zones = ['CEST', 'Eastern Time', 'CEST', 'Berlin', null, { name: 'ada@people.example' }]
    const sessions = zones.map((timezone, index) => ({
      ...{
        id: index + 1,
        name: 'Talk',
        date: '2031-07-04',
        start_time: '09:00',
        end_time: '10:00',
        timezone,
      },
    }))
    const setup = { source: { type: 'b' as const, timeZone: 'Europe/Berlin' }, content: ['agenda'] }
    const sync = (id: string, records: readonly object[]) =>
      syncRecords({ database, output, id }, setup, { sessions: records })
    const { notes } = await sync('unknown-zones', sessions)
    expect(notes).toEqual([
      'a time zone that is not known in 4 sessions ("CEST" 2, "Eastern Time" 1, another value 1): read in source.timeZone (Europe/Berlin)',
    ])
    expect((await sync('known-zones', sessions.slice(3, 5))).notes).toEqual([])
  })
})
