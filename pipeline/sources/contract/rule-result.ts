import type { IncomingRow } from '../../../loaders/staging/incoming.ts'
import { counted } from '../../../transforms/texts/counted.ts'
import { withAnd } from '../../../transforms/texts/with-and.ts'
import { HttpFault, NOT_THE_API, ReadError } from '../../http/read-error.ts'
import type { CheckStatus, Counts } from '../../schemas/setup.ts'
import { ConfigError, type UserError } from '../../settings/errors.ts'
import type { FillCounts } from './fill-counts.ts'
import { faultText, NO_ID, SourceMovedError, type SourceResource, UnprovedError } from './source.ts'

export interface Rule {
  /** A short name for programs that never changes, for example `users.EmailAddress`. */
  readonly id: string
  /** A sentence that is true if the rule is met. */
  readonly sentence: string
  /**
   * The section of the specification, for example `spec 2.1`; null for a rule that is not in the
   * specification.
   */
  readonly clause: string | null
}

/**
 * A rule and its result. The texts contain counts and names of fields, but never a value of a record or a
 * secret.
 */
export interface RuleResult {
  readonly rule: Rule
  readonly status: CheckStatus
  readonly seen: string
  readonly todo: string | null
}

/** Results for one integration. `integration` is null if the results concern all integrations. */
export interface CheckedPart {
  readonly integration: string | null
  /** The title for people, for example `Source A at https://…, event 4242`. */
  readonly title: string
  readonly results: readonly RuleResult[]
  /**
   * Counts of the next run. The key is left out if the results concern all integrations, or if nothing could
   * be read.
   */
  readonly counts?: Counts
}

export function ok(rule: Rule, seen: string): RuleResult {
  return { rule, status: 'ok', seen, todo: null }
}

export function failed(rule: Rule, seen: string, todo: string): RuleResult {
  return { rule, status: 'failed', seen, todo }
}

export function notCheckable(rule: Rule, seen: string, todo: string | null = null): RuleResult {
  return { rule, status: 'not checkable', seen, todo }
}

export function failedBy(rule: Rule, { what, todo }: UserError): RuleResult {
  return failed(rule, what, todo === '' ? 'fix the configuration' : todo)
}

/**
 * Checks a rule that is met if a function succeeds.
 *
 * @returns the result `ok`; if `resolve` throws a ConfigError, a failed result with its message
 */
export function resultOf(rule: Rule, seen: string, resolve: () => unknown): RuleResult {
  try {
    resolve()
    return ok(rule, seen)
  } catch (error) {
    if (error instanceof ConfigError) return failedBy(rule, error)
    throw error
  }
}

interface RuleWords {
  readonly rule: Rule
  readonly kept: string
  readonly todo: string
}

/** The texts of one source about its reader, its access and its event. */
export interface SourceWords {
  /** Who reads the source, for example `the Anonymous role`. */
  readonly reader: string
  /** True if tokens are requested from another address than the address of the source. */
  readonly asksElsewhere?: boolean
  readonly access: RuleWords
  readonly event: RuleWords
  /** Returns the result for a resource from which no record came. */
  empty(resource: string, rule: Rule, evidence: Evidence): RuleResult
}

const REACHABLE: Rule = { id: 'reachable', sentence: 'the source answers', clause: 'spec 4' }

/**
 * Checks that the source answers, gives access, knows the event, and lets each resource be read to its end.
 *
 * Each cause makes exactly one rule fail. Rules about resources that could not be read are not checkable.
 */
export function judgeAnswers(words: SourceWords, answers: Answers) {
  const asWhole = [judgeReachable(words, answers), judgeAccess(words, answers), judgeEvent(words, answers)]
  const cause = asWhole.find(({ status }) => status === 'failed')?.rule.id ?? null
  const evidence: Evidence = { reads: answers.reads, cause }
  const resources = [...answers.reads].map(([name, read]) => judgeResource(words, evidence, name, read))
  return { results: [...asWhole, ...resources], evidence }
}

function judgeReachable(words: SourceWords, { accessFault, reads }: Answers): RuleResult {
  if (accessFault?.kind === 'no secret') return notCheckable(REACHABLE, NOT_ASKED)
  if (isRefusal(accessFault) && words.asksElsewhere) return notCheckable(REACHABLE, NO_TOKEN)
  // A source that refuses the credentials has answered, so it can be reached.
  if (isRefusal(accessFault)) return ok(REACHABLE, 'it answers')
  const fault = accessFault ?? faultsOf(reads).find(({ kind }) => ENDS_ALL.includes(kind))
  return fault === undefined ? ok(REACHABLE, 'it answers') : failed(REACHABLE, fault.message, fault.todo)
}

