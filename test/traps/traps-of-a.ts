import type { Resources } from '../harness/serve-records.ts'
import type { Setup } from './sync.ts'
import { type Fields, type Told, type Trap, toldTrap, traps } from './traps.ts'

/**
 * A trap (a case that is easy to get wrong) with records of Source A. Only the unusual fields are given.
 *
 * The ids of a trap contain its number in the group, counted from 1: `s<n>` for the session, `u<n>` for the
 * user, `t<n>` for the time slot, `r<n>` for the room, `k<n>` for the track and `y<n>` for the session type.
 * Each group also has a session `s0` in a time slot `t0`, and a user `u0` who speaks at `s0`.
 */
export interface TrapOfA extends Told {
  /**
   * Fields of the session. By default the session is in `t0`, has no speakers, and has the room, track and
   * type of the trap.
   */
  readonly session?: Fields
  readonly slot?: Fields
  readonly room?: Fields
  readonly track?: Fields
  readonly type?: Fields
  /** Fields of the user. By default the user has names and an e-mail address, and speaks at `s0`. */
  readonly user?: Fields
}

/** 09:30 to 10:30 UTC. */
export const SLOT_0 = { Id: 't0', StartTime: '2031-05-04T09:30:00Z', EndTime: '2031-05-04T10:30:00Z' }

/** The session of each group, which is published and takes place in the time slot `t0`. */
const SESSION_0 = { Id: 's0', Title: 'Opening', TimeSlotId: 't0' }

/** The user of each group, who speaks at `s0` and is an attendee. */
const USER_0 = {
  Id: 'u0',
  FirstName: 'Zoe',
  LastName: 'Zero',
  EmailAddress: 'zoe@people.example',
  SpeakingAt: [{ Id: 's0' }],
}

/** Makes a complete session. */
export function aSession(Id: unknown, fields: Fields = {}): Fields {
  return { ...SESSION_0, Id, Title: 'A session', ...fields }
}

/** Makes a user with all required fields, who by default is no speaker. */
export function aUser(Id: unknown, fields: Fields = {}): Fields {
  return { ...USER_0, Id, SpeakingAt: [], ...fields }
}

const BESIDE: Resources = { TimeSlots: [SLOT_0], Sessions: [SESSION_0], Users: [USER_0] }

/** Registers the tests for a group of traps, which are synced in one run. */
export function trapsOfA(
  title: string,
  options: Fields,
  table: readonly TrapOfA[],
  content?: Setup['content'],
): void {
  const setup: Setup = { source: { type: 'a', ...options }, ...(content && { content }) }
  traps(
    title,
    setup,
    BESIDE,
    table.map((trap, index) => toTrap(trap, index + 1)),
  )
}

function toTrap(trap: TrapOfA, n: number): Trap {
  const { session, slot, room, track, type, user } = trap
  const own: Resources = {
    ...(session || slot || room || track || type
      ? {
          Sessions: [
            {
              Id: `s${n}`,
              Title: 'A session',
              TimeSlotId: slot ? `t${n}` : 't0',
              RoomId: room ? `r${n}` : null,
              TrackId: track ? `k${n}` : null,
              SessionTypeId: type ? `y${n}` : null,
              ...session,
            },
          ],
        }
      : {}),
    ...(slot ? { TimeSlots: [{ ...SLOT_0, Id: `t${n}`, ...slot }] } : {}),
    ...(room ? { Rooms: [{ Id: `r${n}`, ...room }] } : {}),
    ...(track ? { Tracks: [{ Id: `k${n}`, ...track }] } : {}),
    ...(type ? { SessionTypes: [{ Id: `y${n}`, ...type }] } : {}),
    ...(user ? { Users: [{ ...USER_0, Id: `u${n}`, ...user }] } : {}),
  }
  return toldTrap(trap, own, `s${n}`, `u${n}`)
}
