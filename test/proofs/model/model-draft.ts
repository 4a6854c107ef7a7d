import type { Json } from '../../harness/json.ts'
import type { SessionTimes } from './model-session-times.ts'
import { readText } from './model-text.ts'
import { formatInstant } from './model-times.ts'
import type { Content } from './options.ts'

/** The value of a field; a number is stored as the digits that are sent. */
export type Value = string | readonly string[] | boolean | { readonly digits: string }

export interface References {
  readonly field: string
  readonly to: Content
  readonly ids: readonly string[]
}

/**
 * A draft: the item that a record makes for one content, before it is known which of the items to which it
 * refers are synced.
 */
export interface Draft {
  readonly uniqueId: string | null
  /** The reason why the record is not synced; null if it is synced. */
  readonly reason: string | null
  /** Warnings, except `not_synced`. */
  readonly marks: ReadonlySet<string>
  readonly fields: Readonly<Record<string, Value>>
  readonly references: readonly References[]
}

export class Collector {
  readonly marks = new Set<string>()
  readonly fields: Record<string, Value> = {}

  mark(field: string, faults: readonly string[]): void {
    for (const fault of faults) this.marks.add(`${fault}:${field}`)
  }

  text(field: string, value: Json | undefined): string | null {
    const { text, faults } = readText(value)
    this.mark(field, faults)
    return this.set(field, text)
  }

  set(field: string, text: string | null): string | null {
    if (text !== null) this.fields[field] = text
    return text
  }

  list(field: string, values: readonly string[]): void {
    if (values.length > 0) this.fields[field] = values
  }

  /** Adds the times of a session. Returns the reason if the times exclude the session, otherwise null. */
  times({ start, end, unordered }: SessionTimes): string | null {
    for (const [field, time] of [
      ['startTime', start],
      ['endTime', end],
    ] as const) {
      this.mark(field, time.faults)
      if (time.state !== 'read') continue
      if (time.laterMs !== null) this.mark(field, ['ambiguous_time'])
      if (time.gapSeconds !== null) this.mark(field, ['skipped_time'])
      this.fields[field] = formatInstant(time.instantMs)
    }
    if (start.state === 'missing') return 'missing_required:startTime'
    if (end.state === 'missing') return 'missing_required:endTime'
    return start.state === 'bad' || end.state === 'bad' || unordered ? 'bad_time' : null
  }
}

export function firstReason(...reasons: readonly (string | null)[]): string | null {
  return reasons.find((reason) => reason !== null) ?? null
}

export function missing(field: string, value: string | null): string | null {
  return value === null ? `missing_required:${field}` : null
}
