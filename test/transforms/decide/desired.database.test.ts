import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Content, Tables } from '../../../sql/tables.ts'
import { makeDesired } from '../../../transforms/decide/desired.ts'
import { transformB } from '../../../transforms/source-b/index.ts'
import { ALL_CONTENTS } from '../../support/decide.ts'
import { engines } from '../../support/engines.ts'
import {
  emptyTables,
  enterIntegration,
  INTEGRATION,
  insertStaged,
  runId,
  type StagedRows,
} from '../../support/staged.ts'
import { useDatabase } from '../../support/use-database.ts'
import { DEFAULTS } from '../source-b/options.ts'

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

  /**
   * Stages these registrants in place of all earlier registrants, and computes the decisions and desired
   * items.
   */
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

  /** Returns the physical position of each row of a table, and the transaction that wrote it. */
  async function writes(table: keyof Tables) {
    const { rows } =
      await sql`select xmin::text, xmax::text, ctid::text from ${sql.table(table)} order by ctid`.execute(
        database().kysely,
      )
    return rows
  }

  test('a record has a decision for each content for which it can be used, and an item only if it is synced [R64]', async () => {
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

  test('if staging is unchanged, decisions are computed again only for other contents or options, or after an unknown result', async () => {
    await enterIntegration(database().kysely)
    const people = [person('1', 'Ada'), person('2', null)]
    const again = (number: number, contents: readonly Content[] = ALL_CONTENTS, options = DEFAULTS) =>
      run(number, people, contents, INTEGRATION, { isStagingNew: false, options })
    // They were never computed.
    expect(await again(1, ['attendees'])).toBe(true)
    const before = [await decisions(), await items()]
    expect(await again(2, ['attendees'])).toBe(false)
    expect([await decisions(), await items()]).toEqual(before)
    expect([await again(3), await again(4)]).toEqual([true, false])
    const options = { ...DEFAULTS, speakerRegistrantType: 'Presenter' }
    expect(await again(5, ALL_CONTENTS, options)).toBe(true)
    expect(await again(6, ALL_CONTENTS, options)).toBe(false)
    await database().kysely.updateTable('sync.integrations').set({ transform_basis: null }).execute()
    expect(await again(7, ALL_CONTENTS, options)).toBe(true)
    expect(await run(8, [person('1', 'Augusta')])).toBe(true)
    expect(await run(9, people, ['attendees'], INTEGRATION, { isStagingNew: false })).toBe(false)
    expect(await items()).toEqual([
      ['attendees 1', 'Ada', 1, 8],
      ['attendees 1', 'Augusta', 8, null],
    ])
  })

  test('a changed, removed or returning record gets new versions only of the item or decision that changes [spec 3 p1, R21]', async () => {
    const people = [
      person('changes', 'Ada'),
      person('goes', 'Bob'),
      person('lacks', null),
      person('stays', 'Cy'),
    ]
    await run(1, people)
    await run(2, [
      person('changes', 'Augusta', { marks: ['left_out:session_ids'] }),
      person('lacks', null, { cancelled_at: 'yes' }),
      person('stays', 'Cy', { cancelled_at: 'yes' }),
    ])
    await run(3, people)
    expect(await decisions()).toEqual([
      ['attendees changes', 'synced', '', '', 1, 2],
      ['attendees changes', 'synced', '', 'left_out:personalAgenda', 2, 3],
      ['attendees changes', 'synced', '', '', 3, null],
      ['attendees goes', 'synced', '', '', 1, 2],
      ['attendees goes', 'synced', '', '', 3, null],
      ['attendees lacks', 'excluded', 'missing_required:firstName', '', 1, 2],
      ['attendees lacks', 'excluded', 'cancelled', '', 2, 3],
      ['attendees lacks', 'excluded', 'missing_required:firstName', '', 3, null],
      ['attendees stays', 'synced', '', '', 1, 2],
      ['attendees stays', 'excluded', 'cancelled', '', 2, 3],
      ['attendees stays', 'synced', '', '', 3, null],
    ])
    expect(await items()).toEqual([
      ['attendees changes', 'Ada', 1, 2],
      ['attendees changes', 'Augusta', 2, 3],
      ['attendees changes', 'Ada', 3, null],
      ['attendees goes', 'Bob', 1, 2],
      ['attendees goes', 'Bob', 3, null],
      ['attendees stays', 'Cy', 1, 2],
      ['attendees stays', 'Cy', 3, null],
    ])
  })

  test('if only the item changes, the decision keeps its version; if only the decision changes, the item keeps its version', async () => {
    await run(1, [person('1', 'Ada'), person('2', 'Bob', { marks: ['left_out:session_ids'] })])
    await run(2, [person('1', 'Augusta'), person('2', 'Bob')])
    expect((await items()).map(([item, , from]) => [item, from])).toEqual([
      ['attendees 1', 1],
      ['attendees 1', 2],
      ['attendees 2', 1],
    ])
    expect((await decisions()).map(([record, , , , from]) => [record, from])).toEqual([
      ['attendees 1', 1],
      ['attendees 2', 1],
      ['attendees 2', 2],
    ])
  })

  test('deciding about one integration changes neither its unconfigured content nor other integrations', async () => {
    await run(1, [person('1', 'Ada')], ['attendees'], 'expo')
    await run(1, [person('1', 'Ada')], ALL_CONTENTS)
    await run(2, [], ['agenda', 'speakers'])
    expect(await decisions()).toEqual([
      ['attendees 1', 'synced', '', '', 1, null],
      ['speakers 1', 'excluded', 'not_a_speaker', '', 1, 2],
    ])
    expect(await items()).toEqual([['attendees 1', 'Ada', 1, null]])
    await run(3, [])
    expect(await decisions('expo')).toEqual([['attendees 1', 'synced', '', '', 1, null]])
    expect(await items('expo')).toEqual([['attendees 1', 'Ada', 1, null]])
  })

  test("600 records, enough to update the planner's statistics, come out as they went in", async () => {
    const people = Array.from({ length: 600 }, (_, place) => person(`é${place}`, `Ada ${place}`))
    await run(1, people)
    await run(2, people.with(300, person('é300', 'Bob')))
    const found = await items()
    expect(found.length).toBe(601)
    expect(found.filter(([, , , to]) => to === null).length).toBe(600)
    expect(found).toContainEqual(['attendees é300', 'Bob', 2, null])
  })
})
