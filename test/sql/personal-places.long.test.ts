import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { suppress } from '../../loaders/ledger/suppressed.ts'
import { type Dictionary, readDictionary } from '../../sql/dictionary.ts'
import { syncOnce } from '../cases/sync-once.ts'
import type { Resources } from '../harness/serve-records.ts'
import { beforeOfA, beforeOfB, withoutOfA } from '../people/people.ts'
import { places } from '../people/places.ts'
import { engines } from '../support/engines.ts'
import { useOneFolder } from '../support/folder.ts'
import { findSourceBinding } from '../support/source-binding.ts'
import { runId } from '../support/staged.ts'
import { useDatabase } from '../support/use-database.ts'

/** The second person to search for, whose record has no id. */
const two = { FirstName: 'Zyxomma Two', LastName: 'Of', EmailAddress: 'Two@zyxomma.example' }

/** Replaces the ids of people by ids without the text for which the test searches. */
const withPlainIds = (states: readonly Resources[]): readonly Resources[] =>
  JSON.parse(JSON.stringify(states).replaceAll('"zyxomma-1"', '"u1"').replaceAll('"zyxomma7"', '7'))

/**
 * The records of Source A in each run. The people are first present, then changed and duplicated, then not
 * seen, then removed.
 */
const ofA = withPlainIds([
  ...beforeOfA.map((state) => ({ ...state, Users: [two, two, ...(state.Users ?? [])] })),
  { ...beforeOfA[0], Users: ['no object', ...(beforeOfA[0]?.Users ?? [])] },
  withoutOfA,
])
const [registrant] = beforeOfB[0]?.registrants ?? []
const ofB = withPlainIds(
  [
    ...beforeOfB.map(({ registrants = [] }) => registrants),
    [{}],
    [{ ...(registrant as object), cancelled_at: '2031-05-01' }],
    [],
  ].map((registrants) => ({ ...beforeOfB[0], registrants })),
)

/** Ids that the people may have in the database, by integration. */
const IDS: Readonly<Record<string, readonly string[]>> = {
  summit: ['u1', 'two@zyxomma.example'],
  expo: ['7'],
}

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)
  const output = useOneFolder()
  let dictionary: Dictionary

  beforeAll(async () => {
    const removals = {
      removals: { maxShare: 1, minCount: 100 },
      guards: { massUpdate: 1, blackout: false, maxQuarantined: 9 },
    }
    const stories = { summit: ofA, expo: ofB }
    for (const [name, states] of Object.entries(stories)) {
      const type = name === 'summit' ? 'a' : 'b'
      const integration = { source: { type, timeZone: 'UTC' }, ...removals } as const
      for (const [place, files] of states.entries()) {
        const story = { name, folder: '', integration }
        const started = syncOnce({ story, database: database(), output, files, runId: runId(place + 1) })
        // A plan that a guard (a check) holds is stored with the values that it would have sent.
        await started.catch((error: Error) => expect(error.message).toMatch(/the run is held/))
      }
    }
    await suppress(database().kysely, await findSourceBinding(database().kysely, 'summit'), {
      content: 'attendees',
      uniqueId: 'two@zyxomma.example',
      since: '2031-05-01T00:00:00.000Z',
      by: 'operator',
    })
    dictionary = await readDictionary(database().kysely)
  })

  const relations = () =>
    dictionary.schemas.flatMap((schema) =>
      schema.relations.map((relation) => ({ ...relation, of: `${schema.name}.${relation.name}` })),
    )

  test('a function is marked as personal if its rows contain values of people, and otherwise not', () => {
    const functions = dictionary.schemas.flatMap((schema) => schema.functions)
    expect(functions.length).toBeGreaterThan(20)
    for (const { name, returns, personal } of functions) {
      const given = relations().filter(({ of }) => new RegExp(`\\b${of}\\b`).test(returns))
      const expected = given.some(({ columns }) => columns.some((column) => column.personal))
      expect([name, personal]).toEqual([name, expected])
    }
  })

  test('only columns that are marked as personal contain values of people', async () => {
    const found: string[] = []
    for (const { of, columns } of relations()) {
      for (const { name, personal } of columns) {
        const { rows } = await sql<{ holds: boolean }>`
          select exists (select from ${sql.table(of)} where ${sql.ref(name)}::text ilike ${'%zyxomma%'}) as holds`.execute(
          database().kysely,
        )
        if (rows[0]?.holds && !personal) found.push(`${of}.${name}`)
      }
    }
    expect(found).toEqual([])
  })

  test('each row with values of a person is found by integration and id, in the way the list of places states', async () => {
    const reached: string[] = []
    for (const { of, kind } of relations()) {
      if (kind === 'view') continue
      const { rows } = await sql<{ row: Readonly<Record<string, unknown>> }>`
        select to_jsonb(held) as row from ${sql.table(of)} as held
        where to_jsonb(held)::text ilike ${'%zyxomma%'}`.execute(database().kysely)
      if (rows.length === 0) continue
      reached.push(of)
      const { key, names } = places.find(({ table }) => table === of) ?? {}
      const foundBy = key ?? names ?? ''
      for (const { row } of rows) {
        const ids = IDS[String(row.integration_id)] ?? []
        expect([of, row[foundBy]].flat().filter((value) => ids.includes(String(value)))).not.toEqual([])
      }
    }
    expect(reached.length).toBeGreaterThan(8)
    expect(reached.filter((table) => !places.some((place) => place.table === table))).toEqual([])
  })
})
