import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openPlace, runAll, sourceAt } from '../harness/place.ts'
import { serveRecords } from '../harness/serve-records.ts'
import { useDatabase } from '../support/use-database.ts'
import { aUser } from '../traps/traps-of-a.ts'

const database = useDatabase('postgres')

test.each([
  ['extract', 'platform untouched; safe to run again'],
  ['apply', 'platform possibly touched; the next run finishes this plan first'],
  ['audit', 'platform touched; the next run writes the pack'],
])('a database that goes away at the step %s hides neither the run nor what it did', async (at, said) => {
  const source = await serveRecords('a', { Users: [aUser('u1')] })
  const output = mkdtempSync(join(tmpdir(), 'event-sync-gone-'))
  onTestFinished(async () => {
    await source.close()
    rmSync(output, { recursive: true, force: true })
  })
  let isGone = false
  const own = database()
  const goes = () => {
    throw new Error('Connection terminated unexpectedly')
  }
  const place = openPlace({
    database: {
      ...own,
      get kysely() {
        return isGone ? goes() : own.kysely
      },
      transaction: async (work) => (isGone ? goes() : own.transaction(work)),
      async lock(id) {
        const lock = await own.lock(id)
        return lock && { ...lock, transaction: async (work) => (isGone ? goes() : lock.transaction(work)) }
      },
    },
    output,
    integration: { id: `gone-${at}`, source: sourceAt('a', source.url), content: ['attendees'] },
    events: {
      emit(_, event) {
        if (event.type === 'step begun' && event.step === at) isGone = true
      },
    },
  })
  const [report] = await runAll(place)
  expect(report).toMatchObject({ status: 'failed', run: expect.stringMatching(/^[0-9a-f-]{36}$/) })
  expect(report?.error).toContain('Connection terminated unexpectedly\n')
  expect(report?.error).toContain(said)
})
