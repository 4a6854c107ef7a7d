import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Content, Fields } from '../../sql/tables.ts'
import { engines } from '../support/engines.ts'
import { enterRun } from '../support/runs.ts'
import { emptyTables, enterIntegration, INTEGRATION, insertStaged, runId } from '../support/staged.ts'
import { useDatabase } from '../support/use-database.ts'

const contents = ['agenda', 'speakers', 'attendees'] as const

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)

  async function query<Row = Record<string, unknown>>(text: string): Promise<readonly Row[]> {
    const { rows } = await sql.raw<Row>(text).execute(database().kysely)
    return rows
  }

  async function desire(
    content: Content,
    uniqueId: string,
    fields: Fields,
    from: number,
    to: number | null = null,
    integrationId = INTEGRATION,
  ) {
    await database()
      .kysely.insertInto('sync.desired_items')
      .values({
        integration_id: integrationId,
        content,
        unique_id: uniqueId,
        fields: JSON.stringify(fields),
        valid_from_run: runId(from),
        valid_to_run: to === null ? null : runId(to),
      })
      .execute()
  }

  // Runs 1, 3 and 5 are applied, run 2 is held, and run 4 belongs to another integration.
  beforeEach(async () => {
    const db = database().kysely
    await emptyTables(db)
    for (const integration_id of [INTEGRATION, 'expo'])
      await enterIntegration(db, { integration_id, time_zone: 'Europe/Berlin' })
    for (const number of [1, 3, 5]) await enterRun(db, number)
    await enterRun(db, 2, { status: 'held', appliedAt: null })
    await enterRun(db, 4, { integrationId: 'expo' })
    for (const content of contents) {
      await desire(content, 'changed', { name: 'a', firstName: 'a' }, 1, 2)
      await desire(content, 'changed', { name: 'b', firstName: 'b' }, 2, 5)
      await desire(content, 'changed', { name: 'c', firstName: 'c' }, 5)
      await desire(content, 'gone', {}, 1, 3)
      await desire(content, 'back', {}, 1, 3)
      await desire(content, 'back', {}, 5)
      await desire(content, 'other', {}, 4, null, 'expo')
    }
  })

  const nameOf = (content: Content) => (content === 'agenda' ? 'name' : 'first_name')

  test.each(contents)(
    'the %s as of each applied run are the items that the platform should have had after that run',
    async (content) => {
      const asOf = async (number: number) => {
        const rows = await query<{ unique_id: string; name: string | null }>(
          `select unique_id, ${nameOf(content)} as name from published.${content}_as_of('${runId(number)}') order by unique_id`,
        )
        return rows.map(({ unique_id, name }) => (name === null ? unique_id : `${unique_id} ${name}`))
      }
      expect(await asOf(1)).toEqual(['back', 'changed a', 'gone'])
      expect(await asOf(3)).toEqual(['changed b'])
      expect(await asOf(4)).toEqual(['other'])
      expect(await asOf(5)).toEqual(['back', 'changed c'])
      // As of the held run 2 and of the unknown run 9 there are no items.
      expect([await asOf(2), await asOf(9)]).toEqual([[], []])
    },
  )

  test.each(contents)(
    'the %s as of the latest run are equal to the rows of the published view in every column',
    async (content) => {
      const now = await query(
        `select * from published.${content} where integration_id = '${INTEGRATION}' order by unique_id`,
      )
      expect(now).toHaveLength(2)
      const asOf = await query(`select * from published.${content}_as_of('${runId(5)}') order by unique_id`)
      expect(asOf).toEqual(now)
      expect(Object.keys(asOf[0] ?? {})).toEqual(Object.keys(now[0] ?? {}))
      const byRun = await query(
        `select * from published.${content}_by_run where is_latest and integration_id = '${INTEGRATION}' order by unique_id`,
      )
      expect(byRun).toEqual(now.map((row) => ({ ...row, is_latest: true })))
    },
  )

  test.each(contents)(
    'the %s as of a point in time are those as of the last run of each integration that had finished by then',
    async (content) => {
      for (const [number, day] of [
        [1, 1],
        [2, 2],
        [3, 3],
        [4, 4],
        [5, 5],
      ] as const)
        await query(
          `update sync.runs set finished_at = '2031-05-0${day}T12:00:00Z' where run_id = '${runId(number)}'`,
        )
      const asOf = async (moment: string) => {
        const rows = await query<{ unique_id: string; run_id: string }>(
          `select unique_id, run_id from published.${content}_as_of(${moment}) order by run_id, unique_id`,
        )
        return rows.map(({ unique_id, run_id }) => `${Number(run_id.slice(-12))} ${unique_id}`)
      }
      const at = (time: string) => asOf(`timestamptz '2031-05-${time}'`)
      expect(await at('01T11:59:59Z')).toEqual([])
      expect(await at('01T12:00:00Z')).toEqual(['1 back', '1 changed', '1 gone'])
      // Run 2 was held.
      expect(await at('02T13:00:00Z')).toEqual(['1 back', '1 changed', '1 gone'])
      expect(await at('03T12:00:00Z')).toEqual(['3 changed'])
      expect(await at('04T13:00:00Z')).toEqual(['3 changed', '4 other'])
      expect(await at('06T13:00:00Z')).toEqual(['4 other', '5 back', '5 changed'])
      // A text needs no type, whether it is a time or the id of a run.
      expect(await asOf("'2031-05-04T15:00:00+02:00'")).toEqual(['3 changed', '4 other'])
      expect(await asOf(`'${runId(3)}'`)).toEqual(['3 changed'])
      expect(await asOf(`'${runId(3)}'::uuid`)).toEqual(['3 changed'])
      await expect(asOf("'soon'")).rejects.toThrow('invalid input syntax for type timestamp')
      // The items of run 5 must not be replaced by those of run 3.
      await query(`update sync.runs set purged_at = now() where run_id = '${runId(5)}'`)
      expect(await at('06T13:00:00Z')).toEqual(['4 other'])
    },
  )

  test.each(contents)(
    'the %s by run contain each item once for each run after which the platform should have had the item',
    async (content) => {
      const runs = await query<{ run_id: string; items: number }>(
        `select run_id, count(*)::int as items from published.${content}_by_run group by run_id order by run_id`,
      )
      expect(runs.map(({ run_id, items }) => [Number(run_id.slice(-12)), items])).toEqual([
        [1, 3],
        [3, 1],
        [4, 1],
        [5, 2],
      ])
    },
  )

  test('the local time of an agenda item is in the time zone that its session had as of the run', async () => {
    await desire('agenda', 'timed', { startTime: '2031-05-04T10:00:00Z' }, 1)
    await insertStaged(database().kysely, {
      'staging.b_sessions': [
        { source_id: 'timed', time_zone: 'America/New_York', valid_to_run: runId(3) },
        { source_id: 'timed', time_zone: 'Asia/Tokyo', valid_from_run: runId(3), valid_to_run: runId(5) },
      ],
    })
    const local = await query(`
      select time_zone, local_start::text as local_start
      from published.agenda_by_run where unique_id = 'timed' order by run_id`)
    expect(local).toEqual([
      { time_zone: 'America/New_York', local_start: '2031-05-04 06:00:00' },
      { time_zone: 'Asia/Tokyo', local_start: '2031-05-04 19:00:00' },
      { time_zone: 'Europe/Berlin', local_start: '2031-05-04 12:00:00' },
    ])
  })
  test.each([
    ['Europe/Berlin', '2031-07-04 12:00:00', '2031-01-04 11:00:00'],
    ['UTC', '2031-07-04 10:00:00', '2031-01-04 10:00:00'],
    // PostgreSQL alone would read CET as an abbreviation without summer time; in sources it is a time zone.
    ['CET', '2031-07-04 12:00:00', '2031-01-04 11:00:00'],
    ['WET', '2031-07-04 11:00:00', '2031-01-04 10:00:00'],
    // PostgreSQL alone would read offsets such as -05:00 with the opposite sign.
    ['-05:00', '2031-07-04 05:00:00', '2031-01-04 05:00:00'],
    ['+05:30', '2031-07-04 15:30:00', '2031-01-04 15:30:00'],
    ['Mars/Olympus_Mons', null, null],
    [null, null, null],
  ])('in the time zone %s, 10:00 UTC is %s in summer and %s in winter', async (zone, summer, winter) => {
    const { rows } = await sql<{ summer: string | null; winter: string | null }>`
      select published.local_time('2031-07-04T10:00:00Z', ${zone})::text as summer,
        published.local_time('2031-01-04T10:00:00Z', ${zone})::text as winter`.execute(database().kysely)
    expect(rows).toEqual([{ summer, winter }])
  })

  test('if the database does not know the time zone of an item, the item has no local time', async () => {
    await database().kysely.updateTable('sync.integrations').set({ time_zone: 'Mars/Olympus_Mons' }).execute()
    await desire('agenda', 'timed', { startTime: '2031-05-04T10:00:00Z' }, 1)
    const items = await query(`
      select start_time is not null as timed, local_start, time_zone
      from published.agenda where unique_id = 'timed'`)
    expect(items).toEqual([{ timed: true, local_start: null, time_zone: null }])
  })
})
