import type { ColumnType, Generated, Kysely } from 'kysely'

/**
 * State of a run. `planned` and `held` mean that the plan is stored and nothing was sent to the platform.
 * `applied` means that everything was sent and the audit pack is not written yet.
 */
export const RUN_STATUSES = [
  'running',
  'planned',
  'held',
  'applying',
  'applied',
  'finished',
  'failed',
  'abandoned',
] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

/** Number of items of one content for each action of the plan. */
export interface ChangeCounts {
  readonly create: number
  readonly update: number
  /**
   * Number of attendees that are removed and created again because the registration changed hands; left out
   * if zero.
   */
  readonly handover?: number
  readonly remove: number
  readonly unchanged: number
}

/** Returns the number of all changes of one content. */
export function changesIn({ create, update, handover = 0, remove }: Omit<ChangeCounts, 'unchanged'>): number {
  return create + update + handover + remove
}

/** Returns the number of all changes of a plan. */
export function countChanges(changes: RunCounts['changes'] = {}): number {
  return Object.values(changes).reduce((sum, counts) => sum + changesIn(counts), 0)
}

/**
 * The key of a run of an integration. Most tables of schema `sync` have the key of a run as their key, or as
 * the first part of their key.
 */
export interface RunKey {
  readonly integrationId: string
  readonly runId: string
}

/**
 * Command that started a run. The command `rollback` reads no source. A rollback plans from the history to
 * restore the items that the platform had after an earlier run.
 */
export type StoredCommand = 'run' | 'plan' | 'rollback'

/** All contents, in the order of reports. */
export const CONTENTS = ['agenda', 'speakers', 'attendees'] as const
export type Content = (typeof CONTENTS)[number]

/** The source and the platform of a run, as its manifest names them. */
export type Bound = Readonly<
  Record<'source' | 'platform', Readonly<Record<'type' | 'url' | 'eventId', string>>>
>

/** The counts of a run, as `event-sync run --json` prints them. */
export interface RunCounts {
  readonly changes: Readonly<Partial<Record<Content, ChangeCounts>>>
  readonly excluded: Readonly<Record<string, number>>
  /** Number of records that could not be read; each record is counted once. */
  readonly quarantined: number
  /** Number of items that stay on the platform although they are no longer synced. */
  readonly kept: number
  /**
   * Number of changes that the platform rejected, and number of changes that were withheld. Both numbers are
   * left out until the plan was applied.
   */
  readonly failed?: number
  readonly withheld?: number
  /** Findings of guards that did not hold the plan, for example because this was a first run. */
  readonly notes?: readonly string[]
  /** How each resource was read, if the integration is read by changes. */
  readonly readings?: Readonly<Record<string, ReadingFacts>>
  /** Changed records that readings by changes would have missed, by resource. */
  readonly missed?: Readonly<Record<string, Missed>>
  /**
   * Words of a source outside this package for its reasons to leave records out. Words of a source of this
   * package are not stored.
   */
  readonly words?: ReasonWords
}

/** An explanation and advice for the organiser, by content and reason. */
export type ReasonWords = Readonly<
  Partial<Record<Content, Readonly<Record<string, { readonly why: string; readonly todo: string }>>>>
>

/** How a run read a resource, if the integration is read by changes. */
export interface ReadingFacts {
  /** Latest time of change among the records, by the source's clock; null if no record has such a time. */
  readonly mark: string | null
  readonly since: string | null
  /** Why the run read all records; null if it read only changes. */
  readonly full: string | null
  /**
   * Time at which the last certified full reading began, and time at which the next full reading is due. Both
   * times are null before the first certified full reading.
   */
  readonly lastFull: string | null
  readonly nextFull: string | null
}

/**
 * Records in a full reading that readings by changes would have missed. The object contains names of fields,
 * but never values of records.
 */
export interface Missed {
  readonly count: number
  /**
   * For each key of the source, the number of records in which the value differs; the key `(new)` counts new
   * records.
   */
  readonly fields: Readonly<Record<string, number>>
}

/** Names of the hints (possible mistakes in the programme) that a run can give, in the order of reports. */
export const HINT_NAMES = [
  'doubleBookedRooms',
  'doubleBookedSpeakers',
  'sessionsWithoutRoom',
  'sessionsWithoutSpeaker',
  'speakersWithoutSession',
] as const

export type HintName = (typeof HINT_NAMES)[number]

export interface Hold {
  readonly guard: string
  /** First line: the finding with its numbers. Second line: the advice. */
  readonly detail: string
}

