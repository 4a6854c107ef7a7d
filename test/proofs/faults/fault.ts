import { type Json, render } from '../../harness/json.ts'
import { type Reply, textReply } from '../../harness/reply.ts'
import {
  answerB,
  type Envelope,
  type Held,
  PLAIN_A,
  PLAIN_B,
  sliceOfA,
  type WireA,
  type WireB,
} from '../../harness/source-answers.ts'
import type { SourceType } from './event.ts'

/**
 * Describes what a run comes to. `recovered`: as an undisturbed run; `failed`: exit 1, and nothing has changed; `uncertified`:
 * exit 3, and nothing is removed; `late`: nothing shows the fault, nothing is removed that the source has, and the next run puts
 * all right.
 */
export type Outcome = 'recovered' | 'failed' | 'uncertified' | 'late'

/** The request that a fault is played on. */
export interface Asked {
  readonly type: SourceType
  readonly url: URL
  /** All records of the resource. */
  readonly list: readonly Json[]
  /** How often the fault has been played before. */
  readonly plays: number
  /** Address of another host, which nobody may ask. */
  readonly outside: string
  /** The clock of the run. */
  readonly nowMs: number
}

/** Makes what is answered instead. */
export type Play = (honest: Reply, asked: Asked) => Reply

/** A way in which a source misbehaves, and what must come of it. */
export interface Fault extends Limits {
  readonly name: string
  /** Played on one request, or on every request from a page on. */
  readonly plays: 'once' | 'always'
  readonly expected: Outcome
  readonly play: Play
}

/** Describes what holds for some faults only. */
interface Limits {
  /** Rows that differ in a number or a word alone share a kind; tallies are by kind. */
  readonly kind: string
  readonly sources: readonly SourceType[]
  /** What must come of it at Source B's token endpoint; null where it has no meaning there. */
  readonly atToken: Outcome | null
  /** True if it has a meaning there alone. */
  readonly isOfToken: boolean
  /** First page on which it has a meaning. */
  readonly fromPage: 1 | 2
  /** True if it has a meaning only where every page has it. */
  readonly isOfAllPages: boolean
  /** What is told of it: in the message of a run that failed, in the detail of a certificate. */
  readonly says: RegExp
  /** Limits under which it shows soon. */
  readonly http: Readonly<Record<string, number>>
  /** True if it is played by itself: it takes seconds, or every resource suffers from it. */
  readonly standsAlone: boolean
  /** True if records come in another spelling, so that documents and their hashes differ. */
  readonly respells: boolean
  /** Changes the records themselves. */
  readonly records: ((list: readonly Json[], type: SourceType) => readonly Json[]) | null
}

const USUAL: Omit<Limits, 'kind'> = {
  sources: ['a', 'b'],
  atToken: null,
  isOfToken: false,
  fromPage: 1,
  isOfAllPages: false,
  says: /./,
  http: {},
  standsAlone: false,
  respells: false,
  records: null,
}

const honestly: Play = (honest) => honest

export function fault(
  name: string,
  plays: Fault['plays'],
  expected: Outcome,
  limits: Partial<Limits>,
  play: Play = honestly,
): Fault {
  return { ...USUAL, kind: name, name, plays, expected, play, ...limits }
}

/** The same fault once and always, with what must come of each. */
function both(outcomes: readonly [once: Outcome, always: Outcome]) {
  return (name: string, limits: Partial<Limits>, play: Play): readonly Fault[] =>
    (['once', 'always'] as const).map((plays, index) =>
      fault(`${name}, ${plays}`, plays, outcomes[index] ?? 'failed', { kind: name, ...limits }, play),
    )
}

/** A fault that passes when it is played once, and fails the run when it stays: network, 408, 429, 5xx. */
export const passing = both(['recovered', 'failed'])

/** The source moves: once it is read again, always it is not certified. */
export const moving = both(['recovered', 'uncertified'])

/** A fault that asking again cannot fix, so that once is enough to fail the run. */
export function fatal(name: string, limits: Partial<Limits>, play: Play): Fault {
  return fault(`${name}, once`, 'once', 'failed', { kind: name, ...limits }, play)
}

/** What comes of a fault at the token endpoint is what comes of it anywhere. */
export const alsoAtToken = (row: Fault): Fault => ({ ...row, atToken: row.expected })

/** Most elements in one answer, so that a few records take several pages. */
export const PAGE_CAP = 3

/** A list of Source A as it is held; of Source B, all that a record has is given. */
export const heldOfA = (elements: readonly Json[], wire: Partial<WireA> = {}): Held<WireA> => ({
  elements,
  wire: { ...PLAIN_A, nextBy: '$skip', cap: PAGE_CAP, ...wire },
})
export const heldOfB = (elements: readonly Json[], wire: Partial<WireB> = {}): Held<WireB> => ({
  elements,
  wire: { ...PLAIN_B, fields: 'all', cap: PAGE_CAP, ...wire },
})

/** A page of Source A that begins elsewhere than it should, or has another length. */
export function pageOfA({ url, list }: Asked, skip?: number, cap = PAGE_CAP): Reply {
  return textReply(render(sliceOfA(url, list, cap, skip)))
}

/** A page of Source B that says something else than is so. */
export function pageOfB({ url, list }: Asked, said: Envelope = {}, wire: Partial<WireB> = {}): Reply {
  return textReply(answerB(url, heldOfB(list, wire), said))
}
