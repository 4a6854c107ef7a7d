/** What a check says of one rule. `not checkable` is no fault: what could be seen does not tell. */
export type Verdict = 'ok' | 'failed' | 'not checkable'

/** Something that a set-up must keep. */
export interface Rule {
  /** Short and stable, for machines: `users.EmailAddress`. */
  readonly id: string
  /** What is so where the rule is kept, for people. */
  readonly sentence: string
  /** Where the specification has it, such as `spec 2.1`; null for a rule of our own. */
  readonly clause: string | null
}

/** A rule and what became of it. Texts hold counts and names of fields, never a value of a record or a secret. */
export interface Finding {
  readonly rule: Rule
  readonly verdict: Verdict
  readonly seen: string
  /** What to do and where; null where there is nothing to do. */
  readonly todo: string | null
}

/** Findings under the integration that they are about; null is what all integrations share. */
export interface CheckedPart {
  readonly integration: string | null
  /** What it is, for people: `Source A at https://…, event 4242`. */
  readonly title: string
  readonly findings: readonly Finding[]
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

/** A failed rule from an error of the configuration. */
export function failedBy(rule: Rule, error: Error): Finding {
  const { seen, todo } = splitMessage(error)
  return failed(rule, seen, todo)
}

/** The parts of a message that says `what happened; what to do`, as those of the configuration do. */
export function splitMessage({ message }: Error): { readonly seen: string; readonly todo: string } {
  const [line = ''] = message.split('\n')
  const at = line.lastIndexOf('; ')
  if (at < 0) return { seen: line, todo: 'mend the configuration' }
  return { seen: line.slice(0, at), todo: line.slice(at + 2).replace('run again', 'check again') }
}
