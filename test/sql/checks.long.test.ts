import { type Kysely, type RawBuilder, sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { findChecks } from '../../pipeline/run/sql-checks.ts'
import type { Tables } from '../../sql/tables.ts'
import { startSampleSourceA } from '../harness/sample-source/a.ts'
import { makeIntegration } from '../pipeline/guarded-integration.ts'
import { engines } from '../support/engines.ts'
import { useOneFolder } from '../support/folder.ts'
import { takenBack, useDatabase } from '../support/use-database.ts'

const checks = [...findChecks('before-apply'), ...findChecks('after-apply')]
const rowsOf = async (db: Kysely<Tables>, name: string): Promise<readonly string[]> => {
  const check = checks.find((one) => one.name === name)
  if (check === undefined) throw new Error(`there is no check ${name}`)
  const found = await sql.raw<Row>(check.query).execute(db)
  return found.rows.map(({ integration_id, subject, id, detail }) =>
    [integration_id, subject, id ?? '-', detail].join(' | '),
  )
}

interface Row {
  readonly integration_id: string
  readonly subject: string
  readonly id: string | null
  readonly detail: string
}

const person = (Id: string, more: object = {}) => ({
  Id,
  FirstName: 'Ada',
  LastName: `Of ${Id}`,
  EmailAddress: `${Id}@people.example`,
  ...more,
})

const SOURCE = {
  TimeSlots: [{ Id: 't1', StartTime: '2031-05-04T13:00:00Z', EndTime: '2031-05-04T14:00:00Z' }],
  Rooms: [],
  Tracks: [],
  SessionTypes: [],
  Sessions: [
    { Id: 's1', Title: 'Opening', TimeSlotId: 't1', Speakers: [{ Id: 'u1' }] },
    { Id: 's2', Title: 'Workshop', TimeSlotId: 't1', Speakers: [] },
    { Id: 's3', Title: 'Closing', TimeSlotId: 't1', Speakers: [] },
  ],
  Users: [person('u1'), person('u2'), person('u3')],
}

/** As it was, but that s2 has another title, s3 is hidden, u3 is gone and u4 is new. */
const LATER = {
  ...SOURCE,
  Sessions: [
    ...SOURCE.Sessions.slice(0, 1),
    { Id: 's2', Title: 'Work', TimeSlotId: 't1', Speakers: [] },
    { Id: 's3', Title: 'Closing', TimeSlotId: 't1', Enabled: false, Speakers: [] },
  ],
  Users: [person('u1'), person('u2'), person('u4')],
}

/** A check, a fault that it must find, and the rows that tell of it. */
type Fault = readonly [check: string, fault: RawBuilder<unknown>, rows: readonly string[]]

/** Both integrations have each row: the fault is that of one. */
const FAULTS: readonly Fault[] = [
  [
    'before-apply/versions-do-not-overlap',
    sql`update staging.a_sessions set valid_to_run = '02000000-0000-7000-8000-000000000000'
      where integration_id = 'summit' and source_id = 's2' and valid_to_run is not null`,
    ['summit | sessions | s2 | valid beside an earlier version'],
  ],
  [
    'before-apply/every-record-is-decided',
    sql`delete from sync.decisions where integration_id = 'summit' and content = 'attendees' and source_id = 'u1'`,
    ['summit | attendees | u1 | no decision'],
  ],
  [
    'before-apply/every-record-is-decided',
    sql`delete from staging.a_users where integration_id = 'summit' and source_id = 'u2'`,
    [
      'summit | attendees | u2 | a decision, but no record',
      'summit | speakers | u2 | a decision, but no record',
    ],
  ],
  [
    'before-apply/decisions-and-items-agree',
    sql`delete from sync.desired_items where integration_id = 'summit' and content = 'agenda' and unique_id = 's1'`,
    ['summit | agenda | s1 | synced, but not desired'],
  ],
  [
    'before-apply/decisions-and-items-agree',
    sql`update sync.decisions set decision = 'excluded' where integration_id = 'summit' and content = 'attendees' and source_id = 'u2'`,
    ['summit | attendees | u2 | desired, but not synced'],
  ],
  [
    'before-apply/required-fields-are-there',
    sql`update sync.desired_items set fields = fields - 'emailAddress' where integration_id = 'summit' and unique_id = 'u2'`,
    ['summit | attendees | u2 | lacks one of firstName, lastName, emailAddress'],
  ],
  [
    'before-apply/sessions-end-after-they-start',
    sql`update sync.desired_items set fields = fields || '{"endTime": "2031-05-04T13:00:00Z"}'
      where integration_id = 'summit' and unique_id = 's1'`,
    ['summit | agenda | s1 | from 2031-05-04T13:00:00Z to 2031-05-04T13:00:00Z'],
  ],
  [
    'before-apply/sessions-end-after-they-start',
    sql`update sync.desired_items set fields = fields || '{"endTime": "2031-05-04T16:00:00+02:00"}'
      where integration_id = 'summit' and unique_id = 's1'`,
    ['summit | agenda | s1 | from 2031-05-04T13:00:00Z to 2031-05-04T16:00:00+02:00'],
  ],
  ...['{"company": ""}', '{"personalAgenda": []}', '{"personalAgenda": [""]}', '{"nickname": "A"}'].map(
    (fields): Fault => [
      'before-apply/fields-are-as-contracted',
      sql`update sync.desired_items set fields = fields || ${fields}::jsonb where integration_id = 'summit' and unique_id = 'u2'`,
      ['summit | attendees | u2 | a field that is unknown, blank or of another type'],
    ],
  ),
  [
    'before-apply/references-lead-to-items',
    sql`update sync.desired_items set fields = fields || '{"speakerIds": ["u1", "u2"]}'
      where integration_id = 'summit' and unique_id = 's1'`,
    ['summit | agenda | s1 | speakerIds names an item that is not desired'],
  ],
  [
    'before-apply/references-lead-to-items',
    sql`update sync.desired_items set fields = fields || '{"attendeeId": "u3"}'
      where integration_id = 'summit' and content = 'speakers'`,
    ['summit | speakers | u1 | attendeeId names an item that is not desired'],
  ],
  [
    'before-apply/plan-counts-add-up',
    sql`delete from sync.changes where integration_id = 'summit' and unique_id = 'u4'`,
    [
      'summit | attendees | - | create 1, update 0, handover 0, remove 1, unchanged 2; planned create 0, update 0, handover 0, remove 1; desired 3, on the platform 3, both 2',
    ],
  ],
  [
    'before-apply/inferred-removals-follow-whole-reads',
    sql`update sync.certificates set certified = false where integration_id = 'summit' and resource = 'users'`,
    ['summit | attendees | u3 | users is not certified'],
  ],
  [
    'before-apply/inferred-removals-follow-whole-reads',
    sql`with moved as (update sync.changes set content = 'speakers' where integration_id = 'summit' and unique_id = 'u3')
      insert into sync.unstaged (integration_id, run_id, resource, ordinal, reason, path, detail)
      select integration_id, run_id, 'sessions', 9, 'invalid_record', '$', '' from sync.last_planned_runs where integration_id = 'summit'`,
    ['summit | speakers | u3 | sessions has new records that could not be read'],
  ],
  [
    'before-apply/inferred-removals-follow-whole-reads',
    sql`insert into sync.unseen (integration_id, run_id, resource, source_id)
      select integration_id, run_id, 'users', 'u3' from sync.last_planned_runs where integration_id = 'summit'`,
    ['summit | attendees | u3 | users may hold the record, which was not seen'],
  ],
  [
    'before-apply/removals-have-their-reason',
    sql`update sync.changes set reason = 'not_published' where integration_id = 'summit' and unique_id = 'u3'`,
    ['summit | attendees | u3 | no decision says so'],
  ],
  [
    'before-apply/removals-have-their-reason',
    sql`update sync.changes set inferred = false where integration_id = 'summit' and unique_id = 'u3'`,
    ['summit | attendees | u3 | no record states it'],
  ],
  [
    'before-apply/removals-have-their-reason',
    sql`update sync.changes set action = 'remove', reason = 'removed_at_source', inferred = true, after = null
      where integration_id = 'summit' and unique_id = 's2'`,
    ['summit | agenda | s2 | still desired'],
  ],
  [
    'before-apply/removals-have-their-reason',
    sql`update sync.changes set reason = 'removed_at_source', inferred = true where integration_id = 'summit' and unique_id = 's3'`,
    ['summit | agenda | s3 | its record has a decision'],
  ],
  [
    'before-apply/records-add-up',
    sql`update sync.certificates set elements = 4 where integration_id = 'summit' and resource = 'users'`,
    ['summit | users | - | 4 read, 3 distinct ids, 0 set aside, 0 forgotten, 0 not seen, 3 staged'],
  ],
  [
    'before-apply/records-add-up',
    sql`delete from staging.a_time_slots where integration_id = 'summit'`,
    ['summit | time_slots | - | 1 read, 1 distinct ids, 0 set aside, 0 forgotten, 0 not seen, 0 staged'],
  ],
  [
    'before-apply/answers-add-up',
    sql`delete from sync.requests where integration_id = 'summit' and resource = 'rooms'`,
    ['summit | rooms | - | 0 answers with 0 records; certified 1 answers with 0 records'],
  ],
  [
    'after-apply/every-change-is-settled',
    sql`update sync.changes set state = 'sent', result = null where integration_id = 'summit' and content = 'attendees' and unique_id = 'u1'`,
    ['summit | attendees | u1 | create is sent, the platform said nothing'],
  ],
  [
    'after-apply/every-change-is-settled',
    sql`update sync.changes set state = 'withheld', result = null where integration_id = 'summit' and content = 'attendees' and unique_id = 'u1'`,
    ['summit | attendees | u1 | create is withheld, the platform said nothing'],
  ],
  [
    'after-apply/what-landed-is-known',
    sql`delete from sync.platform_items where integration_id = 'summit' and content = 'attendees' and unique_id = 'u1'`,
    ['summit | attendees | u1 | not known to be there'],
  ],
  [
    'after-apply/what-landed-is-known',
    sql`update sync.platform_items set fields = '{}' where integration_id = 'summit' and content = 'attendees' and unique_id = 'u1'`,
    ['summit | attendees | u1 | known with other fields'],
  ],
  [
    'after-apply/what-landed-is-known',
    sql`update sync.changes set action = 'remove' where integration_id = 'summit' and content = 'attendees' and unique_id = 'u1'`,
    ['summit | attendees | u1 | still known to be there'],
  ],
  [
    'after-apply/platform-has-what-is-desired',
    sql`update sync.platform_items set fields = '{}' where integration_id = 'summit' and content = 'agenda' and unique_id = 's1'`,
    ['summit | agenda | s1 | desired, but not there as desired'],
  ],
  [
    'after-apply/platform-has-what-is-desired',
    sql`insert into sync.platform_items (integration_id, content, unique_id, fields, run_id)
      select integration_id, content, 'ghost', fields, run_id from sync.platform_items
      where integration_id = 'summit' and content = 'agenda' and unique_id = 's1'`,
    ['summit | all | - | items without a record: 1; the plan kept 0'],
  ],
  [
    'after-apply/run-counts-add-up',
    sql`delete from sync.changes where integration_id = 'summit' and content = 'agenda' and unique_id = 's1'`,
    ['summit | all | - | changes 6, failed 0, withheld 0; told 7, 0, 0'],
  ],
  [
    'after-apply/batches-are-answered',
    sql`insert into sync.batches (integration_id, run_id, batch, phase, first_seq, last_seq, reach, idempotency_key, sha256, state, sent_at)
      select integration_id, run_id, 1, 'upserts', 1, 2, 2, '', '', 'sent', now() from sync.last_applied_runs where integration_id = 'summit'`,
    ['summit | batch | 1 | its answer is not known'],
  ],
  [
    'after-apply/batches-are-answered',
    sql`update sync.changes set batch = 7 where integration_id = 'summit' and content = 'attendees' and unique_id = 'u1'`,
    ['summit | attendees | u1 | its batch was not answered'],
  ],
  [
    'after-apply/no-password-is-left',
    sql`insert into sync.passwords (integration_id, unique_id, sealed) values ('summit', 'u1', '\\x00')`,
    ['summit | attendees | u1 | a sealed password'],
  ],
]

test('for each check there is a fault that it finds', () => {
  expect([...new Set(FAULTS.map(([name]) => name))].toSorted()).toEqual(
    checks.map(({ name }) => name).toSorted(),
  )
})

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)
  const output = useOneFolder()
  beforeAll(async () => {
    for (const id of ['expo', 'summit']) {
      const source = await startSampleSourceA(SOURCE)
      const place = { database: database(), output, id }
      const integration = makeIntegration(place, source.url, { source: { type: 'a' } })
      expect((await integration.run()).code).toBe(0)
      source.setData(LATER)
      expect((await integration.plan()).code).toBe(2)
      await source.close()
    }
  })

  test.each(checks)('$name finds nothing in healthy data', async ({ name, query }) => {
    expect(await rowsOf(database().kysely, name)).toEqual([])
    for await (const { columns } of database().readOnly(query)) {
      expect(columns).toEqual(['integration_id', 'run_id', 'subject', 'id', 'detail'])
    }
  })

  test.each(FAULTS.map(([name, fault, rows], place) => [name, place, fault, rows] as const))(
    '%s finds fault %i',
    async (name, _place, fault, rows) => {
      const found = await takenBack(database(), async (transaction) => {
        await fault.execute(transaction)
        return rowsOf(transaction, name)
      })
      expect(found).toEqual(rows)
    },
  )
})
