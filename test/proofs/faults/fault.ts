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
 * The result of a run. `recovered`: as an undisturbed run. `failed`: exit 1, nothing has changed.
 * `uncertified`: exit 3, nothing is removed. `late`: no answer shows the fault, no item is removed that the
 * source has, and the next run corrects everything.
 */
export type Outcome = 'recovered' | 'failed' | 'uncertified' | 'late'

/** The request for which a fault is played. */
export interface Asked {
  readonly type: SourceType
  readonly url: URL
  /** All records of the resource. */
  readonly list: readonly Json[]
  /** How often the fault has been played already. */
  readonly plays: number
  /** Address of another host, which must get no requests. */
  readonly outside: string
  /** The clock of the run. */
  readonly nowMs: number
}

/** Makes the answer that replaces the honest one. */
export type Play = (honest: Reply, asked: Asked) => Reply

/** A fault of a source, and the expected result of a run. */
export interface Fault extends Limits {
  readonly name: string
  /** Played for one request, or for every request from a page on. */
  readonly plays: 'once' | 'always'
  readonly expected: Outcome
  readonly play: Play
}

/** Properties of some faults only. */
interface Limits {
  /** Faults that differ only in a number or a word share a kind; counts are by kind. */
  readonly kind: string
  readonly sources: readonly SourceType[]
  /** The expected result at Source B's token endpoint; null if the fault does not apply there. */
  readonly atToken: Outcome | null
  /** True if it applies only there. */
  readonly isOfToken: boolean
  /** First page on which it applies. */
  readonly fromPage: 1 | 2
  /** True if it applies only if every page has it. */
  readonly isOfAllPages: boolean
  /** Text that must be reported: in the message of a failed run, or in the detail of a certificate. */
  readonly says: RegExp
  /** Limits with which the fault shows quickly. */
  readonly http: Readonly<Record<string, number>>
  /** True if it is played alone: it takes seconds, or affects every resource. */
  readonly standsAlone: boolean
  /** True if records are served in another spelling, so that documents and their hashes differ. */
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

/** Makes the same fault once and always, with the expected result of each. */
function both(outcomes: readonly [once: Outcome, always: Outcome]) {
  return (name: string, limits: Partial<Limits>, play: Play): readonly Fault[] =>
    (['once', 'always'] as const).map((plays, index) =>
      fault(`${name}, ${plays}`, plays, outcomes[index] ?? 'failed', { kind: name, ...limits }, play),
    )
}

/**
 * A fault that a run survives if it is played once, but that fails the run if it stays: network, 408, 429,
 * 5xx.
 */
export const passing = both(['recovered', 'failed'])

/** The records move between pages. Once: the resource is read again. Always: it is not certified. */
export const moving = both(['recovered', 'uncertified'])

/** A fault that a retry cannot fix, so playing it once fails the run. */
export function fatal(name: string, limits: Partial<Limits>, play: Play): Fault {
  return fault(`${name}, once`, 'once', 'failed', { kind: name, ...limits }, play)
}

/** Sets the same expected result at the token endpoint as anywhere else. */
export const alsoAtToken = (row: Fault): Fault => ({ ...row, atToken: row.expected })

/** Maximum number of elements in one answer, so that a few records take several pages. */
export const PAGE_CAP = 3

/** A list as the server holds it; Source B serves all fields of a record. */
export const heldOfA = (elements: readonly Json[], wire: Partial<WireA> = {}): Held<WireA> => ({
  elements,
  wire: { ...PLAIN_A, nextBy: '$skip', cap: PAGE_CAP, ...wire },
})
export const heldOfB = (elements: readonly Json[], wire: Partial<WireB> = {}): Held<WireB> => ({
  elements,
  wire: { ...PLAIN_B, fields: 'all', cap: PAGE_CAP, ...wire },
})

/** Returns a page of Source A with a wrong start or length. */
export function pageOfA({ url, list }: Asked, skip?: number, cap = PAGE_CAP): Reply {
  return textReply(render(sliceOfA(url, list, cap, skip)))
}

/** Returns a page of Source B whose envelope differs from the truth. */
export function pageOfB({ url, list }: Asked, said: Envelope = {}, wire: Partial<WireB> = {}): Reply {
  return textReply(answerB(url, heldOfB(list, wire), said))
}
