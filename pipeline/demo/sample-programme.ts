import type { Json } from '../../transforms/rules/json.ts'
import { inventBio, inventProfile, type Profile } from './sample-people.ts'
import { type Random, randomFrom } from './sample-random.ts'
import { inventDescription, inventTitles, rooms, sessionTypes, slots, tracks } from './sample-words.ts'

/** An invented event as its organisers have it in mind, before a source writes it down. */
export interface Programme {
  readonly sessions: readonly PlannedSession[]
  /** the speakers first, then everybody else who has registered */
  readonly people: readonly Person[]
  readonly speakerCount: number
}

export interface PlannedSession {
  readonly id: Json
  readonly title: string
  readonly description: string
  readonly trackId: number
  readonly typeId: number
  readonly roomId: number
  readonly slotId: number
  /** indexes of people, in the order of the bill */
  readonly speakers: readonly number[]
}

export interface Person extends Profile {
  readonly id: Json
  /** null for those who only attend */
  readonly bio: string | null
  readonly phone: string
  /** indexes of sessions: where a speaker speaks, what an attendee wants to see */
  readonly sessions: readonly number[]
}

/**
 * Ids are numbers but for four in ninety: two that a double cannot tell apart, a string, and a string with
 * zeros in front of the number that another record has.
 */
function idAt(first: number, step: number, index: number): Json {
  const plain = first + step * index
  const place = index % 90
  if (place === 19 || place === 20) return JSON.rawJSON(`90071992${first}${String(index).padStart(5, '0')}`)
  if (place === 21) return String(plain)
  if (place === 22) return `00${plain - step * 4}`
  return plain
}

export function planProgramme(
  seed: number,
  counts: { readonly sessions: number; readonly speakers: number; readonly registrants: number },
): Programme {
  const random = randomFrom(seed)
  const peopleCount = Math.max(counts.registrants, counts.speakers)
  const bills = planBills(random, counts.sessions, counts.speakers)
  const titles = inventTitles(random, counts.sessions)

  const sessions = bills.map(
    (speakers, index): PlannedSession => ({
      id: idAt(5001, 7, index),
      title: titles[index] ?? '',
      description: inventDescription(random),
      trackId: random.pick(tracks).id,
      typeId: random.pick(sessionTypes.filter((type) => type.isOrdinary)).id,
      roomId: random.pick(rooms).id,
      slotId: random.pick(slots).id,
      speakers,
    }),
  )
  const everySession = sessions.map((_, index) => index)
  const people = Array.from({ length: peopleCount }, (_, index): Person => {
    const profile = inventProfile(random, index)
    const speaks = index < counts.speakers
    return {
      ...profile,
      id: idAt(70_001, 3, index),
      bio: speaks ? inventBio(random, profile) : null,
      phone: random.chance(0.6) ? `+1 202 555 01${String(random.below(100)).padStart(2, '0')}` : '',
      sessions: speaks
        ? everySession.filter((session) => bills[session]?.includes(index))
        : random.draw(everySession, random.below(7)),
    }
  })
  return { sessions, people, speakerCount: counts.speakers }
}

/** Who speaks where: everybody at least once, where there are sessions, and some sessions with several. */
function planBills(random: Random, sessions: number, speakers: number): readonly (readonly number[])[] {
  const bills = Array.from({ length: sessions }, (_, session) => {
    const bill = new Set<number>(speakers > 0 ? [session % speakers] : [])
    while (speakers > 3 && bill.size < 3 && random.chance(0.35)) bill.add(random.below(speakers))
    return bill
  })
  for (let speaker = sessions; speaker < speakers; speaker += 1) bills[speaker % sessions]?.add(speaker)
  return bills.map((bill) => [...bill])
}
