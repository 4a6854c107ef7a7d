import { type Finding, failed, notCheckable, ok, type Rule } from './findings.ts'
import { ENDS_ALL, type ReadFault } from './read-fault.ts'
import { type Answers, counted, type Evidence, nounOf, type ResourceRead } from './reads.ts'

interface RuleWords {
  readonly rule: Rule
  readonly kept: string
  readonly todo: string
}

/** How one source speaks of who reads it, and where that is set. */
export interface SourceWords {
  /** Who reads, such as `the Anonymous role`. */
  readonly reader: string
  readonly access: RuleWords
  readonly event: RuleWords
  /** What it means that a resource came without any record. */
  empty(resource: string, rule: Rule, evidence: Evidence): Finding
}

const REACHABLE: Rule = { id: 'reachable', sentence: 'the source answers', clause: 'spec 4' }

/**
 * Says whether the source answers, lets us read, knows the event, and gives each resource to its end.
 *
 * One cause is one failed rule: what could not be read because of it is not checkable.
 */
export function judgeAnswers(words: SourceWords, answers: Answers) {
  const asWhole = [judgeReachable(answers), judgeAccess(words, answers), judgeEvent(words, answers)]
  const cause = asWhole.find(({ verdict }) => verdict === 'failed')?.rule.id ?? null
  const evidence: Evidence = { reads: answers.reads, cause }
  const resources = [...answers.reads].map(([name, read]) => judgeResource(words, evidence, name, read))
  return { findings: [...asWhole, ...resources], evidence }
}

function judgeReachable({ accessFault, reads }: Answers): Finding {
  if (accessFault?.kind === 'no secret') return notCheckable(REACHABLE, NOT_ASKED)
  // A source that asks who is there has been reached, whatever it says to the answer.
  if (isRefusal(accessFault)) return ok(REACHABLE, 'it answers')
  const fault = accessFault ?? faultsOf(reads).find(({ kind }) => ENDS_ALL.includes(kind))
  return fault === undefined ? ok(REACHABLE, 'it answers') : failed(REACHABLE, fault.message, fault.todo)
}

function judgeAccess({ access }: SourceWords, { accessFault, isAdmitted, reads }: Answers): Finding {
  if (accessFault?.kind === 'no secret') return failed(access.rule, accessFault.message, accessFault.todo)
  if (isRefusal(accessFault)) return failed(access.rule, `refused: ${accessFault?.message}`, access.todo)
  const [fault] = faultsOf(reads)
  if (fault !== undefined && allFailedAs(reads, ['refused'])) {
    return failed(access.rule, `refused: ${fault.message}`, access.todo)
  }
  return isAdmitted || hasRead(reads) ? ok(access.rule, access.kept) : notCheckable(access.rule, NOTHING_READ)
}

function judgeEvent({ event }: SourceWords, { reads }: Answers): Finding {
  if (hasRead(reads)) return ok(event.rule, event.kept)
  const [fault] = faultsOf(reads)
  if (fault === undefined || !allFailedAs(reads, ['not found', 'no data'])) {
    return notCheckable(event.rule, NOTHING_READ)
  }
  return failed(event.rule, fault.message, fault.kind === 'no data' ? fault.todo : event.todo)
}

const NOT_ASKED = 'it was not asked without credentials'
const NOTHING_READ = 'nothing could be read'

function judgeResource(words: SourceWords, evidence: Evidence, name: string, read: ResourceRead): Finding {
  const noun = nounOf(name)
  const rule: Rule = { id: name, sentence: `all ${noun} can be read`, clause: 'spec 4' }
  if (read.outcome === 'not read') return notCheckable(rule, `not read, see ${evidence.cause}`)
  if (read.outcome === 'failed') {
    const { kind, message, todo } = read.fault
    if (evidence.cause !== null) return notCheckable(rule, `${message}, see ${evidence.cause}`)
    return failed(rule, message, kind === 'refused' ? `allow ${words.reader} to read ${noun}` : todo)
  }
  const { records, faults } = read.counts
  if (records === 0) return words.empty(name, rule, evidence)
  if (faults === records) {
    const todo = `see that ${words.reader} is given the ids of ${noun}`
    return failed(rule, `of ${counted(records, name)} none can be used: there is no id`, todo)
  }
  const rest = faults === 0 ? '' : `; ${faults} of them cannot be used and would be quarantined`
  return ok(rule, `${counted(records, name)}, to the end${rest}`)
}

/** Some sources answer 400 or 422 to credentials that they do not know; 404 means that the address is wrong. */
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
