import type { Database } from '../../sql/database.ts'
import type { Fields } from '../../sql/tables.ts'
import { sourceAt } from '../harness/place.ts'
import type { SamplePlatform } from '../harness/sample-platform/start.ts'
import { type Resources, serveRecords } from '../harness/serve-records.ts'
import { type Ended, syncToPlatform } from '../pipeline/sync-to-platform.ts'

/**
 * Database, platform and output folder of the two integrations: `summit` reads Source A and sends over HTTP;
 * `expo` reads Source B and writes files.
 */
interface Place {
  readonly database: Database
  readonly platform: Pick<SamplePlatform, 'url' | 'token' | 'eventId' | 'control'>
  readonly output: string
}

const user = (id: string, more: Fields = {}) => ({
  Id: id,
  FirstName: 'Ada',
  LastName: `Of ${id}`,
  EmailAddress: `${id}@people.example`,
  ...more,
})
const users = (count: number) => Array.from({ length: count }, (_, at) => user(`u${at + 1}`))
const slots = [
  { Id: 1, StartTime: '2031-05-04T13:00:00Z', EndTime: '2031-05-04T14:00:00Z' },
  { Id: 2, StartTime: '2031-05-04T15:00:00Z', EndTime: '2031-05-04T16:30:00Z' },
]
const session = (Id: number, more: Readonly<Record<string, unknown>> = {}) => ({
  Id,
  Title: `Session ${Id}`,
  TimeSlotId: 1,
  RoomId: 9,
  Speakers: [{ Id: 'u1' }],
  ...more,
})
const ofA = (Sessions: readonly unknown[], Users: readonly unknown[]) => ({
  Sessions,
  TimeSlots: slots,
  Rooms: [{ Id: 9, Name: 'Library', Location: 'East' }],
  Tracks: [],
  SessionTypes: [],
  Users,
})

/** The records of Source A in each run. The last records are synced again after the upgrade. */
export const statesOfA = [
  ofA([session(101), session(102)], users(6)),
  // The second state has records that are changed, moved, hidden, missing, new, or without required fields.
  ofA(
    [session(101, { TimeSlotId: 2 }), session(102, { Enabled: false }), session(103)],
    [...users(5), user('u7', { Company: 'Analytical Engines' }), { Id: 'u8', FirstName: 'Nameless' }],
  ),
  ofA([session(101, { TimeSlotId: 2 }), session(103)], [...users(6), user('u7')]),
] as const

const registrant = (id: number, more: Readonly<Record<string, unknown>> = {}) => ({
  id,
  first_name: 'Grace',
  last_name: `Of ${id}`,
  email: `r${id}@people.example`,
  reg_type_id: id === 1 ? 20 : 10,
  session_ids: [500],
  cancelled_at: null,
  ...more,
})
const ofB = (registrants: readonly unknown[]) => ({
  sessions: [
    {
      id: 500,
      name: 'Keynote',
      date: '2031-05-04',
      start_time: '09:00',
      end_time: '10:00',
      timezone: 'Europe/Berlin',
    },
  ],
  registrants,
  regTypes: [
    { id: 10, name: 'Visitor' },
    { id: 20, name: 'Speaker' },
  ],
})

/** The records of Source B in each run. A registrant without an id is quarantined. */
export const statesOfB = [
  ofB([1, 2, 3].map((id) => registrant(id))),
  ofB([
    registrant(1),
    registrant(2, { cancelled_at: '2031-04-01 10:00:00' }),
    registrant(4),
    { first_name: 'No id' },
  ]),
] as const

/**
 * Syncs both integrations several times. The last run of `expo` dies before its end, so that the next version
 * must finish this run.
 */
export async function play(place: Place): Promise<void> {
  await syncA(place, statesOfA[0])
  await place.platform.control('faults', [
    { fault: 'failOperation', uniqueId: 'u7', code: 'too_many', count: 1 },
  ])
  await syncA(place, statesOfA[1])
  await syncA(place, statesOfA[2])
  await syncB(place, statesOfB[0])
  await syncB(place, statesOfB[1], (line) => {
    if (line.includes('"operations sent"')) throw new Error('the process is gone')
  })
}

/**
 * Serves and syncs given records of Source A. Before the sync, stores the server's address as the address of
 * the integration's source.
 */
export function syncA(place: Place, state: (typeof statesOfA)[number]): Promise<Ended> {
  return syncFrom('a', 'summit', place, state)
}

/** @param told called with each log line. If `told` throws an error, the run dies at that log line */
export function syncB(
  { database, output }: Place,
  state: (typeof statesOfB)[number],
  told?: (line: string) => void,
): Promise<Ended> {
  return syncFrom('b', 'expo', { database, output }, state, told)
}

async function syncFrom(
  type: 'a' | 'b',
  id: string,
  place: Partial<Pick<Place, 'platform'>> & Omit<Place, 'platform'>,
  state: Resources,
  told: (line: string) => void = () => undefined,
): Promise<Ended> {
  const source = await serveRecords(type, state)
  try {
    await moveSource(place, id, source.url)
    const integration = { id, source: { ...sourceAt(type, source.url), timeZone: 'UTC' } }
    return await syncToPlatform({ ...place, sourceUrl: source.url, told, integration })
  } finally {
    await source.close()
  }
}

/**
 * Stores the new address of a sample source in the database. The port changes at each start, but the product
 * must take the server for the same source.
 */
async function moveSource(
  { database, platform }: Partial<Place> & Pick<Place, 'database'>,
  id: string,
  url: string,
): Promise<void> {
  await database.kysely
    .updateTable('sync.integrations')
    .set({ source_url: url, ...(platform === undefined ? {} : { platform_url: platform.url }) })
    .where('integration_id', '=', id)
    .execute()
}
