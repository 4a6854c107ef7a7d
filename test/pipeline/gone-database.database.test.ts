import { expect, onTestFinished, test } from 'vitest'
import { runReported } from '../../pipeline/run/run.ts'
import type { RunEvent as Event } from '../../pipeline/runtime/events.ts'
import { openPlace, runAll, sourceAt } from '../harness/place.ts'
import { serveRecords } from '../harness/serve-records.ts'
import { makeFolder } from '../support/folder.ts'
import { useDatabase } from '../support/use-database.ts'
import { aUser } from '../traps/traps-of-a.ts'

const database = useDatabase('postgres')

/** Opens an integration whose database fails when the test says so. */
async function openGoing(id: string) {
  const source = await serveRecords('a', { Users: [aUser('u1')] })
  onTestFinished(source.close)
  let isGone = false
  let goesAt: (event: Event) => boolean = () => false
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
    output: makeFolder(),
    integration: { id, source: sourceAt('a', source.url), content: ['attendees'] },
    events: {
      emit(_, event) {
        if (goesAt(event)) isGone = true
      },
    },
  })
  return {
    place,
    /**
     * Makes the database work again until the next event that matches. With null in place of an event, the
     * database fails at once.
     */
    goAt(when: ((event: Event) => boolean) | null) {
      isGone = when === null
      goesAt = when ?? goesAt
    },
  }
}

const beginning = (step: string) => (event: Event) => event.type === 'step begun' && event.step === step

test.each([
  ['extract', 'extract failed: Connection terminated unexpectedly\nplatform untouched; safe to run again'],
  ['apply', 'platform possibly touched; the next run finishes this plan first'],
  ['audit', 'platform touched; the next run writes the pack'],
])(
  'if the database fails at the step %s, the report still contains the run and its effect',
  async (at, said) => {
    const { place, goAt } = await openGoing(`gone-${at}`)
    goAt(beginning(at))
    const [report] = await runAll(place)
    expect(report).toMatchObject({ status: 'failed', run: expect.stringMatching(/^[0-9a-f-]{36}$/) })
    expect(report?.error).toContain('Connection terminated unexpectedly\n')
    expect(report?.error).toContain(said)
  },
)

test('a finished run is reported even if the database fails before the next run begins', async () => {
  const { place, goAt } = await openGoing('gone-between')
  goAt(beginning('apply'))
  await runAll(place)
  goAt(({ type }) => type === 'run ended')
  const [finished, next, ...others] = await runAll(place)
  expect(finished).toMatchObject({ status: 'finished', changes: { attendees: { create: 1 } } })
  expect(next).toMatchObject({ status: 'failed', run: null })
  expect(next?.error).toMatch(
    /^Connection terminated unexpectedly\nthe interrupted run was finished first .*safe to run again$/,
  )
  expect(others).toEqual([])
})

test('if no run could begin, the error says that the platform is untouched', async () => {
  const { place, goAt } = await openGoing('gone-before')
  goAt(null)
  expect(await runReported(place.context, place.integration, { command: 'run' })).toMatchObject([
    { run: null, error: 'Connection terminated unexpectedly\nplatform untouched; safe to run again' },
  ])
})
