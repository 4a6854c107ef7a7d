import type { Database } from '../../sql/database.ts'
import { startSampleSourceA } from '../harness/sample-source/a.ts'
import { startSampleSourceB } from '../harness/sample-source/b.ts'
import { type Ended, makeIntegration } from '../pipeline/guarded-integration.ts'

/**
 * Syncs two events into one database, so that the queries of `sql/queries/` can be tested. The two events
 * have some equal ids. Sessions are in New York, Berlin and Tokyo; some last over midnight, and some overlap.
 * People are duplicated, or leave and come back. The platform rejects a change. There is a run without
 * changes, and at the end a held run and a failed run.
 *
 * @returns the names of the runs by their ids; for example, `summit 1` is the first run of `summit`
 */
export async function syncTwoEvents(
  database: Database,
  output: string,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>()
  await syncSummit({ database, output, id: 'summit' }, names)
  await syncExpo({ database, output, id: 'expo' }, names)
  return names
}

interface Place {
  readonly database: Database
  readonly output: string
  readonly id: string
}

function nameRun(names: Map<string, string>, { id }: Place, { report }: Ended): void {
  const count = [...names.values()].filter((name) => name.startsWith(`${id} `)).length
  names.set(report.run ?? '', `${id} ${count + 1}`)
}

const person = (Id: unknown, FirstName: string, LastName: string, more: object = {}) => ({
  Id,
  FirstName,
  LastName,
  EmailAddress: `${FirstName.toLowerCase()}@people.example`,
  ...more,
})

/** The records of the event `summit` in New York, which is four hours behind UTC in May. */
const SUMMIT = {
  TimeSlots: [
    { Id: 't1', StartTime: '2031-05-04T13:00:00Z', EndTime: '2031-05-04T14:00:00Z' },
    { Id: 't2', StartTime: '2031-05-04T13:30:00Z', EndTime: '2031-05-04T14:30:00Z' },
    // The time slot t3 is from 22:30 to 01:00 in New York.
    { Id: 't3', StartTime: '2031-05-05T02:30:00Z', EndTime: '2031-05-05T05:00:00Z' },
    { Id: 't4', StartTime: '2031-05-04T14:00:00Z', EndTime: '2031-05-04T15:00:00Z' },
  ],
  Rooms: [{ Id: 'r1', Location: 'East wing', Name: 'Hall' }],
  Tracks: [],
  SessionTypes: [],
  Sessions: [
    { Id: 's1', Title: 'Opening', TimeSlotId: 't1', RoomId: 'r1', Speakers: [{ Id: 'u1' }] },
    // Session s2 overlaps with s1 and s4 in the same room, and with s1 for the same speaker.
    { Id: 's2', Title: 'Workshop', TimeSlotId: 't2', RoomId: 'r1', Speakers: [{ Id: 'u1' }, { Id: 'u2' }] },
    { Id: 's3', Title: 'Night walk', TimeSlotId: 't3', Speakers: [] },
    // Session s4 begins when s1 ends. Session s4 lists no speakers, but a speaker's record lists this
    // session.
    { Id: 's4', Title: 'Closing', TimeSlotId: 't4', RoomId: 'r1', Speakers: [] },
    { Id: 's5', Title: 'Secret', TimeSlotId: 't1', Enabled: false, Speakers: [{ Id: 'u4' }] },
    { Id: 's6', Title: 'Some time', Speakers: [] },
  ],
  Users: [
    person('u1', 'Ada', 'Adams', { Company: 'Mill', Biography: 'Counts.' }),
    person('u2', 'Bob', 'Brown', { Company: 'Yard' }),
    person('u3', 'Cy', 'Clark', { SpeakingAt: [{ Id: 's4' }] }),
    person('u4', 'Dee', 'Dunn'),
    person('u5', 'Eve', 'Evans', { EmailAddress: 'ADA@people.example' }),
    person('u6', 'Flo', 'Finch', { EmailAddress: null }),
    person('u7', 'Gus', 'Gray'),
    person(null, 'Hal', 'Hunt'),
  ],
}

async function syncSummit(place: Place, names: Map<string, string>): Promise<void> {
  const source = await startSampleSourceA(SUMMIT)
  try {
    const integration = makeIntegration(place, source.url, {
      source: { type: 'a', timeZone: 'America/New_York' },
    })
    const run = async () => nameRun(names, place, await integration.run())
    await run()
    source.setData({ ...SUMMIT, Users: SUMMIT.Users.filter(({ Id }) => Id !== 'u7') })
    await run()
    // In the next run person u7 is present again, and session s4 takes half an hour longer.
    const longer = { Id: 't4', StartTime: '2031-05-04T14:00:00Z', EndTime: '2031-05-04T15:30:00Z' }
    const moved = { ...SUMMIT, TimeSlots: [...SUMMIT.TimeSlots.slice(0, 3), longer] }
    source.setData(moved)
    await run()
    // The next run has no changes, like the runs on most days.
    await run()
    // The last two runs are a held run and a failed run. Their plans are not in the published views.
    source.setData({
      ...moved,
      Sessions: moved.Sessions.map((session) => ({ ...session, Title: 'Wrong' })),
      Users: moved.Users.filter(({ Id }) => Id === 'u1'),
    })
    await run()
    await failLater(place, names)
  } finally {
    await source.close()
  }
}

