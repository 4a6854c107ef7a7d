import { expect, test } from 'vitest'
import { engines } from '../support/engines.ts'
import { useDatabase } from '../support/use-database.ts'
import { expectComparison, RECORDS, SETUP, type Settled, without } from './settled-integration.ts'

/** Further events after the first run, each with the function that makes it happen. */
const MORE: Readonly<Record<string, (of: Settled) => Promise<unknown>>> = {
  'a record that changed in a plan that was not applied': async ({ hold, plan }) => {
    hold(without('u1'))
    expect(await plan()).toMatchObject({ report: { changes: { attendees: { remove: 1 } } } })
    hold(RECORDS)
  },
  'a run that was held': async ({ hold, run }) => {
    hold(without('u1', 'u2', 'u3'))
    expect(await run()).toMatchObject({ code: 4, sent: null })
    hold(RECORDS)
  },
  'items that are kept': async ({ configure, hold, run }) => {
    configure({ ...SETUP, removals: { action: 'keep' } })
    hold(without('u1'))
    expect(await run()).toMatchObject({ code: 0, sent: [] })
    expect(await run()).toMatchObject({ code: 0, sent: [] })
  },
  'a change of the synced contents': async ({ configure }) => configure({ ...SETUP, content: ['attendees'] }),
  'a new exclusion rule': async ({ configure }) => {
    const exclude = [{ name: 'no-u1', content: 'attendees', where: { uniqueId: 'u1' } }]
    configure({ ...SETUP, exclude })
  },
  'a run that failed': async ({ id, database }) =>
    database.kysely
      .updateTable('sync.runs')
      .set({ status: 'failed' })
      .where('integration_id', '=', id)
      .where('status', '=', 'finished')
      .execute(),
}

engines.forEach((engine) => {
  const database = useDatabase(engine)

  test.each(Object.entries(MORE))(`after %s, the next run compares all items, on ${engine}`, (_, touch) =>
    expectComparison(database(), touch),
  )
})
