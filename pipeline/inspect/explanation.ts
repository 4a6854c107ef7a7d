import type { Content, FieldValue, RunStatus } from '../../sql/tables.ts'
import type { Json } from '../../transforms/rules/values.ts'

export interface RunAt {
  readonly run: string
  readonly at: string
}

/** The explanation why an item exists or is missing. Values that may not be shown are already hidden. */
export interface Explanation {
  readonly integration: string
  readonly content: Content
  readonly uniqueId: string
  /**
   * `synced`; `excluded`; `gone`: the source no longer has the record; `forgotten`: the person was forgotten,
   * so every read drops the record; `platform_only`: the platform has or had the item, but no run ever read a
   * record for it.
   */
  readonly standing: 'synced' | 'excluded' | 'gone' | 'forgotten' | 'platform_only'
  /** The last run that read the source. The explanation is as of this run. */
  readonly lastRead: RunAt & { readonly status: RunStatus }
  /** The record of the item; null if no record was ever read. */
  readonly record: ExplainedRecord | null
  readonly why: Why | null
  /** Every field that the source can fill; empty if the item is not synced. */
  readonly fields: readonly ExplainedField[]
  readonly marks: readonly { readonly mark: string; readonly field: string; readonly text: string }[]
  readonly platform: PlatformState
  /** True if the item was suppressed with `suppress` and no run has followed yet. */
  readonly leftOutNext: boolean
  readonly notes: readonly string[]
}

interface ExplainedRecord {
  readonly resource: string
  readonly sourceId: string
  /** Run that first read the current version of the record. */
  readonly since: RunAt
  /** First run that no longer found the record; null while the source has it. */
  readonly goneSince: RunAt | null
}

export interface Why {
  /** Reason code. Source: transforms/RULES.md#r64. */
  readonly reason: string
  readonly text: string
  readonly todo: string
  readonly values: readonly ExplainedOrigin[]
  /** Run that decided this; null if no run is known. */
  readonly since: RunAt | null
}

/** A place at the source, and its value. */
export interface ExplainedOrigin {
  readonly resource: string
  readonly sourceId: string
  readonly path: string
  /** Option of the configuration that names the key. */
  readonly option?: string
  /**
   * `no_record`: the source does not have the referenced record; `list`: ids, which are shown as references.
   */
  readonly there: 'value' | 'null' | 'blank' | 'empty' | 'absent' | 'no_record' | 'list'
  readonly value?: Json
}

export interface ExplainedField {
  /** Name of the platform field, or `uniqueId`. */
  readonly field: string
  readonly value: FieldValue | null
  readonly from: readonly ExplainedOrigin[]
  readonly clause: string
  readonly rule: string
  /** First run that set this value; null if there is none. */
  readonly firstRun: RunAt | null
  /** Run that last changed the value; null if the field never had a value. */
  readonly lastRun: RunAt | null
  readonly before: FieldValue | null
  /**
   * Items that the field refers to, including those that are left out. Only for fields that refer to items.
   */
  readonly references?: readonly Reference[]
  /** The reason why the field has no value. Only set if it has none. */
  readonly absent?: string
  /** The platform's value. Only set if it differs. */
  readonly platform?: FieldValue | null
}

/** A record to which another record refers. */
export interface Reference {
  readonly id: string
  readonly content: Content
  /** Resource of the record, or of the record from which the item would be made. */
  readonly resource: string
  /** Records that refer to it, each with the path of the reference. */
  readonly named: readonly { readonly resource: string; readonly sourceId: string; readonly path: string }[]
  readonly isKept: boolean
  /** The reason why the reference is left out; null if it is kept. */
  readonly reason: string | null
}

/** The known state of an item on the platform, and the next step. */
export interface PlatformState {
  readonly has: boolean
  /** True if the platform has what it should have: the item as desired, or no item. */
  readonly asDesired: boolean
  readonly text: string
  /** Run that sent the platform's version of the item, or read it back. */
  readonly sentBy: RunAt | null
  /** The last planned change of the item. */
  readonly lastChange:
    | (RunAt & {
        readonly action: string
        readonly state: string
        readonly reason: string | null
        readonly code: string | null
        readonly retryable: boolean | null
      })
    | null
  /** The removal, if the item was removed. */
  readonly removed: (RunAt & { readonly reason: string }) | null
}