/**
 * Names of the actions of operators on an integration. The table `sync.actions` allows exactly the names of
 * this list.
 */
export const ACTIONS = [
  'approved',
  'paused',
  'rolled_back',
  'resumed',
  'suppressed',
  'unsuppressed',
  'forgotten',
  'purged',
  'renamed',
  'moved',
  'rebound',
  'key_added',
  'key_changed',
  'key_removed',
  'misses_confirmed',
] as const
export type OperatorAction = (typeof ACTIONS)[number]

/**
 * A pin of an integration, which a pause or a rollback makes. While an integration is pinned, its runs send
 * nothing.
 */
export interface Pin {
  /** Time at which the integration was pinned, in ISO-8601 and UTC. */
  readonly since: string
  /**
   * Time at which the pin ends, in ISO-8601 and UTC. Null if the pin lasts until somebody runs
   * `event-sync resume`.
   */
  readonly until: string | null
  /** Reason that the operator gave; null if the operator gave no reason. */
  readonly reason: string | null
}

/** The entry of a manifest for the file of suppressions. */
export interface KnownSuppressions {
  readonly file: string
  readonly sha256: string
  readonly revision: number
  /**
   * Number of ids and of e-mail addresses of forgotten people, and number of items that a user left out by
   * hand.
   */
  readonly ids: number
  readonly addresses: number
  readonly items: number
}

/**
 * A pack whose run is missing in the database, because the database is new or was restored from an older
 * backup.
 */
export interface GapPack {
  readonly run: string
  /**
   * SHA-256 of the pack's manifest. The hash is null if the run died before the pack was complete; the folder
   * still has the run's operations.
   */
  readonly manifestSha256: string | null
}

export type RejectionReason = 'invalid_record' | 'duplicate_id'

/** Results of a run about which webhooks and mail notify people. */
export type NotifiedEnd = 'held' | 'failed' | 'incomplete' | 'finished'

/**
 * Why a message about an integration is sent.
 *
 * - `begun`: the integration is now held, failed or incomplete, and before it was in none of these states.
 * - `changed`: the integration has moved from one of these states to another.
 * - `lasting`: the integration is still in the same state.
 * - `over`: the integration has left the state about which the receiver was told.
 * - `ended`: a run finished; this message is not about a state.
 */
export type NoticeState = 'begun' | 'changed' | 'lasting' | 'over' | 'ended'

/** A platform field that a customer has configured in addition to the fields of the specification. */
export interface CustomField {
  readonly name: string
  /** Path of JSON keys from the record to the value; the keys are separated by dots. */
  readonly from: string
  /** Name of the field's form in `transforms/declare/forms.ts`. */
  readonly as: string
}

/** The custom fields of a configuration, by content and then by field name. */
export type CustomFields = Readonly<Partial<Record<Content, Readonly<Record<string, CustomField>>>>>

/**
 * The platform fields of one item, by name. The fields have no fixed order, because jsonb does not keep the
 * order of keys.
 */
export type Fields = Readonly<Record<string, FieldValue | Readonly<Record<string, FieldValue>>>>

/**
 * The value of a platform field is a text or a list of texts. A custom field may also be a flag, or a number
 * that keeps its digits as written.
 */
export type FieldValue = string | readonly string[] | number | boolean | { readonly rawJSON: string }

export type Action = 'create' | 'update' | 'handover' | 'remove'

/**
 * State of a planned change. `sent`: the change is in a batch without a known answer, so the platform may
 * have applied it. `failed`: the platform rejected the change. `withheld`: this product left the change out
 * of the run.
 */
export type ChangeState = 'pending' | 'sent' | 'applied' | 'failed' | 'withheld'

export type ResultStatus = 'created' | 'updated' | 'unchanged' | 'removed' | 'failed'

/**
 * Phases in the order of sending. `freeing` has removals that must come before an upsert, then come
 * `upserts`, then all other `removals`.
 */
export type Phase = 'freeing' | 'upserts' | 'removals'

/** A pack whose files were purged; only its manifest remains. */
export interface PurgedPack {
  readonly run: string
  readonly manifestSha256: string
}

/**
 * A value of a bigint column. Database engines return the value as text or as a number, so code that
 * calculates must convert it.
 */
export type BigintValue = string | number | bigint
type Bigint = ColumnType<BigintValue>
type NullableBigint = ColumnType<BigintValue | null>
/** A bigint column whose default value is 0. */
type Count = ColumnType<BigintValue, BigintValue | undefined, BigintValue>

/** A jsonb column, which is read as a parsed value and written as JSON text. */
type Jsonb<Value> = ColumnType<Value, string | null, string | null>

