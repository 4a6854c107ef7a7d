import type { Resources } from '../harness/serve-records.ts'
import type { Setup } from './sync.ts'
import { type Fields, type Told, type Trap, toldTrap, traps } from './traps.ts'

/**
 * A trap (a case that is easy to get wrong) with records of Source B. Only the unusual fields are given.
 *
 * The ids of a trap contain its number in the group, counted from 1: `s<n>` for the session and `g<n>` for
 * the registrant. Each group also has a session `s0` and the registrant types Attendee (901) and Speaker
 * (902).
 */
export interface TrapOfB extends Told {
  /** Fields of the session. By default the session is on 8 August 2031 from 09:00 to 10:00. */
  readonly session?: Fields
  /**
   * Fields of the registrant. By default the registrant has names, an e-mail address and the type Speaker,
   * and has chosen the session `s0`.
   */
  readonly registrant?: Fields
}

export const SESSION_B = {
  id: 's0',
  name: 'Opening',
  date: '2031-08-08',
  start_time: '09:00:00',
  end_time: '10:00:00',
}

const REGISTRANT = {
  first_name: 'Ada',
  last_name: 'Lovelace',
  email: 'ada@people.example',
  reg_type_id: 902,
  session_ids: ['s0'],
  cancelled_at: null,
}

export const TYPES = [
  { id: 901, name: 'Attendee' },
  { id: 902, name: 'Speaker' },
]

/** Makes a complete session. */
export function bSession(id: unknown, fields: Fields = {}): Fields {
  return { ...SESSION_B, id, name: 'A session', ...fields }
}

/** Makes a registrant with all required fields, who is a speaker and an attendee. */
export function bRegistrant(id: unknown, fields: Fields = {}): Fields {
  return { ...REGISTRANT, id, ...fields }
}

const BESIDE: Resources = { sessions: [SESSION_B], regTypes: TYPES }

/** Registers the tests for a group of traps, which are synced in one run. By default times are in UTC. */
export function trapsOfB(
  title: string,
  options: Fields,
  table: readonly TrapOfB[],
  content?: Setup['content'],
): void {
  const setup: Setup = { source: { type: 'b', timeZone: 'UTC', ...options }, ...(content && { content }) }
  traps(
    title,
    setup,
    BESIDE,
    table.map((trap, index) => toTrap(trap, index + 1)),
  )
}

function toTrap(trap: TrapOfB, n: number): Trap {
  const { session, registrant } = trap
  const own: Resources = {
    ...(session ? { sessions: [{ ...SESSION_B, id: `s${n}`, name: 'A session', ...session }] } : {}),
    ...(registrant ? { registrants: [{ ...REGISTRANT, id: `g${n}`, ...registrant }] } : {}),
  }
  return toldTrap(trap, own, `s${n}`, `g${n}`)
}
