import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Place } from '../../loaders/people/erasure.ts'
import { PLACES, stagedPlaces } from '../../loaders/people/personal-data-places.ts'
import type { Db } from '../../sql/tables.ts'
import { TRANSFORMS } from '../../transforms/decide/platform-fields.ts'
import { engines } from '../support/engines.ts'
import { beforeOfA, beforeOfB } from './people.ts'
import { columnsOf, places } from './places.ts'
import { type Planted, plant } from './plant.ts'
import { holdsPerson } from './search.ts'
import { useWorlds } from './world.ts'

const { begin } = useWorlds()

const SOURCES = [
  {
    source: 'a',
    history: beforeOfA,
    planted: {
      id: 'zyxomma-1',
      resource: 'users',
      mention: { Id: 'zyxomma-1', EmailAddress: 'One@Zyxomma.example' },
    },
  },
  {
    source: 'b',
    history: beforeOfB,
    planted: {
      id: 'zyxomma7',
      resource: 'registrants',
      mention: { id: 'zyxomma7', email: 'seven@zyxomma.example' },
    },
  },
] as const satisfies readonly {
  readonly source: string
  readonly planted: Planted
  readonly history: unknown
}[]

/** Returns the columns of a table in which at least one row contains the person. */
async function columnsWithPerson(db: Db, { table }: Place): Promise<readonly string[]> {
  const { rows } = await sql<{ row: Readonly<Record<string, unknown>> }>`
    select to_jsonb(held) as row from ${sql.table(table)} as held`.execute(db)
  const found = rows.flatMap(({ row }) =>
    Object.keys(row).filter((column) => holdsPerson(JSON.stringify(row[column] ?? null))),
  )
  return [...new Set(found)].sort()
}

/** Columns that contain no text, so that a search cannot find a person in these columns. */
const WITHOUT_TEXT = ['row_check', 'has_speaker_role', 'is_pending']

describe.each(engines)('on %s', (engine) => {
  test.each(SOURCES)(
    'forget erases the person from each column that is listed as personal for source $source',
    async ({ source, history, planted }) => {
      const world = await begin(engine, { source }, history)
      const db = world.database().kysely
      const all = [...stagedPlaces(TRANSFORMS[source]), ...PLACES].filter(({ forget }) => !('why' in forget))
      for (const place of all) {
        await plant(db, place, planted)
        const listed = columnsOf(place).filter((column) => !WITHOUT_TEXT.includes(column))
        expect({ [place.table]: await columnsWithPerson(db, place) }).toEqual({
          [place.table]: expect.arrayContaining([...listed]),
        })
      }
      const { status } = await world.forget({ sought: { id: planted.id } })
      expect(status).toBe('forgotten')
      await world.scrub()
      expect(await world.search()).toEqual({ rows: [], files: [], bytes: [], statistics: [] })
    },
  )

  test('purge deletes old rows from each table with a purge class, and no rows from tables that state a reason', async () => {
    const world = await begin(engine, { source: 'a' }, beforeOfA)
    const db = world.database().kysely
    world.pass(100)
    // The answers differ from those before, because purge keeps answers that a remaining run shares.
    for (const input of [beforeOfA[0], beforeOfA.at(-1)]) await world.sync(input ?? {})
    const ofRuns = places.filter(({ run }) => run !== undefined)
    for (const place of ofRuns) if (place.table !== 'sync.runs') await plant(db, place, SOURCES[0].planted)
    const { beforeRun } = await world.purge({ dryRun: true })
    const counted = async ({ table, run = 'run_id' }: Place) => {
      const isOld = sql`${sql.ref(run)} ${sql.raw(run === 'run_id' ? '<' : '<=')} ${beforeRun}`
      const { rows } = await sql<{ old: number; others: number }>`
        select (count(*) filter (where ${isOld}))::int as old, (count(*) filter (where (${isOld}) is not true))::int as others
        from ${sql.table(table)}`.execute(db)
      return { table, ...rows[0] }
    }
    const before = await Promise.all(ofRuns.map(counted))
    expect(before.filter(({ old }) => old === 0)).toEqual([])
    await world.purge({})
    const after = await Promise.all(ofRuns.map(counted))
    expect(after).toEqual(
      before.map((one, index) => ({
        ...one,
        old: typeof ofRuns[index]?.purge === 'string' ? 0 : one.old,
        // `purge` itself is logged as an action.
        others: Number(one.others) + (one.table === 'sync.actions' ? 1 : 0),
      })),
    )
  })
})