/** A timestamp column, which is read as a Date and written as ISO-8601 text. */
type Timestamp = ColumnType<Date, string, string>
type NullableTimestamp = ColumnType<Date | null, string | null, string | null>

interface OfRun {
  readonly integration_id: string
  readonly run_id: string
}

interface OfResource extends OfRun {
  readonly resource: string
}

/**
 * A row of a table with history. The row is current from run `valid_from_run` until just before run
 * `valid_to_run`; `valid_to_run` is null for a current row.
 */
interface Versioned {
  readonly integration_id: string
  readonly valid_from_run: string
  readonly valid_to_run: string | null
}

/**
 * The key of an event at a source. Several integrations may read the same event with different spellings of
 * its URL.
 */
interface OfSourceEvent {
  readonly integration_id: string
  readonly source: string
  readonly source_place: string
  readonly source_event_id: string
}

/** Columns that every table in schema `staging` has. */
export interface Staged extends Versioned {
  readonly source_id: string
  readonly marks: readonly string[]
  readonly doc: Jsonb<unknown>
  readonly version_hash: Uint8Array
}

/**
 * Every table that the product's queries use. The files in `sql/migrations/` create the tables, and a test
 * compares these types with the tables. Tables of schema `staging` are added by the declarations of sources:
 * see `transforms/declare/resource.ts`.
 */
export interface Tables {
  /**
   * Type of the incoming table of any resource and run. The real table also has the columns of its resource.
   */
  readonly 'incoming.records': {
    readonly ordinal: Bigint
    readonly row_check: Bigint
    readonly fault_path: string | null
    readonly fault: string | null
    readonly source_id: string | null
    readonly marks: readonly string[]
    /** As text, not parsed. */
    readonly doc: string | null
    readonly version_hash: Uint8Array
    readonly changed_at: string | null
  }
  /** Type of the table into which a run reads the items that a platform reports. */
  readonly 'incoming.items': Pick<Tables['sync.platform_items'], 'content' | 'unique_id' | 'fields'>

  /**
   * grain: session, user that the session names. All sessions that were read, synced or not. Temporary, for
   * one transaction.
   */
  readonly session_speakers: { readonly session_id: string; readonly user_id: string }
  /** grain: content, record. `reason` is null if the record is synced. Temporary, for one transaction. */
  readonly content_decisions: {
    readonly content: Content
    readonly source_id: string
    readonly unique_id: string | null
    readonly reason: string | null
  }
  /**
   * grain: content, record, with its decision, detail and, if it is synced, platform fields. Temporary, for
   * one transaction.
   */
  readonly outcomes: {
    readonly content: Content
    readonly resource: string
    readonly source_id: string
    readonly unique_id: string | null
    readonly reason: string | null
    readonly detail: string
    readonly fields: Fields | null
  }

  /** grain: table of `staging`. */
  readonly 'migration.resources': {
    readonly table_name: string
    readonly source: string
    readonly resource: string
    readonly contents: readonly Content[]
    readonly needed_for: readonly Content[]
  }
  readonly 'migration.sources': { readonly source: string; readonly stated_reasons: readonly string[] }

