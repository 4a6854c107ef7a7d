import type { Resources, Setup } from './sync.ts'
import { type Became, joined, type Trap, traps, trapsApart } from './traps.ts'

type Fields = Readonly<Record<string, unknown>>
type Outcome = Became | readonly Became[]
/** What an integration has beside its source. */
type Rest = Omit<Setup, 'source'>

/**
 * A trap of Source B, told by what is out of the ordinary.
 *
 * Its session has the id `s<n>`, its registrant `g<n>`, n being the place of the trap in its group, from 1. Beside
 * them stand a session `s0` and the registrant types Attendee (901) and Speaker (902).
 */
export interface TrapOfB {
  readonly name: string
  /** By default on 8 August 2031 from nine to ten. */
  readonly session?: Fields
  /** By default somebody with names and e-mail address, of the type Speaker, with `s0` in the agenda. */
  readonly registrant?: Fields
  /** Records written out in full. */
  readonly also?: Resources
  /** What became of the session. */
  readonly agenda?: Outcome
  /** What became of the registrant. */
  readonly speakers?: Outcome
  readonly attendees?: Outcome
  /** What became of other records, by `content sourceId`. */
  readonly becomes?: Trap['becomes']
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

/** A session written out in full. */
export function bSession(id: unknown, fields: Fields = {}): Fields {
  return { ...SESSION_B, id, name: 'A session', ...fields }
}

/** A registrant written out in full: a speaker and an attendee. */
export function bRegistrant(id: unknown, fields: Fields = {}): Fields {
  return { ...REGISTRANT, id, ...fields }
}

const BESIDE: Resources = { sessions: [SESSION_B], regTypes: TYPES }

/** A group of traps that are synced in one run; times are UTC unless the options say otherwise. */
export function trapsOfB(title: string, options: Fields, table: readonly TrapOfB[], rest: Rest = {}): void {
  traps(
    title,
    setupOfB(options, rest),
    BESIDE,
    table.map((trap, index) => toTrap(trap, index + 1)),
  )
}

/** Traps that are synced each in a run of its own, in which it is the first. */
export function trapsOfBApart(
  title: string,
  options: Fields,
  table: readonly TrapOfB[],
  rest: Rest = {},
): void {
  trapsApart(
    title,
    setupOfB(options, rest),
    BESIDE,
    table.map((trap) => toTrap(trap, 1)),
  )
}

function setupOfB(options: Fields, rest: Rest): Setup {
  return { source: { type: 'b', timeZone: 'UTC', ...options }, ...rest }
}

function toTrap(trap: TrapOfB, n: number): Trap {
  const { session, registrant } = trap
  const own: Resources = {
    ...(session ? { sessions: [{ ...SESSION_B, id: `s${n}`, name: 'A session', ...session }] } : {}),
    ...(registrant ? { registrants: [{ ...REGISTRANT, id: `g${n}`, ...registrant }] } : {}),
  }
  return {
    name: trap.name,
    given: joined([own, trap.also ?? {}]),
    becomes: {
      ...(trap.agenda ? { [`agenda s${n}`]: trap.agenda } : {}),
      ...(trap.speakers ? { [`speakers g${n}`]: trap.speakers } : {}),
      ...(trap.attendees ? { [`attendees g${n}`]: trap.attendees } : {}),
      ...trap.becomes,
    },
  }
}
