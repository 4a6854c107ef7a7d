import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openChain } from '../../../loaders/verify/chain.ts'
import { readManifest } from '../../../loaders/verify/found-manifest.ts'
import { verifyPack } from '../../../loaders/verify/verify-pack.ts'
import { startSampleSourceA } from '../../harness/sample-source/a.ts'
import { engines } from '../../support/engines.ts'
import { useFolder } from '../../support/folder.ts'
import { emptyTables } from '../../support/staged.ts'
import { useDatabase } from '../../support/use-database.ts'
import { type Integration, makeIntegration } from '../guarded-integration.ts'

const NO_LOOKUPS = { Rooms: [], Tracks: [], SessionTypes: [] }
const SOURCE = {
  ...NO_LOOKUPS,
  TimeSlots: [{ Id: 't1', StartTime: '2031-05-04T13:00:00Z', EndTime: '2031-05-04T14:00:00Z' }],
  Sessions: [{ Id: 's1', Title: 'Opening', TimeSlotId: 't1', Speakers: [] }],
  Users: [
    { Id: 'u1', FirstName: 'Ada', LastName: 'Adams', EmailAddress: 'ada@people.example' },
    // These people have no id, so their e-mail addresses identify them. The address of one person is not a
    // valid e-mail address.
    { FirstName: 'Bob', LastName: 'Brown', EmailAddress: 'bob@people.example' },
    { FirstName: 'Cy', LastName: 'Clark', EmailAddress: 'Cy.Clark' },
  ],
}

/** SQL that simulates a fault of the product with a trigger, which runs a statement for each written row. */
const fault = (on: string, statement: string) => `
  create or replace function break_it() returns trigger language plpgsql as $$ begin ${statement}; return new; end $$;
  create trigger break_it ${on} for each row execute function break_it()`
const FIXED = `
  drop trigger if exists break_it on sync.runs;
  drop trigger if exists break_it on sync.platform_items`

const FORGETS_DECISIONS = fault(
  'after update of plan_hash on sync.runs',
  "delete from sync.decisions where content = 'attendees'",
)
const FORGETS_A_FIELD = fault(
  'before insert on sync.platform_items',
  "new.fields := new.fields - 'firstName'",
)

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)
  const output = useFolder()
  let source: Awaited<ReturnType<typeof startSampleSourceA>>
  let integration: Integration

  beforeEach(async () => {
    await emptyTables(database().kysely)
    source = await startSampleSourceA(SOURCE)
    const place = { database: database(), output: output(), id: 'summit' }
    integration = makeIntegration(place, source.url, { source: { type: 'a' } })
  })
  afterEach(async () => {
    await database().script(FIXED)
    await source.close()
  })

  const statuses = async () =>
    (await database().kysely.selectFrom('sync.runs').orderBy('run_id').select('status').execute()).map(
      ({ status }) => status,
    )
  const files = () => readdirSync(output(), { recursive: true }).map(String)

  test.each(['run', 'plan'] as const)(
    '%s fails if the plan breaks a check; nothing is stored or sent, and the error contains no person',
    async (command) => {
      await database().script(FORGETS_DECISIONS)
      const { report, code } = await integration[command]()
      expect(code).toBe(1)
      expect(report).toMatchObject({ status: 'failed', planHash: null, output: null })
      expect(report.error?.split('\n')).toEqual([
        'plan failed: check before-apply/decisions-and-items-agree: 3 rows where there must be none',
        '  promise: every record that is decided as synced has a desired item, and every desired item has such a record.',
        '  rows mean: an item would be missing from the platform though its record is synced, or be there without a record.',
        '  rows: attendees (hidden) (desired, but not synced); attendees (hidden) (desired, but not synced); attendees u1 (desired, but not synced)',
        '  to do: report it with the rows; the source is not the cause.',
        'check before-apply/every-record-is-decided: 3 rows where there must be none',
        '  promise: every current record has one decision for each content that it serves, and every decision has its record, except after a rollback, which decides on items.',
        '  rows mean: a record would not be accounted for, or an item would stay although its record is gone.',
        '  rows: attendees (hidden) (no decision); attendees (hidden) (no decision); attendees u1 (no decision)',
        '  to do: run again; if the rows come again, report them.',
        'platform untouched; safe to run again',
      ])
      for (const table of [
        'staging.a_users',
        'sync.decisions',
        'sync.desired_items',
        'sync.changes',
      ] as const) {
        expect(await database().kysely.selectFrom(table).select('integration_id').execute(), table).toEqual(
          [],
        )
      }
      expect(await statuses()).toEqual(['failed'])
      expect(files().filter((name) => name.endsWith('operations.jsonl'))).toEqual([])

      await database().script(FIXED)
      expect(await integration.run()).toMatchObject({ code: 0, report: { status: 'finished' } })
    },
  )

  test('a run that breaks a check after apply fails, its pack contains the finding, and the next run repairs the fault', async () => {
    await database().script(FORGETS_A_FIELD)
    const { report, code } = await integration.run()
    expect(code).toBe(1)
    expect(report).toMatchObject({ status: 'failed' })
    expect(report.error).toContain('audit failed: the figures do not reconcile: attendees control_total is ')
    expect(report.error).toContain('\ncheck after-apply/platform-has-what-is-desired: 3 rows')
    expect(report.error).toContain('\ncheck after-apply/what-landed-is-known: 3 rows')
    expect(report.error).not.toMatch(/bob|cy\.clark/i)
    expect(await statuses()).toEqual(['failed'])
    const pack = String(report.output)
    const reconciliation = readFileSync(join(pack, 'reconciliation.csv'), 'utf8')
    expect(reconciliation).toContain('\r\n,,"check:after-apply/platform-has-what-is-desired",3,0,"false"\r\n')
    const found = readManifest(pack, null)
    if (found === null) throw new Error(`${pack} has no manifest`)
    const { findings } = await verifyPack(found, openChain([]), null)
    const faults = findings.map(({ message }) => message)
    expect(faults).toContainEqual(expect.stringMatching(/^attendees control_total does not add up: /))
    expect(faults).toContainEqual(
      expect.stringMatching(
        /^check:after-apply\/platform-has-what-is-desired does not add up: 3 instead of 0$/,
      ),
    )

    await database().script(FIXED)
    const again = await integration.run()
    expect(again).toMatchObject({ code: 0, report: { changes: { attendees: { update: 3 } } } })
    expect(await statuses()).toEqual(['failed', 'finished'])
  })
})
