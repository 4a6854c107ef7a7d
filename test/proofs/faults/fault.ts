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
 * The expected result of a run with a fault. `recovered`: the result equals the result of a run without
 * faults. `failed`: the exit code is 1, and nothing has changed. `uncertified`: the exit code is 3, and
 * nothing is removed. `late`: no answer reveals the fault. No item is removed that the source has, and the
 * next run corrects all differences.
 */
export type Outcome = 'recovered' | 'failed' | 'uncertified' | 'late'

/** The request that is answered with a fault. */
export interface Asked {
  readonly type: SourceType
  readonly url: URL
  /** All records of the resource. */
  readonly list: readonly Json[]
  /** How many earlier requests were answered with this fault. */
  readonly plays: number
  /** Address of another host. The product must send no requests to the other host. */
  readonly outside: string
  /** The time of the run's clock, in milliseconds since 1970. */
  readonly nowMs: number
}

/** A function that makes the faulty answer, which replaces the correct one. */
export type Play = (honest: Reply, asked: Asked) => Reply

/** A fault of a source, and the expected result of a run. */
export interface Fault extends Limits {
  readonly name: string
  /** `once`: only one request has the fault. `always`: every request from a certain page on has the fault. */
  readonly plays: 'once' | 'always'
  readonly expected: Outcome
  readonly play: Play
}

/** Properties that only some of the faults have. */
interface Limits {
  /**
   * The kind of the fault. Faults that differ only in a number or a word have the same kind, and the tests
   * count occurrences by kind.
   */
  readonly kind: string
  readonly sources: readonly SourceType[]
  /**
   * The expected result if Source B's token endpoint has the fault; null if the fault is impossible at the
   * token endpoint.
   */
  readonly atToken: Outcome | null
  /** True if the fault is possible only at the token endpoint. */
  readonly isOfToken: boolean
  /** The first page on which the fault is possible. */
  readonly fromPage: 1 | 2
  /** True if the fault is possible only on all pages together. */
  readonly isOfAllPages: boolean
  /**
   * Matches the text that must be reported, in the message of a failed run or in the detail of a certificate.
   */
  readonly says: RegExp
  /** Limits of the configuration with which the fault takes effect quickly. */
  readonly http: Readonly<Record<string, number>>
  /**
   * True if the fault must be the only one in its run, because it takes seconds or affects every resource.
   */
  readonly standsAlone: boolean
  /** True if the fault changes the spelling of records, so that their JSON documents and hashes differ. */
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

/**
 * Makes two faults: the first occurs once, the second lasts. Each of the two faults has an expected result.
 */
function both(outcomes: readonly [once: Outcome, always: Outcome]) {
  return (name: string, limits: Partial<Limits>, play: Play): readonly Fault[] =>
    (['once', 'always'] as const).map((plays, index) =>
      fault(`${name}, ${plays}`, plays, outcomes[index] ?? 'failed', { kind: name, ...limits }, play),
    )
}

/**
 * A temporary fault, such as a network error or status 408, 429 or 5xx. A run survives one occurrence, but
 * fails if the fault lasts.
 */
export const passing = both(['recovered', 'failed'])

/**
 * Records move between pages. If records move once, the resource is read again. If records move at every
 * reading, the read is not certified as complete.
 */
export const moving = both(['recovered', 'uncertified'])

/** Makes a fault that a retry cannot fix, so that one occurrence makes the run fail. */
export function fatal(name: string, limits: Partial<Limits>, play: Play): Fault {
  return fault(`${name}, once`, 'once', 'failed', { kind: name, ...limits }, play)
}

/** Sets the expected result at the token endpoint to the expected result at the resources. */
export const alsoAtToken = (row: Fault): Fault => ({ ...row, atToken: row.expected })

/** Maximum number of elements in one answer, so that a few records take several pages. */
export const PAGE_CAP = 3

/** Makes the list for a server from its records; Source B serves all fields of a record. */
export const heldOfA = (elements: readonly Json[], wire: Partial<WireA> = {}): Held<WireA> => ({
  elements,
  wire: { ...PLAIN_A, nextBy: '$skip', cap: PAGE_CAP, ...wire },
})
export const heldOfB = (elements: readonly Json[], wire: Partial<WireB> = {}): Held<WireB> => ({
  elements,
  wire: { ...PLAIN_B, fields: 'all', cap: PAGE_CAP, ...wire },
})

/** Returns a page of Source A that can have a wrong start or a wrong length. */
export function pageOfA({ url, list }: Asked, skip?: number, cap = PAGE_CAP): Reply {
  return textReply(render(sliceOfA(url, list, cap, skip)))
}

/** Returns a page of Source B whose envelope can contain wrong values. */
export function pageOfB({ url, list }: Asked, said: Envelope = {}, wire: Partial<WireB> = {}): Reply {
  return textReply(answerB(url, heldOfB(list, wire), said))
}
