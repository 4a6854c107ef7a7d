import { type Kysely, type RawBuilder, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrate } from '../../pipeline/database/migrate.ts'
import type { Served } from '../../pipeline/library/contract.ts'
import { findChecks } from '../../pipeline/run/sql-checks.ts'
import type { AnySourceType } from '../../pipeline/sources/contract/source-type.ts'
import type { Database } from '../../sql/database.ts'
import type { Tables } from '../../sql/tables.ts'
import { openPlace, runLast } from '../harness/place.ts'
import { startSampleSourceA } from '../harness/sample-source/a.ts'
import conference from '../sources/conference/conference.ts'
import { serveLists } from '../sources/serve-lists.ts'
import { engines, openEngine } from '../support/engines.ts'
import { useOneFolder } from '../support/folder.ts'
import { takenBack } from '../support/use-database.ts'

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

const SLOT = { from: '2031-05-04T13:00:00Z', to: '2031-05-04T14:00:00Z' }
const talk = (
  id: string,
  title: string,
  more: { readonly speakers?: readonly string[]; readonly draft?: boolean } = {},
) => ({ id, title, slot: 't1', ...more })
const person = (id: string) => ({ id, first: 'Ada', last: `Of ${id}`, email: `${id}@people.example` })

/**
 * The event in the form of the third source. In the state `LATER`, session s2 has another title, session s3
 * is hidden, person u3 is missing and person u4 is new.
 */
const FIRST = {
  slots: [{ id: 't1', ...SLOT }],
  halls: [],
  talks: [talk('s1', 'Opening', { speakers: ['u1'] }), talk('s2', 'Workshop'), talk('s3', 'Closing')],
  people: [{ ...person('u1'), speaks: true }, person('u2'), person('u3')],
}
const LATER: typeof FIRST = {
  ...FIRST,
  talks: [...FIRST.talks.slice(0, 1), talk('s2', 'Work'), talk('s3', 'Closing', { draft: true })],
  people: [...FIRST.people.slice(0, 2), person('u4')],
}

/** Converts the event to the resources and keys of Source A. */
function inWordsOfA({ slots, talks, people }: typeof FIRST) {
  return {
    TimeSlots: slots.map(({ id, from, to }) => ({ Id: id, StartTime: from, EndTime: to })),
    Rooms: [],
    Tracks: [],
    SessionTypes: [],
    Sessions: talks.map(({ id, title, slot, speakers = [], draft = false }) => ({
      Id: id,
      Title: title,
      TimeSlotId: slot,
      Speakers: speakers.map((Id) => ({ Id })),
      Enabled: !draft,
    })),
    Users: people.map(({ id, first, last, email }) => ({
      Id: id,
      FirstName: first,
      LastName: last,
      EmailAddress: email,
    })),
  }
}

/** A source, and the names of its resources. */
interface World {
  readonly source: Readonly<Record<string, unknown>> & { readonly type: string }
  readonly outside: readonly AnySourceType[]
  readonly names: Readonly<Record<'sessions' | 'users' | 'rooms' | 'slots', string>>
  readonly serve: () => Promise<Pick<Served, 'url' | 'close'> & { readonly goOn: () => void }>
}

const OF_A: World = {
  source: { type: 'a', eventId: '4242' },
  outside: [],
  names: { sessions: 'sessions', users: 'users', rooms: 'rooms', slots: 'time_slots' },
  async serve() {
    const { url, close, setData } = await startSampleSourceA(inWordsOfA(FIRST))
    return { url, close, goOn: () => setData(inWordsOfA(LATER)) }
  },
}
const OF_ANOTHER: World = {
  source: { type: conference.name, eventId: 'spring', timeZone: 'UTC' },
  outside: [conference],
  names: { sessions: 'talks', users: 'people', rooms: 'halls', slots: 'slots' },
  async serve() {
    const { url, close, hold } = await serveLists('/programme', FIRST)
    return { url, close, goOn: () => hold(LATER) }
  },
}

/**
 * A check of sql/checks, SQL that inserts a fault which the check must find, and the rows by which the check
 * reports the fault.
 */
type Fault = readonly [check: string, fault: RawBuilder<unknown>, rows: readonly string[]]

