import type { Records } from '../../pipeline/library/contract.ts'
import { parseJson } from '../../transforms/rules/values.ts'

type Row = Readonly<Record<string, unknown>>

/**
 * Converts the lists of a programme from the form of Source A to the form of pretalx, with only the people
 * who speak.
 *
 * @param listOf returns the records of a list of Source A by its name
 */
export function asPretalx(listOf: (name: string) => readonly Row[]): Records {
  const [sessions, users] = [listOf('Sessions'), listOf('Users')]
  const slots = new Map(listOf('TimeSlots').map((slot) => [String(slot.Id), slot]))
  const speakers = new Set(sessions.flatMap(({ Speakers }) => idsIn(Speakers)))
  const submissions = sessions.map(({ Id, Title, Description, TrackId, RoomID, TimeSlotID, Speakers }) => {
    const slot = slots.get(String(TimeSlotID))
    const times = { start: Object(slot?.StartTime).UTC, end: Object(slot?.EndTime).UTC }
    return {
      code: String(Id),
      title: Title,
      abstract: Description,
      state: 'confirmed',
      track: TrackId,
      speakers: idsIn(Speakers),
      slots: slot === undefined ? [] : [{ room: RoomID, ...times }],
    }
  })
  const people = users.filter(
    ({ Id, SpeakingAt }) => speakers.has(String(Id)) || idsIn(SpeakingAt).length > 0,
  )
  const lists = {
    submissions,
    rooms: listOf('Rooms').map(({ Id, Name }) => ({ id: Id, name: Name })),
    tracks: listOf('Tracks').map(({ Id, Title }) => ({ id: Id, name: Title })),
    speakers: people.map(({ Id, FirstName, LastName, Biography, PhotoLink, SpeakingAt }) => ({
      code: String(Id),
      name: `${FirstName ?? ''} ${LastName ?? ''}`.trim(),
      biography: Biography,
      avatar_url: PhotoLink,
      submissions: idsIn(SpeakingAt),
    })),
  }
  // This leaves out keys without a value.
  return parseJson(JSON.stringify(lists)) as Records
}

function idsIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.map((one) => String(Object(one).Id)) : []
}
