import type { Content, FieldValue, RunStatus } from '../../sql/tables.ts'
import type { Json } from '../../transforms/rules/values.ts'

export interface RunAt {
  readonly run: string
  readonly at: string
}

/** The reasons for an item, or for its absence, with what may not be shown hidden already. */
export interface Explanation {
  readonly integration: string
  readonly content: Content
  readonly uniqueId: string
  /**
   * `synced`; `excluded`; `gone`: the source no longer has the record; `forgotten`: the person was, and every read drops the record;
   * `platform_only`: the platform has or had it, and no run ever read a record for it.
   */
  readonly standing: 'synced' | 'excluded' | 'gone' | 'forgotten' | 'platform_only'
  /** The run that all of this is known from. */
  readonly lastRead: RunAt & { readonly status: RunStatus }
  /** The record of the item; null where there never was one. */
  readonly record: ExplainedRecord | null
  readonly why: Why | null
  /** Every field that the source can fill; none where the item is not synced. */
  readonly fields: readonly ExplainedField[]
  readonly marks: readonly { readonly mark: string; readonly field: string; readonly text: string }[]
  readonly platform: PlatformState
  /** True if someone left the item out with `suppress`, and no run has followed yet. */
  readonly leftOutNext: boolean
  readonly notes: readonly string[]
}

interface ExplainedRecord {
  readonly resource: string
  readonly sourceId: string
  /** Run that first read its current version. */
  readonly since: RunAt
  /** First run that no longer found it; null while it is there. */
  readonly goneSince: RunAt | null
}

export interface Why {
  /** Reason code. Source: transforms/RULES.md#r64. */
  readonly reason: string
  readonly text: string
  readonly todo: string
  readonly values: readonly ExplainedOrigin[]
  /** Null where no run is known. */
  readonly since: RunAt | null
}

/** A place at the source, and what is there. */
export interface ExplainedOrigin {
  readonly resource: string
  readonly sourceId: string
  readonly path: string
  /** Option of the configuration that names the key. */
  readonly option?: string
  /** `no_record`: what is referred to is not at the source; `list`: ids, which are in the references. */
  readonly there: 'value' | 'null' | 'blank' | 'empty' | 'absent' | 'no_record' | 'list'
  readonly value?: Json
}

export interface ExplainedField {
  /** Platform field, or `uniqueId`. */
  readonly field: string
  readonly value: FieldValue | null
  readonly from: readonly ExplainedOrigin[]
  readonly clause: string
  readonly rule: string
  /** First run that ever brought this value; null where there is none. */
  readonly firstRun: RunAt | null
  /** Run since which it is so; null where it never had a value. */
  readonly lastRun: RunAt | null
  readonly before: FieldValue | null
  /** Items that the field names, and those that it leaves out; only for fields that name items. */
  readonly references?: readonly Reference[]
  /** Why no value exists; only where there is none. */
  readonly absent?: string
  /** The platform's value; only if it differs. */
  readonly platform?: FieldValue | null
}

/** A record that is referred to. */
export interface Reference {
  readonly id: string
  readonly content: Content
  /** Its record, or the record that it would be made from. */
  readonly resource: string
  /** Records and places that name it. */
  readonly named: readonly { readonly resource: string; readonly sourceId: string; readonly path: string }[]
  readonly isKept: boolean
  /** Why it is left out; null where it is kept. */
  readonly reason: string | null
}

/** Describes what the platform has, as far as it acknowledged it, and what comes next. */
export interface PlatformState {
  readonly has: boolean
  /** True if it has what it should: the item as desired, or none. */
  readonly asDesired: boolean
  readonly text: string
  /** Run that sent what it has, or read it back. */
  readonly sentBy: RunAt | null
  /** The last change that was planned for the item. */
  readonly lastChange:
    | (RunAt & {
        readonly action: string
        readonly state: string
        readonly reason: string | null
        readonly code: string | null
        readonly retryable: boolean | null
      })
    | null
  /** The removal, if it is removed. */
  readonly removed: (RunAt & { readonly reason: string }) | null
}