  readonly 'sync.integrations': {
    readonly integration_id: string
    readonly source: string
    readonly source_url: string
    readonly source_place: string
    readonly source_event_id: string
    readonly platform: string
    readonly platform_url: string
    readonly platform_event_id: string
    readonly time_zone: string | null
    readonly base: Bigint
    readonly fence: Count
    readonly platform_fence: Count
    readonly platform_base: Count
    readonly contents_read_back: Generated<readonly Content[]>
    readonly owns_platform_event: Generated<boolean>
    readonly transform_basis: Uint8Array | null
    readonly last_pack_run: string | null
  }
  readonly 'sync.runs': OfRun & {
    readonly command: StoredCommand
    readonly rollback_to: string | null
    readonly status: RunStatus
    readonly started_at: Timestamp
    readonly planned_at: NullableTimestamp
    readonly applied_at: NullableTimestamp
    readonly finished_at: NullableTimestamp
    readonly product_version: string
    readonly started_by: string
    readonly approved_by: string | null
    readonly approved_at: NullableTimestamp
    readonly config_hash: string
    readonly contents: readonly Content[]
    readonly base: Bigint
    readonly fence: NullableBigint
    readonly plan_hash: string | null
    readonly certified: boolean | null
    readonly held: Jsonb<Hold | null>
    readonly pinned: Jsonb<Pin | null>
    readonly counts: Jsonb<RunCounts | null>
    readonly error: string | null
    readonly manifest_sha256: string | null
    readonly personal_data: 'full' | 'masked' | null
    readonly excel: boolean | null
    readonly event_name: string | null
    readonly silenced_hints: Generated<readonly HintName[]>
    readonly time_zone: string | null
    readonly custom: ColumnType<CustomFields, string | undefined, never>
    readonly previous_manifest_sha256: string | null
    readonly gap: Jsonb<readonly GapPack[] | null>
    readonly suppressions: Jsonb<KnownSuppressions | null>
    readonly reissue_due: Generated<boolean>
    readonly has_plan_page: Generated<boolean>
    readonly purged_at: NullableTimestamp
    readonly pack_purged_at: NullableTimestamp
    readonly figures_of: string | null
    readonly answers_of: string | null
    readonly settled_base: NullableBigint
    readonly database_bytes: NullableBigint
    readonly next_due_at: NullableTimestamp
    readonly max_quarantined: Generated<string>
  }
  readonly 'sync.configurations': {
    readonly integration_id: string
    readonly config_hash: string
    readonly configuration: string
    readonly bound: ColumnType<Bound, string, never>
  }
  readonly 'sync.certificates': OfResource & {
    readonly certified: boolean
    readonly requests: number
    readonly attempts: number
    readonly bytes: Bigint
    readonly elements: Bigint
    readonly distinct_ids: NullableBigint
    readonly declared: NullableBigint
    readonly end_proof: string
    readonly detail: string
    readonly confirmed: boolean | null
    readonly first_answer_at: NullableTimestamp
    readonly last_answer_at: NullableTimestamp
    readonly checksum: string
    readonly forgotten: Count
    readonly since: string | null
    readonly staged_seen: NullableBigint
    readonly staged_unseen: NullableBigint
    readonly staged_checksum: NullableBigint
    readonly missed: NullableBigint
    readonly brought: NullableBigint
  }
  readonly 'sync.requests': OfResource & {
    readonly page: number
    readonly url: string
    readonly status: number
    readonly bytes: Bigint
    readonly sha256: string
    readonly elements: number
    readonly answered_at: Timestamp
    readonly source_at: NullableTimestamp
  }
  readonly 'sync.readings': OfResource & {
    readonly shape: string
    readonly place: string | null
    readonly elements: Bigint
    readonly faults: Bigint
    readonly checksum: string
    readonly requests: number
    readonly attempts: number
    readonly end_proof: string | null
    readonly declared: NullableBigint
    readonly saved_at: Timestamp
    readonly forgotten: Count
  }
  readonly 'sync.marks': {
    readonly integration_id: string
    readonly resource: string
    readonly full_at: NullableTimestamp
    readonly full_certified: boolean
    readonly set_aside: Bigint
    readonly undated: Bigint
    readonly shape: string
    readonly asked_keys: readonly string[]
    readonly mark: string | null
    readonly mark_id: string | null
    readonly took_minutes: number
    readonly read_by_changes: boolean
  }
  readonly 'sync.misses': OfResource & {
    readonly count: Bigint
    readonly fields: Jsonb<Readonly<Record<string, number>>>
    readonly confirmed_in: string | null
    readonly confirmed_at: NullableTimestamp
    readonly confirmed_by: string | null
  }
  readonly 'sync.unstaged': OfResource & {
    readonly ordinal: Bigint
    readonly source_id: string | null
    readonly id: string | null
    readonly reason: RejectionReason
    readonly path: string
    readonly detail: string
    readonly row_check: NullableBigint
  }
  readonly 'sync.unseen': OfResource & { readonly source_id: string }
  readonly 'sync.reconciliation': OfResource & {
    readonly place: number
    readonly content: Content | ''
    readonly measure: string
    readonly count: Bigint
    readonly expected: Bigint | null
  }
  readonly 'sync.notices': {
    readonly integration_id: string
    readonly receiver: string
    readonly notice_id: string
    readonly run_id: string | null
    readonly told_end: NotifiedEnd
    readonly told_state: NoticeState
    readonly body: string
    readonly made_at: Timestamp
    readonly sent_at: NullableTimestamp
  }
  readonly 'sync.actions': {
    readonly integration_id: string
    readonly action_id: string
    readonly action: OperatorAction
    readonly made_at: Timestamp
    readonly made_by: string
    readonly reason: string | null
    readonly until: NullableTimestamp
    readonly run_id: string | null
    readonly detail: string | null
  }
  readonly 'sync.decisions': Versioned & {
    readonly content: Content
    readonly resource: string
    readonly source_id: string
    readonly unique_id: string | null
    readonly decision: 'synced' | 'excluded'
    readonly reason: string
    readonly detail: string
  }
  readonly 'sync.desired_items': Versioned & {
    readonly content: Content
    readonly unique_id: string
    readonly fields: Jsonb<Fields>
  }
  readonly 'sync.platform_items': OfRun & {
    readonly content: Content
    readonly unique_id: string
    readonly fields: Jsonb<Fields>
    readonly preexisting: Generated<boolean>
  }
  readonly 'sync.changes': OfRun & {
    readonly seq: Bigint
    readonly content: Content
    readonly unique_id: string
    readonly action: Action
    readonly reason: string
    readonly before: Jsonb<Fields | null>
    readonly after: Jsonb<Fields | null>
    readonly change_hash: Uint8Array
    readonly inferred: Generated<boolean>
    readonly phase: Phase
    readonly together: NullableBigint
    readonly freed: Generated<boolean>
    readonly state: ChangeState
    readonly batch: number | null
    readonly alone: Generated<boolean>
    readonly result: ResultStatus | null
    readonly code: string | null
    readonly retryable: boolean | null
  }
  readonly 'sync.batches': OfRun & {
    readonly batch: number
    readonly phase: Phase
    readonly first_seq: Bigint
    readonly last_seq: Bigint
    readonly reach: Bigint
    readonly idempotency_key: string
    readonly sha256: string
    readonly state: 'sent' | 'answered' | 'refused'
    readonly sent_at: Timestamp
    readonly answered_at: NullableTimestamp
  }
  readonly 'sync.passwords': {
    readonly integration_id: string
    readonly unique_id: string
    readonly sealed: Uint8Array
  }
  /** grain: account on a host. All integrations that use the same account share the account's budget. */
  readonly 'sync.rate_budgets': {
    readonly host: string
    readonly credit_limit: number | null
    readonly credits_left: number | null
    readonly window_ms: number | null
    readonly resets_at: Timestamp | null
    readonly closed_until: Timestamp | null
    readonly changed_at: Generated<Date>
  }
  readonly 'sync.suppressed': OfSourceEvent & {
    readonly content: Content
    readonly unique_id: string
    readonly suppressed_at: Timestamp
    readonly suppressed_by: string
    readonly reason: string | null
  }
  /** grain: integration. */
  readonly 'sync.suppression_files': {
    readonly integration_id: string
    readonly revision: Bigint
  }
  readonly 'sync.forgotten': OfSourceEvent & {
    readonly token: string
    readonly id_mac: Uint8Array
    readonly sealed_id: Uint8Array | null
    readonly forgotten_in: string
    readonly key_check: Uint8Array
    readonly forgotten_at: Timestamp
    readonly forgotten_by: string
  }
  readonly 'sync.forgotten_addresses': OfSourceEvent & {
    readonly address_mac: Uint8Array
    readonly forgotten_in: string
    readonly key_check: Uint8Array
  }
  readonly 'sync.superseded_manifests': OfRun & {
    readonly place: number
    readonly sha256: string
    readonly manifest: string
    readonly details: string
    readonly signature: string | null
    readonly superseded_at: Timestamp
  }
  readonly 'sync.purges': {
    readonly integration_id: string
    readonly purged_at: Timestamp
    readonly purged_by: string
    readonly older_than_days: number
    readonly before_run: string
    readonly rows: Jsonb<Readonly<Record<string, number>>>
    readonly packs: Jsonb<readonly PurgedPack[]>
    readonly told_by_run: string | null
    readonly finished_at: NullableTimestamp
  }
  /** grain: renaming of an integration. */
  readonly 'sync.former_ids': {
    readonly integration_id: string
    readonly place: number
    readonly former_id: string
    readonly renamed_at: Timestamp
    readonly renamed_by: string
    readonly last_run: string | null
    readonly told_by_run: string | null
    readonly is_folder_due: boolean
  }
  /** grain: move of the whole database. */
  readonly 'sync.moves': {
    readonly move_id: string
    readonly part: 'old' | 'new'
    readonly started_at: Timestamp
    readonly moved_at: NullableTimestamp
  }
  /** grain: move, copied table. */
  readonly 'sync.moved_tables': {
    readonly move_id: string
    readonly table_name: string
    readonly row_count: Bigint
    readonly checksum: string
    readonly copied_at: Timestamp
  }
}

/** The kysely instance of a database, or of a transaction in it. */
export type Db = Kysely<Tables>