function judgeAccess({ access }: SourceWords, { accessFault, isAdmitted, reads }: Answers): RuleResult {
  if (accessFault?.kind === 'no secret') return failed(access.rule, accessFault.message, accessFault.todo)
  if (isRefusal(accessFault)) return failed(access.rule, `refused: ${accessFault?.message}`, access.todo)
  const [fault] = faultsOf(reads)
  if (fault !== undefined && allFailedAs(reads, ['refused'])) {
    return failed(access.rule, `refused: ${fault.message}`, access.todo)
  }
  return isAdmitted || hasRead(reads) ? ok(access.rule, access.kept) : notCheckable(access.rule, NOTHING_READ)
}

function judgeEvent({ event }: SourceWords, { reads }: Answers): RuleResult {
  if (hasRead(reads)) return ok(event.rule, event.kept)
  const [fault] = faultsOf(reads)
  if (fault === undefined || !allFailedAs(reads, ['not found', 'no data'])) {
    return notCheckable(event.rule, NOTHING_READ)
  }
  return failed(event.rule, fault.message, fault.kind === 'no data' ? fault.todo : event.todo)
}

const NOT_ASKED = 'not asked, because credentials are missing'
const NO_TOKEN = 'not asked, because there is no access token'
const NOTHING_READ = 'nothing could be read'

function judgeResource(words: SourceWords, evidence: Evidence, name: string, read: ResourceRead): RuleResult {
  const noun = nounOf(name)
  const rule: Rule = { id: name, sentence: `all ${noun} can be read`, clause: 'spec 4' }
  if (read.outcome === 'not read') return notCheckable(rule, `not read, see ${evidence.cause}`)
  if (read.outcome === 'failed') {
    const { kind, message, todo } = read.fault
    if (evidence.cause !== null) return notCheckable(rule, `${message}, see ${evidence.cause}`)
    return failed(rule, message, kind === 'refused' ? `allow ${words.reader} to read ${noun}` : todo)
  }
  const { records, faults, firstFault } = read.counts
  if (records === 0) return words.empty(name, rule, evidence)
  const first = firstFault === null ? '' : `; the first: ${faultText(firstFault)}`
  if (faults === records) {
    const todo =
      firstFault?.message === NO_ID
        ? `make sure that ${words.reader} can read the ids of ${noun}`
        : 'correct this in the records, or in the rule that the message names'
    return failed(rule, `none of ${recordsOf(records, name)} can be read${first}`, todo)
  }
  const rest = faults === 0 ? '' : `; ${faults} of them cannot be read and would be quarantined${first}`
  return ok(rule, `${recordsOf(records, name)}, read to the end${rest}`)
}

/**
 * Returns true if a fault means that the source refused the credentials. Some sources answer 400 or 422 if
 * they do not know the credentials. Status 404 means that the address is wrong.
 */
function isRefusal(fault: ReadFault | null): boolean {
  return fault?.kind === 'refused' || (fault?.kind === 'not found' && fault.status !== 404)
}

function hasRead(reads: Evidence['reads']): boolean {
  return [...reads.values()].some(
    (read) => read.outcome === 'read' || (read.outcome === 'failed' && read.fault.kind === 'not proved'),
  )
}

function faultsOf(reads: Evidence['reads']): readonly ReadFault[] {
  return [...reads.values()].flatMap((read) => (read.outcome === 'failed' ? [read.fault] : []))
}

function allFailedAs(reads: Evidence['reads'], kinds: readonly ReadFault['kind'][]): boolean {
  return [...reads.values()].every((read) => read.outcome === 'failed' && kinds.includes(read.fault.kind))
}

export type ResourceRead =
  | { readonly outcome: 'read'; readonly counts: FillCounts }
  | { readonly outcome: 'failed'; readonly fault: ReadFault }
  /** The resource was not requested, because an earlier request failed. */
  | { readonly outcome: 'not read' }

/** Resources that the integration needs, by name. The resources are in the order in which they were read. */
export type Reads = ReadonlyMap<string, ResourceRead>

/** The results of requesting everything from the source that a run would read. */
export interface Answers {
  /**
   * Why the source gives no access at all. The fault is null if the source gives access or needs no
   * credentials.
   */
  readonly accessFault: ReadFault | null
  /** True if the source has accepted the credentials; false if it needs no credentials. */
  readonly isAdmitted: boolean
  readonly reads: Reads
}

