import { type Json, obj } from '../../harness/json.ts'
import type { Random } from '../../harness/random.ts'
import { changed, type Fields, idsOf, type Records, type Vocabulary } from './world.ts'

const SLOTS = ['t1', 't2', 't3', 't4', 't5', 't6']
const ROOMS = ['r1', 'r2', 'r3']
const TRACKS = ['k1', 'k2']
const TYPES = ['y1', 'y2', 'y3']

const keyed = (ids: readonly string[], make: (index: number) => Fields): Records =>
  new Map(ids.map((id, index) => [id, make(index)]))

const day = (index: number) => `2031-05-${String(4 + index).padStart(2, '0')}`

/**
 * The resources and keys of Source A, in which a session refers to its time slot, room, track, type and
 * speakers.
 */
export const vocabularyA: Vocabulary = {
  type: 'a',
  idKey: 'Id',
  people: 'Users',
  names: ['FirstName', 'LastName'],
  address: 'EmailAddress',
  sessions: 'Sessions',
  clock: 'TimeSlots',
  texts: [
    { resource: 'Users', key: 'FirstName', isRequired: true },
    { resource: 'Users', key: 'EmailAddress', isRequired: true },
    { resource: 'Users', key: 'Company', isRequired: false },
    { resource: 'Users', key: 'Title', isRequired: false },
    { resource: 'Users', key: 'Biography', isRequired: false },
    { resource: 'Sessions', key: 'Title', isRequired: true },
    { resource: 'Sessions', key: 'Description', isRequired: false },
    { resource: 'Rooms', key: 'Name', isRequired: false },
    { resource: 'Tracks', key: 'Title', isRequired: false },
  ],
  deciding: [
    ['Sessions', 'Enabled'],
    ['Sessions', 'SessionTypeId'],
    ['SessionTypes', 'Name'],
    ['Users', 'IsPending'],
    ['Users', 'SpeakingAt'],
  ],
  leaving: [
    { resource: 'Sessions', go: { Enabled: false }, stay: { Enabled: true } },
    { resource: 'Users', go: { IsPending: true }, stay: { IsPending: false } },
    { resource: 'Sessions', go: { SessionTypeId: 'y3' }, stay: { SessionTypeId: 'y1' } },
  ],
  makePerson: (_, random, number) => ({
    FirstName: `Given ${number}`,
    LastName: `Family ${number}`,
    EmailAddress: `p${number}@people.example`,
    Title: random.chance(0.7) ? `Title ${number}` : null,
    Company: `Company ${random.below(9)}`,
    Biography: random.chance(0.7) ? `<p>Of ${number}</p>` : null,
    IsPending: false,
    SpeakingAt: [],
  }),
  makeSession: (world, random, number) => ({
    Title: `Session ${number}`,
    Description: `About ${number}`,
    Enabled: true,
    TimeSlotId: random.pick(SLOTS),
    RoomId: random.pick(ROOMS),
    TrackId: random.pick(TRACKS),
    SessionTypeId: random.pick(['y1', 'y2']),
    Speakers: named(random.some(idsOf(world, 'Users'), 0.08)),
  }),
  lookups: {
    TimeSlots: keyed(SLOTS, (index) => ({
      StartTime: `${day(index)}T09:00:00`,
      EndTime: `${day(index)}T10:00:00`,
    })),
    Rooms: keyed(ROOMS, (index) => ({ Name: `Room ${index}`, Location: `Floor ${index}` })),
    Tracks: keyed(TRACKS, (index) => ({ Title: `Track ${index}` })),
    SessionTypes: keyed(TYPES, (index) => ({ Name: index === 2 ? '1:1 Meeting' : `Type ${index}` })),
  },
  moved: (fields, random) => {
    const hour = 10 + random.below(8)
    const start = String(fields.StartTime)
    return {
      ...fields,
      StartTime: `${start.slice(0, 11)}${hour}:00:00`,
      EndTime: `${start.slice(0, 11)}${hour}:45:00`,
    }
  },
  relink(world, random) {
    const ids = random.some(idsOf(world, 'Sessions'), 0.3)
    const people = [...idsOf(world, 'Users'), ...(random.chance(0.2) ? ['nobody'] : [])]
    const speaking = changed(world, 'Sessions', ids, (fields) => ({
      ...fields,
      Speakers: named(random.some(people, 0.08)),
      ...other(random, 'TimeSlotId', [...SLOTS, 'nowhere']),
      ...other(random, 'RoomId', [...ROOMS, 'nowhere']),
    }))
    const sessions = idsOf(speaking, 'Sessions')
    return changed(speaking, 'Users', random.some(idsOf(speaking, 'Users'), 0.1), (fields) => ({
      ...fields,
      SpeakingAt: named(random.some(sessions, 0.1)),
    }))
  },
  // Renames the session type y2. A run may not see every session of the renamed type.
  renameType: (world, isAsAtFirst) =>
    changed(world, 'SessionTypes', ['y2'], () => ({ Name: isAsAtFirst ? 'Type 1' : '1:1 Meeting' })),
}

function named(ids: readonly string[]): Json {
  return ids.map((id) => obj({ Id: id }))
}

function other(random: Random, key: string, ids: readonly string[]): Fields {
  return random.chance(0.15) ? { [key]: random.pick(ids) } : {}
}
