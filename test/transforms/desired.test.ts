import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Content, Tables } from '../../sql/tables.ts'
import { makeDesired } from '../../transforms/desired.ts'
import { transformB } from '../../transforms/source-b/index.ts'
import { ALL_CONTENTS } from '../support/decide.ts'
import { engines } from '../support/engines.ts'
import { BINDING, emptyTables, INTEGRATION, insertStaged, runId, type StagedRows } from '../support/staged.ts'
import { useDatabase } from '../support/use-database.ts'
import { DEFAULTS } from './source-b/options.ts'

const NAMED = { last_name: 'Lovelace', email: 'ada@example.org' } as const
const person = (source_id: string, first_name: string | null, more = {}) => ({
  source_id,
  first_name,
  ...NAMED,
  ...more,
})

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)
  beforeEach(() => emptyTables(database().kysely))

  /** Stages registrants in place of all that were there, and makes what the platform should have. */
  async function run(
    number: number,
    registrants: NonNullable<StagedRows['staging.b_registrants']>,
    contents: readonly Content[] = ['attendees'],
    integrationId = INTEGRATION,
    { isStagingNew = true, options = DEFAULTS } = {},
  ): Promise<boolean> {
    return database().transaction(async (transaction) => {
      await transaction
        .deleteFrom('staging.b_registrants')
        .where('integration_id', '=', integrationId)
        .execute()
      const rows = registrants.map((row) => ({ ...row, integration_id: integrationId }))
      await insertStaged(transaction, { 'staging.b_registrants': rows })
      return makeDesired(
        transaction,
        transformB,
        { integrationId, contents, options },
        runId(number),
        isStagingNew,
      )
    })
  }

  const numberOf = (run: string | null) => (run === null ? null : Number(run.slice(-12)))

  async function decisions(integrationId = INTEGRATION) {
    const rows = await database()
      .kysely.selectFrom('sync.decisions')
      .where('integration_id', '=', integrationId)
      .orderBy('content')
      .orderBy('source_id')
      .orderBy('valid_from_run')
      .selectAll()
      .execute()
    return rows.map((row) => [
      `${row.content} ${row.source_id}`,
      row.decision,
      row.reason,
      row.detail,
      numberOf(row.valid_from_run),
      numberOf(row.valid_to_run),
    ])
  }

  async function items(integrationId = INTEGRATION) {
    const rows = await database()
      .kysely.selectFrom('sync.desired_items')
      .where('integration_id', '=', integrationId)
      .orderBy('content')
      .orderBy('unique_id')
      .orderBy('valid_from_run')
      .selectAll()
      .execute()
    return rows.map((row) => [
      `${row.content} ${row.unique_id}`,
      row.fields.firstName,
      numberOf(row.valid_from_run),
      numberOf(row.valid_to_run),
    ])
  }

  /** Where the rows of a table stand and which transactions wrote them. */
  async function writes(table: keyof Tables) {
    const { rows } =
      await sql`select xmin::text, xmax::text, ctid::text from ${sql.table(table)} order by ctid`.execute(
        database().kysely,
      )
    return rows
  }

  test('a record has a decision for each content that it could serve, an item only where it is synced', async () => {
    await run(1, [person('1', 'Ada'), person('2', null)], ALL_CONTENTS)
    expect(await decisions()).toEqual([
      ['attendees 1', 'synced', '', '', 1, null],
      ['attendees 2', 'excluded', 'missing_required:firstName', '', 1, null],
      ['speakers 1', 'excluded', 'not_a_speaker', '', 1, null],
      ['speakers 2', 'excluded', 'not_a_speaker', '', 1, null],
    ])
    expect(await items()).toEqual([['attendees 1', 'Ada', 1, null]])
  })

  test('a second run over the same records writes nothing', async () => {
    const people = [person('1', 'Ada'), person('2', null), person('3', 'Bob')]
    await run(1, people, ALL_CONTENTS)
    const before = [await writes('sync.decisions'), await writes('sync.desired_items')]
    await run(2, people.toReversed(), ALL_CONTENTS)
    expect([await writes('sync.decisions'), await writes('sync.desired_items')]).toEqual(before)
    expect(before.map((rows) => rows.length)).toEqual([6, 2])
  })

  describe('where staging is as it was', () => {
    const people = [person('1', 'Ada'), person('2', null)]
    const asBefore = { isStagingNew: false }
    beforeEach(async () => {
      await database()
        .kysely.insertInto('sync.integrations')
        .values({ integration_id: INTEGRATION, ...BINDING, base: 0 })
        .execute()
    })

    test('nothing is made again', async () => {
      expect(await run(1, people)).toBe(true)
      const before = [await decisions(), await items()]
      expect(await run(2, people, ['attendees'], INTEGRATION, asBefore)).toBe(false)
      expect([await decisions(), await items()]).toEqual(before)
    })

    test('all is made where the statements are others: contents, or an option', async () => {
      await run(1, people)
      expect(await run(2, people, ALL_CONTENTS, INTEGRATION, asBefore)).toBe(true)
      const options = { ...DEFAULTS, speakerRegistrantType: 'Presenter' }
      expect(await run(3, people, ALL_CONTENTS, INTEGRATION, { ...asBefore, options })).toBe(true)
      expect(await run(4, people, ALL_CONTENTS, INTEGRATION, { ...asBefore, options })).toBe(false)
    })

    test('all is made where it was never made, or what it was made under is not known any more', async () => {
      expect(await run(1, people, ['attendees'], INTEGRATION, asBefore)).toBe(true)
      await database().kysely.updateTable('sync.integrations').set({ transform_basis: null }).execute()
      expect(await run(2, people, ['attendees'], INTEGRATION, asBefore)).toBe(true)
    })

    test('all is made where staging is new, and that is what stands then', async () => {
      await run(1, people)
      expect(await run(2, [person('1', 'Augusta')])).toBe(true)
      expect(await run(3, [person('1', 'Augusta')], ['attendees'], INTEGRATION, asBefore)).toBe(false)
      expect(await items()).toEqual([
        ['attendees 1', 'Ada', 1, 2],
        ['attendees 1', 'Augusta', 2, null],
      ])
    })
  })

  test('a changed field is a new version of the item; the decision stays', async () => {
    await run(1, [person('1', 'Ada'), person('2', 'Bob')])
    await run(2, [person('1', 'Augusta'), person('2', 'Bob')])
    expect(await items()).toEqual([
      ['attendees 1', 'Ada', 1, 2],
      ['attendees 1', 'Augusta', 2, null],
      ['attendees 2', 'Bob', 1, null],
    ])
    expect((await decisions()).map(([, , , , , to]) => to)).toEqual([null, null])
  })

  test('a cancelled record loses its item, and gets it back', async () => {
    await run(1, [person('1', 'Ada')])
    await run(2, [person('1', 'Ada', { cancelled_at: 'yes' })])
    await run(3, [person('1', 'Ada')])
    expect(await decisions()).toEqual([
      ['attendees 1', 'synced', '', '', 1, 2],
      ['attendees 1', 'excluded', 'cancelled', '', 2, 3],
      ['attendees 1', 'synced', '', '', 3, null],
    ])
    expect(await items()).toEqual([
      ['attendees 1', 'Ada', 1, 2],
      ['attendees 1', 'Ada', 3, null],
    ])
  })

  test('another reason and another detail are new versions of the decision; the item stays', async () => {
    await run(1, [person('1', null), person('2', 'Bob')])
    await run(2, [
      person('1', null, { cancelled_at: 'yes' }),
      person('2', 'Bob', { marks: ['left_out:session_ids'] }),
    ])
    expect(await decisions()).toEqual([
      ['attendees 1', 'excluded', 'missing_required:firstName', '', 1, 2],
      ['attendees 1', 'excluded', 'cancelled', '', 2, null],
      ['attendees 2', 'synced', '', '', 1, 2],
      ['attendees 2', 'synced', '', 'left_out:personalAgenda', 2, null],
    ])
    expect(await items()).toEqual([['attendees 2', 'Bob', 1, null]])
  })

  test('a record that is gone closes its decision and its item', async () => {
    await run(1, [person('1', 'Ada'), person('2', null)])
    await run(2, [])
    expect(await decisions()).toEqual([
      ['attendees 1', 'synced', '', '', 1, 2],
      ['attendees 2', 'excluded', 'missing_required:firstName', '', 1, 2],
    ])
    expect(await items()).toEqual([['attendees 1', 'Ada', 1, 2]])
  })

  test('content that is no longer configured is left alone', async () => {
    await run(1, [person('1', 'Ada')], ALL_CONTENTS)
    await run(2, [], ['agenda', 'speakers'])
    expect(await decisions()).toEqual([
      ['attendees 1', 'synced', '', '', 1, null],
      ['speakers 1', 'excluded', 'not_a_speaker', '', 1, 2],
    ])
    expect(await items()).toEqual([['attendees 1', 'Ada', 1, null]])
  })

  test('another integration is left alone', async () => {
    await run(1, [person('1', 'Ada')], ['attendees'], 'expo')
    await run(1, [person('1', 'Ada')])
    await run(2, [])
    expect(await decisions('expo')).toEqual([['attendees 1', 'synced', '', '', 1, null]])
    expect(await items('expo')).toEqual([['attendees 1', 'Ada', 1, null]])
  })

  test('600 records, of which the planner is told, come out as they went in', async () => {
    const people = Array.from({ length: 600 }, (_, place) => person(`é${place}`, `Ada ${place}`))
    await run(1, people)
    await run(2, people.with(300, person('é300', 'Bob')))
    const found = await items()
    expect(found.length).toBe(601)
    expect(found.filter(([, , , to]) => to === null).length).toBe(600)
    expect(found).toContainEqual(['attendees é300', 'Bob', 2, null])
  })
})