/** Inserts a run that failed into the ledger, after all other runs. */
async function failLater({ database, id }: Place, names: Map<string, string>): Promise<void> {
  const run_id = '01ffffff-0000-7000-8000-000000000001'
  await database.kysely
    .insertInto('sync.runs')
    .values({
      integration_id: id,
      run_id,
      command: 'run',
      status: 'failed',
      started_at: '2031-05-01T12:00:00Z',
      finished_at: '2031-05-01T12:01:00Z',
      product_version: '1.0.0',
      started_by: 'test',
      config_hash: '',
      contents: ['agenda', 'speakers', 'attendees'],
      base: 0,
      error: 'extract failed',
    })
    .execute()
  names.set(run_id, `${id} 6`)
}

const registrant = (id: unknown, first_name: string, last_name: string, more: object = {}) => ({
  id,
  first_name,
  last_name,
  email: `${first_name.toLowerCase()}@people.example`,
  reg_type_id: 901,
  session_ids: [],
  cancelled_at: null,
  ...more,
})

/**
 * The records of the event `expo` in Berlin, which is two hours ahead of UTC in May. One session is in Tokyo.
 */
const EXPO = {
  sessions: [
    { id: 's1', name: 'Keynote', date: '2031-05-04', start_time: '09:00:00', end_time: '10:00:00' },
    { id: 's2', name: 'Late show', date: '2031-05-04', start_time: '23:00:00', end_time: '00:30:00' },
    {
      id: 's3',
      name: 'Remote',
      date: '2031-05-05',
      start_time: '02:00:00',
      end_time: '03:00:00',
      timezone: 'Asia/Tokyo',
    },
    { id: 's4', name: 'Marathon', date: '2031-05-05', start_time: '08:00:00', end_time: '22:00:00' },
  ],
  registrants: [
    registrant('r1', 'Ann', 'Abel', { reg_type_id: 902, session_ids: ['s1', 's4'], bio: 'Speaks.' }),
    registrant('r2', 'Ben', 'Bell', { session_ids: ['s2', 's1'], company: 'Yard', mobile_phone: '+49 30 1' }),
    registrant('r3', 'Cal', 'Cole', { email: '', reg_type_id: 902 }),
    registrant('r4', 'Dan', 'Dale', { cancelled_at: '2031-04-01 10:00:00' }),
    registrant('r5', 'Ben', 'Bell', { session_ids: ['s3'] }),
    registrant('r6', 'Old', 'Name'),
    registrant('r6', 'Fay', 'Ford'),
    registrant('r7', 'Gil', 'Good', { reg_type_id: 902 }),
    registrant(null, 'Nobody', 'Known'),
  ],
  regTypes: [
    { id: 901, name: 'Attendee' },
    { id: 902, name: 'Speaker' },
  ],
}

async function syncExpo(place: Place, names: Map<string, string>): Promise<void> {
  const source = await startSampleSourceB(EXPO)
  try {
    const integration = makeIntegration(place, source.url, {
      source: { type: 'b', timeZone: 'Europe/Berlin' },
    })
    nameRun(names, place, await integration.run())
    const changed = EXPO.registrants.map((one) => (one.id === 'r5' ? { ...one, job_title: 'Baker' } : one))
    source.setData({ ...EXPO, registrants: [...changed, registrant('r8', 'Hed', 'Hall')] })
    const ended = await integration.run()
    nameRun(names, place, ended)
    await reject(place, ended.report.run ?? '')
  } finally {
    await source.close()
  }
}

/**
 * Changes the database as if the platform had rejected the update of attendee r5 and the creation of attendee
 * r8. The database also looks as if the product had read session s3 back from the platform with another name.
 */
async function reject({ database, id }: Place, runId: string): Promise<void> {
  await database.kysely
    .updateTable('sync.changes')
    .set({ state: 'failed', result: 'failed', code: 'invalid_email', retryable: false })
    .where('integration_id', '=', id)
    .where('run_id', '=', runId)
    .where('unique_id', 'in', ['r5', 'r8'])
    .execute()
  await database.kysely
    .deleteFrom('sync.platform_items')
    .where('integration_id', '=', id)
    .where('unique_id', '=', 'r8')
    .execute()
  await database.kysely
    .updateTable('sync.platform_items')
    .set({ fields: JSON.stringify({ name: 'As it was' }) })
    .where('integration_id', '=', id)
    .where((eb) =>
      eb.or([
        eb.and({ content: 'attendees', unique_id: 'r5' }),
        eb.and({ content: 'agenda', unique_id: 's3' }),
      ]),
    )
    .execute()
}
