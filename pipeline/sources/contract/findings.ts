import type { Content } from '../../../sql/tables.ts'
import { ConfigError } from '../../settings/errors.ts'

/** The outcome for one rule. `not checkable` is no fault: what could be seen does not show it. */
export type Verdict = 'ok' | 'failed' | 'not checkable'

export interface Rule {
  /** Short and stable, for machines: `users.EmailAddress`. */
  readonly id: string
  /** What is so where the rule is kept, for people. */
  readonly sentence: string
  /** Where the specification has it, such as `spec 2.1`; null for a rule of our own. */
  readonly clause: string | null
}

/** A rule and its outcome. Texts hold counts and names of fields, never a value of a record or a secret. */
export interface Finding {
  readonly rule: Rule
  readonly verdict: Verdict
  readonly seen: string
  readonly todo: string | null
}

/** What the next run would make of the records of one content. */
export interface ContentCounts {
  readonly synced: number
  readonly excluded: Readonly<Record<string, number>>
  readonly quarantined: number
}

/** Counts by content; of one that could not be read there are none. */
export type Counts = Readonly<Partial<Record<Content, ContentCounts>>>

/** Findings under the integration that they are about; null is what all integrations share. */
export interface CheckedPart {
  readonly integration: string | null
  /** What it is, for people: `Source A at https://…, event 4242`. */
  readonly title: string
  readonly findings: readonly Finding[]
  /** What the next run would make of what was read; none where it is about no integration, or nothing could be read. */
  readonly counts?: Counts
}

export function ok(rule: Rule, seen: string): Finding {
  return { rule, verdict: 'ok', seen, todo: null }
}

export function failed(rule: Rule, seen: string, todo: string): Finding {
  return { rule, verdict: 'failed', seen, todo }
}

export function notCheckable(rule: Rule, seen: string, todo: string | null = null): Finding {
  return { rule, verdict: 'not checkable', seen, todo }
}

export function failedBy(rule: Rule, { what, todo }: ConfigError): Finding {
  return failed(rule, what, todo === '' ? 'fix the configuration' : todo)
}

/** @returns ok, or what a ConfigError says */
export function findingOf(rule: Rule, seen: string, resolve: () => unknown): Finding {
  try {
    resolve()
    return ok(rule, seen)
  } catch (error) {
    if (error instanceof ConfigError) return failedBy(rule, error)
    throw error
  }
}
