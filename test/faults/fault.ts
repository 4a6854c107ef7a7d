import type { SourceType } from './event.ts'
import type { Asked, Reply } from './reply.ts'

/**
 * What a run comes to. `recovered`: as an undisturbed run; `failed`: exit 1, and nothing has changed; `uncertified`:
 * exit 3, and nothing is removed.
 */
export type Outcome = 'recovered' | 'failed' | 'uncertified'

/** The worst of several outcomes is that of the run. */
export const WORST_FIRST: readonly Outcome[] = ['failed', 'uncertified', 'recovered']

/** A way in which a source misbehaves, and what must come of it. */
export interface Fault {
  /** Rows that differ in a number or a word alone share a kind; tallies are by kind. */
  readonly kind: string
  readonly name: string
  readonly sources: readonly SourceType[]
  /** Played on one request, or on every request from a page on. */
  readonly plays: 'once' | 'always'
  readonly expected: Outcome
  /** What must come of it at Source B's token endpoint; null where it has no meaning there. */
  readonly atToken: Outcome | null
  /** Whether it has a meaning there alone. */
  readonly isOfToken: boolean
  /** First page on which it has a meaning. */
  readonly fromPage: 1 | 2
  /** Whether it has a meaning only where every page has it. */
  readonly isOfAllPages: boolean
  /** What is told of it: in the message of a run that failed, in the detail of a certificate. */
  readonly says: RegExp
  /** Limits under which it shows soon. */
  readonly http: Readonly<Record<string, number>>
  /** Whether it is played by itself: it takes seconds, or every resource suffers from it. */
  readonly standsAlone: boolean
  /** Whether records come in another spelling, so that documents and their hashes differ. */
  readonly respells: boolean
  play(honest: Reply, asked: Asked): Reply
  /** Changes the records themselves instead. */
  records?(list: readonly string[], type: SourceType): readonly string[]
}

type Given = Pick<Fault, 'kind' | 'plays' | 'expected'> & Partial<Fault>

/** Fills in what most faults have in common. */
export function fault({ kind, plays, expected, ...given }: Given): Fault {
  return {
    kind,
    plays,
    expected,
    name: `${kind}, ${plays}`,
    sources: ['a', 'b'],
    atToken: null,
    isOfToken: false,
    fromPage: 1,
    isOfAllPages: false,
    says: /./,
    http: {},
    standsAlone: false,
    respells: false,
    play: (honest) => honest,
    ...given,
  }
}

/** A fault that passes when it is played once, and fails the run when it stays: network, 408, 429, 5xx. */
export function passing(given: Omit<Given, 'plays' | 'expected'>): readonly Fault[] {
  const name = given.name ?? given.kind
  return [
    fault({ ...given, name: `${name}, once`, plays: 'once', expected: 'recovered' }),
    fault({ ...given, name: `${name}, always`, plays: 'always', expected: 'failed' }),
  ]
}

/** A fault that asking again cannot mend, so that once is enough to fail the run. */
export function fatal(given: Omit<Given, 'plays' | 'expected'>): Fault {
  const name = given.name ?? given.kind
  return fault({ ...given, name: `${name}, once`, plays: 'once', expected: 'failed' })
}

/** The source moves: once it is read anew, always it is not certified. */
export function moving(given: Omit<Given, 'plays' | 'expected'>): readonly Fault[] {
  const name = given.name ?? given.kind
  return [
    fault({ ...given, name: `${name}, once`, plays: 'once', expected: 'recovered' }),
    fault({ ...given, name: `${name}, always`, plays: 'always', expected: 'uncertified' }),
  ]
}
