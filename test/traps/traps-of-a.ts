import type { Resources } from '../harness/serve-records.ts'
import type { Setup } from './sync.ts'
import { type Fields, type Told, type Trap, toldTrap, traps } from './traps.ts'

/**
 * A trap of Source A, given by its unusual fields.
 *
 * Its session has the id `s<n>`, its user `u<n>`, its lookups `t<n>` (time slot), `r<n>` (room), `k<n>`
 * (track) and `y<n>` (session type), n being the place of the trap in its group, from 1. Each group also has
 * a session `s0` in a time slot `t0` and a user `u0` who speaks there.
 */
export interface TrapOfA extends Told {
  /** By default in `t0`, without speakers, and with the room, track and type of the trap. */
  readonly session?: Fields
  readonly slot?: Fields
  readonly room?: Fields
  readonly track?: Fields
  readonly type?: Fields
  /** By default a user with names and e-mail address who speaks at `s0`. */
  readonly user?: Fields
}

/** 09:30 to 10:30 UTC. */
export const SLOT_0 = { Id: 't0', StartTime: '2031-05-04T09:30:00Z', EndTime: '2031-05-04T10:30:00Z' }

/** A published session in `t0`. */
const SESSION_0 = { Id: 's0', Title: 'Opening', TimeSlotId: 't0' }

/** A user who speaks at `s0` and is an attendee. */
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

/** Makes a complete user, who by default does not speak. */
export function aUser(Id: unknown, fields: Fields = {}): Fields {
  return { ...USER_0, Id, SpeakingAt: [], ...fields }
}

const BESIDE: Resources = { TimeSlots: [SLOT_0], Sessions: [SESSION_0], Users: [USER_0] }

/** Registers a group of traps that are synced in one run. */
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
