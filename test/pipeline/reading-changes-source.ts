import { expect } from 'vitest'
import type { Database } from '../../sql/database.ts'
import { type Lie, startChanging, startThree } from './changing-source.ts'
import { newPlace } from './guarded-integration.ts'

/** Expects that all records are read again if the source answers requests for ids in this way. */
export async function expectSecondReading(database: Database, lie: Lie) {
  const source = await startThree(database)
  source.hides('r3', 1)
  source.liesOfIds(lie)
  const ended = await source.run({ full: true })
  expect(ended).toMatchObject({ code: 0, sent: [], searches: { length: 1 } })
  expect(ended.certificate).toMatchObject({ confirmed: 'true', requests: '2', elements: '4' })
}

/** Expects the mark after a reading of three records, of which one has a time in these minutes. */
export async function expectMark(database: Database, itIs: number | null, minutes: number, mark: number) {
  const source = await startChanging(newPlace(database))
  source.saysItIs(itIs)
  source.put('r1', -300)
  source.put('r2', 0)
  source.put('r3', minutes)
  const first = await source.run()
  const isMark = mark === minutes
  const ahead = Number(!isMark) + Number(itIs !== null && itIs < -60)
  expect(first.report.notes).toEqual(
    isMark
      ? []
      : [
          `registrants: ${ahead === 1 ? '1 record has' : `${ahead} records have`} an updated_at too far in the future, from which readings of changes do not start; check the clock of the source`,
        ],
  )
  expect(await source.run()).toMatchObject({ code: 0, reading: 'changes', since: source.at(mark - 60) })
}