/** Returns the function that names further groups in which a record is counted. See `countFills`. */
export type TallyOf = (
  resource: SourceResource,
) => ((row: IncomingRow) => string | readonly string[] | null) | undefined

export interface Evidence {
  readonly reads: Reads
  /** Id of the failed rule that prevented all reading; null if no such rule failed. */
  readonly cause: string | null
}

/** Returns the counts of a resource; null if the resource was not read or is not needed. */
export function countsOf({ reads }: Evidence, resource: string): FillCounts | null {
  const read = reads.get(resource)
  return read?.outcome === 'read' ? read.counts : null
}

export function whyNotRead({ cause, reads }: Evidence, ...resources: readonly string[]): string {
  if (cause !== null) return `not read, see ${cause}`
  const failed = resources.filter((resource) => reads.get(resource)?.outcome !== 'read')
  return `not read, see ${withAnd(failed)}`
}

/**
 * Formats a number of records for a sentence, for example `1 user`, `2 users` or `2 records of people`. A name
 * of a resource that has no regular plural, such as `people`, stays as it is.
 */
export function recordsOf(records: number, resource: string): string {
  const noun = nounOf(resource)
  if (!/s$/.test(noun) || /(?:ie|s)s$/.test(noun)) return `${counted(records, 'record')} of ${noun}`
  return counted(records, noun.slice(0, -1))
}

export function nounOf(resource: string): string {
  return resource === 'reg_types' ? 'registrant types' : resource.replaceAll('_', ' ')
}

/**
 * A read that failed. The kind of the failed read shows what is wrong in the set-up.
 *
 * `unreachable`: nothing answers at the address. `unavailable`: the source answers that it cannot serve
 * requests now. `refused`: the status is 401 or 403. `not found`: the status is 400, 404 or 422. `elsewhere`:
 * the answer is a redirect. `no data`: the status is 200, but the answer contains no records. `not proved`:
 * records came, but nothing proves that these are all records. `no secret`: no request was sent, because a
 * secret is missing.
 */
export interface ReadFault {
  readonly kind:
    | 'unreachable'
    | 'unavailable'
    | 'refused'
    | 'not found'
    | 'elsewhere'
    | 'no data'
    | 'not proved'
    | 'no secret'
  readonly status: number | null
  readonly message: string
  readonly todo: string
}

/** Kinds of faults after which reading stops, because the next resource would fail in the same way. */
export const ENDS_ALL: readonly ReadFault['kind'][] = ['unreachable', 'unavailable', 'elsewhere']

/** Describes the error of a failed read. @throws the error itself if it is not about a failed read */
export function toReadFault(error: unknown): ReadFault {
  if (error instanceof SourceMovedError) {
    const todo = 'check again when nobody is editing in the source account'
    return { kind: 'no data', status: null, message: error.message, todo }
  }
  if (!(error instanceof ReadError || error instanceof UnprovedError)) throw error
  // The hints for status codes are written for runs. The command `check` has its own hints.
  const first = origin(error)
  const fault = { status: null, message: first.what }
  if (first instanceof HttpFault) {
    const { status, hint } = first
    if (status !== null) return { ...fault, ...byStatus(status), status }
    return { ...fault, kind: 'unreachable', todo: hint ?? CONTACT }
  }
  if (first instanceof UnprovedError) return { ...fault, kind: 'not proved', todo: first.hint ?? NO_PROOF }
  return { ...fault, kind: 'no data', todo: first.hint ?? NOT_THE_API }
}

/**
 * Returns the original fault. A message "waiting longer would exceed …" is about the retry limit, not about
 * the set-up.
 */
function origin(error: ReadError | UnprovedError): ReadError | UnprovedError {
  return error.cause instanceof ReadError ? origin(error.cause) : error
}

const NO_PROOF = 'check what the source answers, and whether `readToEnd` can prove the end by it'
const LATER = 'check again later; if it persists, ask the people who run the source'

function byStatus(status: number): Pick<ReadFault, 'kind' | 'todo'> {
  if (status === 401 || status === 403) return { kind: 'refused', todo: 'allow it in the source account' }
  if (status === 429) return { kind: 'unavailable', todo: 'too many requests: check again in ten minutes' }
  if (status === 408 || status >= 500) return { kind: 'unavailable', todo: LATER }
  if (status >= 300 && status < 400) {
    return { kind: 'elsewhere', todo: 'set source.url to the address that the redirect leads to' }
  }
  return { kind: 'not found', todo: 'check source.url and source.eventId' }
}

const CONTACT = 'check source.url, and that this machine can reach it (firewall, proxy)'