/** Two integrations have all rows, but the fault is inserted into only one of the two. */
const faultsIn = ({ source, names: { sessions, users, rooms, slots } }: World): readonly Fault[] => {
  const table = (resource: string) => sql.table(`staging.${source.type}_${resource}`)
  return [
    [
      'before-apply/versions-do-not-overlap',
      sql`update ${table(sessions)} set valid_to_run = '02000000-0000-7000-8000-000000000000'
      where integration_id = 'summit' and source_id = 's2' and valid_to_run is not null`,
      [`summit | ${sessions} | s2 | valid beside an earlier version`],
    ],
    [
      'before-apply/every-record-is-decided',
      sql`delete from sync.decisions where integration_id = 'summit' and content = 'attendees' and source_id = 'u1'`,
      ['summit | attendees | u1 | no decision'],
    ],
    [
      'before-apply/every-record-is-decided',
      sql`delete from ${table(users)} where integration_id = 'summit' and source_id = 'u2'`,
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
      sql`update sync.certificates set certified = false where integration_id = 'summit' and resource = ${users}`,
      [`summit | attendees | u3 | ${users} is not certified`],
    ],
    [
      'before-apply/inferred-removals-follow-whole-reads',
      sql`with moved as (update sync.changes set content = 'speakers' where integration_id = 'summit' and unique_id = 'u3')
      insert into sync.unstaged (integration_id, run_id, resource, ordinal, reason, path, detail)
      select integration_id, run_id, ${sessions}, 9, 'invalid_record', '$', '' from sync.last_planned_runs where integration_id = 'summit'`,
      [`summit | speakers | u3 | ${sessions} has new records that could not be read`],
    ],
    [
      'before-apply/inferred-removals-follow-whole-reads',
      sql`insert into sync.unseen (integration_id, run_id, resource, source_id)
      select integration_id, run_id, ${users}, 'u3' from sync.last_planned_runs where integration_id = 'summit'`,
      [`summit | attendees | u3 | ${users} may hold the record, which was not seen`],
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
      sql`update sync.certificates set elements = 4 where integration_id = 'summit' and resource = ${users}`,
      [`summit | ${users} | - | 4 read, 3 distinct ids, 0 set aside, 0 forgotten, 0 not seen, 3 staged`],
    ],
    [
      'before-apply/records-add-up',
      sql`delete from ${table(slots)} where integration_id = 'summit'`,
      [`summit | ${slots} | - | 1 read, 1 distinct ids, 0 set aside, 0 forgotten, 0 not seen, 0 staged`],
    ],
    [
      'before-apply/answers-add-up',
      sql`delete from sync.requests where integration_id = 'summit' and resource = ${rooms}`,
      [`summit | ${rooms} | - | 0 answers with 0 records; certified 1 answers with 0 records`],
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
}

test('for each check of sql/checks, at least one fault is tested here', () => {
  expect([...new Set(faultsIn(OF_A).map(([name]) => name))].toSorted()).toEqual(
    checks.map(({ name }) => name).toSorted(),
  )
})

const everywhere = engines.flatMap((engine) =>
  [OF_A, OF_ANOTHER].map((world) => [engine, world.source.type, world] as const),
)

describe.each(everywhere)('on %s, source %s', (engine, _, world) => {
  const output = useOneFolder()
  let opened: Database
  const database = () => opened
  beforeAll(async () => {
    opened = await openEngine(engine)
    await migrate(opened, world.outside)
    for (const id of ['expo', 'summit']) {
      const { url, close, goOn } = await world.serve()
      const integration = { id, source: { ...world.source, url } }
      const place = openPlace({ database: opened, output, outside: world.outside, integration })
      expect(await runLast(place)).toMatchObject({ status: 'finished' })
      goOn()
      expect(await runLast(place, { command: 'plan' })).toMatchObject({ status: 'planned' })
      await close()
    }
  })
  afterAll(() => opened.close())

  test.each(checks)('the check $name reports no rows if the data are correct', async ({ name, query }) => {
    expect(await rowsOf(database().kysely, name)).toEqual([])
    for await (const { columns } of database().readOnly(query)) {
      expect(columns).toEqual(['integration_id', 'run_id', 'subject', 'id', 'detail'])
    }
  })

  test.each(faultsIn(world).map(([name, fault, rows], place) => [name, place, fault, rows] as const))(
    'the check %s reports the inserted fault number %i',
    async (name, _place, fault, rows) => {
      const found = await takenBack(database(), async (transaction) => {
        await fault.execute(transaction)
        return rowsOf(transaction, name)
      })
      expect(found).toEqual(rows)
    },
  )
})
