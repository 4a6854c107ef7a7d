import type { Content, FieldValue, Pin, RunStatus } from '../../sql/tables.ts'
import type { Json } from '../../transforms/rules/values.ts'

export interface RunAt {
  readonly run: string
  readonly at: string
}

/** Explains why an item exists or is missing. Personal data that must not be shown is already hidden. */
export interface Explanation {
  readonly integration: string
  readonly content: Content
  readonly uniqueId: string
  /**
   * `synced`; `excluded`; `gone`: the source no longer has the record. `forgotten`: the person was forgotten,
   * so every read drops the record. `platform_only`: the platform has or had the item, but no run ever read a
   * record of it.
   */
  readonly standing: 'synced' | 'excluded' | 'gone' | 'forgotten' | 'platform_only'
  /**
   * The last run that read the source. The explanation describes the state after the last run that read the
   * source.
   */
  readonly lastRead: RunAt & { readonly status: RunStatus }
  /** The record from which the item is made; null if no such record was ever read. */
  readonly record: ExplainedRecord | null
  readonly why: Why | null
  /** Every field that the source can fill. The list is empty if the item is not synced. */
  readonly fields: readonly ExplainedField[]
  readonly marks: readonly { readonly mark: string; readonly field: string; readonly text: string }[]
  readonly platform: PlatformState
  /** True if the user suppressed the item and no run has followed yet: the next run leaves it out. */
  readonly leftOutNext: boolean
  /** The pin, because of which runs send nothing now; null if the integration is not pinned. */
  readonly pinned: Pin | null
  readonly notes: readonly string[]
}

interface ExplainedRecord {
  readonly resource: string
  readonly sourceId: string
  /** The run that first read the current version of the record. */
  readonly since: RunAt
  /** The first run that did not find the record any more; null if the source still has the record. */
  readonly goneSince: RunAt | null
}

export interface Why {
  /** Code of the reason. The codes of reasons are listed in transforms/RULES.md#r64. */
  readonly reason: string
  readonly text: string
  readonly todo: string
  readonly values: readonly ExplainedOrigin[]
  /** The run that made this decision; null if no run is known. */
  readonly since: RunAt | null
}

/** A place in a record of the source, and the value there. */
export interface ExplainedOrigin {
  readonly resource: string
  readonly sourceId: string
  readonly path: string
  /** The option of the configuration that names the key. */
  readonly option?: string
  /**
   * `no_record`: the source does not have the referenced record. `list`: the value is a list of ids, which
   * are shown as references.
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
  /** The first run that set this value; null if no run has set it. */
  readonly firstRun: RunAt | null
  /** The run that last changed the value; null if the field never had a value. */
  readonly lastRun: RunAt | null
  readonly before: FieldValue | null
  /**
   * The items to which the field refers, including items that are not synced. The key is set only for fields
   * that refer to items.
   */
  readonly references?: readonly Reference[]
  /** Why the field of the item has no value. The key is missing if the field has a value. */
  readonly absent?: string
  /**
   * The value of the field that the platform has. The key is set only if that value differs from the desired
   * value.
   */
  readonly platform?: FieldValue | null
}

/** A record to which a field of another record refers. */
export interface Reference {
  readonly id: string
  readonly content: Content
  /**
   * The resource of the referenced record. If the record does not exist, the resource from which the item
   * would be made.
   */
  readonly resource: string
  /** The records that refer to this record, each with the path of the reference. */
  readonly named: readonly { readonly resource: string; readonly sourceId: string; readonly path: string }[]
  readonly isKept: boolean
  /** Why the reference is not sent to the platform; null if it is sent. */
  readonly reason: string | null
}

/** Facts about an item on the platform, and what the next run will do with the item. */
export interface PlatformState {
  readonly has: boolean
  /** True if the platform is as desired: it has the desired item, or it has no item and none is desired. */
  readonly asDesired: boolean
  readonly text: string
  /** The run that sent the platform's version of the item, or that read it from the platform. */
  readonly sentBy: RunAt | null
  /** The last change of the item that was planned. */
  readonly lastChange:
    | (RunAt & {
        readonly action: string
        readonly state: string
        readonly reason: string | null
        readonly code: string | null
        readonly retryable: boolean | null
      })
    | null
  /** The removal of the item; null if it was not removed. */
  readonly removed: (RunAt & { readonly reason: string }) | null
}
