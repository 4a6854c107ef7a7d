import type { ColumnType, Generated } from 'kysely'

/** A bigint column: both engines read it as text or number, so queries that need the figure cast it. */
type Bigint = ColumnType<string | number | bigint, string | number | bigint, string | number | bigint>

/** A bigint column that is 0 where nothing is said. */
type Count = ColumnType<string | number, string | number | undefined, string | number>

/** A jsonb column: read as a parsed value, written as JSON text. */
type Jsonb<Value> = ColumnType<Value, string | null, string | null>

/** A point in time, read as the engine's date, written as ISO-8601 text. */
type Timestamp = ColumnType<Date, string, string>

/** How a time of a source was read: `ambiguous` is a local time that occurs twice, the earlier instant. */
export type TimeStatus = 'absent' | 'read' | 'ambiguous' | 'unreadable'

/** Columns that every table of `staging` has. */
export interface Staged {
  readonly integration_id: string
  readonly source_id: string
  readonly marks: readonly string[]
  readonly doc: Jsonb<unknown>
  readonly version_hash: Uint8Array
  readonly valid_from_run: string
  readonly valid_to_run: string | null
}

interface StagedSessionA extends Staged {
  readonly title: string | null
  readonly description: string | null
  readonly enabled: boolean | null
  readonly visible_to_anonymous_users: boolean | null
  readonly status: string | null
  readonly time_slot_id: string | null
  readonly room_id: string | null
  readonly track_id: string | null
  readonly session_type_id: string | null
  readonly speaker_ids: readonly string[]
  readonly link_urls: readonly string[]
}

interface StagedTimes {
  readonly start_time: Timestamp | null
  readonly start_time_status: TimeStatus
  readonly end_time: Timestamp | null
  readonly end_time_status: TimeStatus
}

interface StagedTimeSlotA extends Staged, StagedTimes {}

interface StagedRoomA extends Staged {
  readonly name: string | null
  readonly location: string | null
}

interface StagedTrackA extends Staged {
  readonly title: string | null
}

interface StagedSessionTypeA extends Staged {
  readonly title: string | null
  readonly title_folded: string | null
}

interface StagedUserA extends Staged {
  readonly id: string | null
  readonly first_name: string | null
  readonly last_name: string | null
  readonly email_address: string | null
  readonly title: string | null
  readonly company: string | null
  readonly biography: string | null
  readonly photo_link: string | null
  readonly facebook_url: string | null
  readonly linkedin_url: string | null
  readonly has_speaker_role: boolean
  readonly is_pending: boolean | null
  readonly speaking_at: readonly string[]
}

interface StagedSessionB extends Staged, StagedTimes {
  readonly name: string | null
  readonly description: string | null
  readonly time_zone: string | null
}

interface StagedRegistrantB extends Staged {
  readonly first_name: string | null
  readonly last_name: string | null
  readonly email: string | null
  readonly job_title: string | null
  readonly company: string | null
  readonly bio: string | null
  readonly mobile_phone: string | null
  readonly twitter_handle: string | null
  readonly reg_type_id: string | null
  readonly reg_type_value: string | null
  readonly reg_type_folded: string | null
  readonly session_ids: readonly string[]
  readonly cancelled_at: string | null
}

interface StagedRegTypeB extends Staged {
  readonly name: string | null
  readonly name_folded: string | null
}

interface IntegrationTable {
  readonly integration_id: string
  readonly source: string
  readonly source_url: string
  readonly source_event_id: string
  readonly platform: string
  readonly platform_url: string
  readonly platform_event_id: string
  readonly time_zone: string | null
  readonly base: Bigint
  readonly fence: ColumnType<
    string | number | bigint,
    string | number | bigint | undefined,
    string | number | bigint
  >
  readonly contents_read_back: Generated<readonly Content[]>
  readonly transform_basis: ColumnType<Uint8Array | null, Uint8Array | null | undefined, Uint8Array | null>
}

/**
 * Where a run stands: `planned` and `held` are stored plans of which nothing was sent; `applied` means that the
 * platform has everything and the audit pack is still to be written.
 */
export type RunStatus =
  | 'running'
  | 'planned'
  | 'held'
  | 'applying'
  | 'applied'
  | 'finished'
  | 'failed'
  | 'abandoned'

/** Number of items of one content by what the plan does with them. */
export interface ChangeCounts {
  readonly create: number
  readonly update: number
  readonly remove: number
  readonly unchanged: number
}

/** A run of an integration, as most tables of `sync` are keyed. */
export interface RunKey {
  readonly integrationId: string
  readonly runId: string
}

export type Content = 'agenda' | 'speakers' | 'attendees'

/** The figures of a run, as `run --json` prints them. */
export interface RunCounts {
  readonly changes: Readonly<Partial<Record<Content, ChangeCounts>>>
  /** Decisions by reason, over all contents of the integration. */
  readonly excluded: Readonly<Record<string, number>>
  /** Records that could not be read, each counted once. */
  readonly quarantined: number
  /** Items that stay on the platform although nothing in the source stands for them any more. */
  readonly kept: number
  /** Changes that the platform rejected, and those that were left out; not there before the plan was applied. */
  readonly failed?: number
  readonly withheld?: number
  /** What a guard has seen and lets pass, as on a first run. */
  readonly notes?: readonly string[]
}

/** A guard that stopped a plan, and what it saw. */
export interface Hold {
  readonly guard: string
  readonly detail: string
}

interface RunTable {
  readonly integration_id: string
  readonly run_id: string
  readonly command: 'run' | 'plan'
  readonly status: RunStatus
  readonly started_at: Timestamp
  readonly planned_at: ColumnType<Date | null, string | null, string | null>
  readonly applied_at: ColumnType<Date | null, string | null, string | null>
  readonly finished_at: ColumnType<Date | null, string | null, string | null>
  readonly product_version: string
  readonly started_by: string
  readonly approved_by: string | null
  readonly approved_at: ColumnType<Date | null, string | null, string | null>
  readonly config_hash: string
  readonly contents: readonly Content[]
  readonly base: Bigint
  readonly fence: ColumnType<
    string | number | null,
    number | string | null | undefined,
    number | string | null
  >
  readonly plan_hash: string | null
  readonly certified: boolean | null
  readonly held: Jsonb<Hold | null>
  readonly counts: Jsonb<RunCounts | null>
  readonly error: string | null
  readonly manifest_sha256: string | null
  readonly personal_data: ColumnType<
    'full' | 'masked' | null,
    'full' | 'masked' | null | undefined,
    'full' | 'masked' | null
  >
  readonly excel: ColumnType<boolean | null, boolean | null | undefined, boolean | null>
  readonly time_zone: ColumnType<string | null, string | null | undefined, string | null>
  readonly previous_manifest_sha256: ColumnType<string | null, string | null | undefined, string | null>
  readonly reissue_due: Generated<boolean>
  readonly purged_at: ColumnType<Date | null, string | null | undefined, string | null>
}

interface CertificateTable {
  readonly integration_id: string
  readonly run_id: string
  readonly resource: string
  readonly certified: boolean
  readonly requests: number
  readonly attempts: number
  readonly bytes: Bigint
  readonly elements: Bigint
  readonly distinct_ids: ColumnType<string | number | null, number | null, number | null>
  readonly declared: ColumnType<string | number | null, number | null, number | null>
  readonly end_proof: string
  readonly detail: string
  readonly checksum: string
  readonly forgotten: Count
}

interface RequestTable {
  readonly integration_id: string
  readonly run_id: string
  readonly resource: string
  readonly page: number
  readonly url: string
  readonly status: number
  readonly bytes: Bigint
  readonly sha256: string
  readonly elements: number
  readonly answered_at: Timestamp
}

interface ReadingTable {
  readonly integration_id: string
  readonly run_id: string
  readonly resource: string
  readonly shape: string
  readonly place: string | null
  readonly elements: Bigint
  readonly faults: Bigint
  readonly checksum: string
  readonly requests: number
  readonly attempts: number
  readonly end_proof: string | null
  readonly declared: ColumnType<string | number | null, number | null, number | null>
  readonly saved_at: Timestamp
  readonly forgotten: Count
}

export type UnstagedReason = 'invalid_record' | 'duplicate_id'

interface UnstagedTable {
  readonly integration_id: string
  readonly run_id: string
  readonly resource: string
  readonly ordinal: Bigint
  readonly source_id: string | null
  readonly id: string | null
  readonly reason: UnstagedReason
  readonly path: string
  readonly detail: string
  readonly row_check: ColumnType<
    string | number | bigint | null,
    string | number | bigint | null | undefined,
    string | number | bigint | null
  >
}

interface ReconciliationTable {
  readonly integration_id: string
  readonly run_id: string
  readonly place: number
  readonly content: Content | ''
  readonly resource: string
  readonly measure: string
  readonly count: Bigint
  readonly expected: Bigint | null
}

/** Ends of a run that a webhook can be told of. */
export type ToldEnd = 'held' | 'failed' | 'incomplete' | 'finished'

interface NoticeTable {
  readonly integration_id: string
  readonly run_id: string
  readonly told_end: ToldEnd
  readonly body: string
  readonly made_at: Timestamp
  readonly sent_at: ColumnType<Date | null, string | null | undefined, string | null>
}

interface UnseenTable {
  readonly integration_id: string
  readonly run_id: string
  readonly resource: string
  readonly source_id: string
}

interface DecisionTable {
  readonly integration_id: string
  readonly content: Content
  readonly resource: string
  readonly source_id: string
  readonly unique_id: string | null
  readonly decision: 'synced' | 'excluded'
  readonly reason: string
  readonly detail: string
  readonly valid_from_run: string
  readonly valid_to_run: string | null
}

/** Platform fields of one item, in no order: jsonb keeps none. */
export type Fields = Readonly<Record<string, string | readonly string[]>>

interface DesiredItemTable {
  readonly integration_id: string
  readonly content: Content
  readonly unique_id: string
  readonly fields: Jsonb<Fields>
  readonly valid_from_run: string
  readonly valid_to_run: string | null
}

interface PlatformItemTable {
  readonly integration_id: string
  readonly content: Content
  readonly unique_id: string
  readonly fields: Jsonb<Fields>
  readonly run_id: string
}

export type Action = 'create' | 'update' | 'remove'

interface ChangeTable {
  readonly integration_id: string
  readonly run_id: string
  readonly seq: Bigint
  readonly content: Content
  readonly unique_id: string
  readonly action: Action
  readonly reason: string
  readonly before: Jsonb<Fields | null>
  readonly after: Jsonb<Fields | null>
  readonly change_hash: Uint8Array
  readonly inferred: Generated<boolean>
  readonly state: ChangeState
  readonly batch: number | null
  readonly alone: Generated<boolean>
  readonly result: ResultStatus | null
  readonly code: string | null
  readonly retryable: boolean | null
}

/**
 * Where a planned change stands. `sent`: in a batch whose answer is not known, so the platform may have it.
 * `failed`: rejected by the platform. `withheld`: left out of this run.
 */
export type ChangeState = 'pending' | 'sent' | 'applied' | 'failed' | 'withheld'

/** What a platform says of an operation. Source: design 8; `loaders/platform/contract`. */
export type ResultStatus = 'created' | 'updated' | 'unchanged' | 'removed' | 'failed'

/** All upserts of a run are sent before its first removal. */
export type Phase = 'upserts' | 'removals'

interface BatchTable {
  readonly integration_id: string
  readonly run_id: string
  readonly batch: number
  readonly phase: Phase
  readonly first_seq: Bigint
  readonly last_seq: Bigint
  readonly reach: Bigint
  readonly idempotency_key: string
  readonly sha256: string
  readonly state: 'sent' | 'answered' | 'refused'
  readonly sent_at: Timestamp
  readonly answered_at: ColumnType<Date | null, string | null, string | null>
}

interface PasswordTable {
  readonly integration_id: string
  readonly unique_id: string
  readonly sealed: Uint8Array
}

interface ForgottenTable {
  readonly integration_id: string
  readonly token: string
  readonly id_mac: Uint8Array
  readonly sealed_id: Uint8Array | null
  readonly key_check: Uint8Array
  readonly forgotten_at: Timestamp
  readonly forgotten_by: string
}

interface ForgottenAddressTable {
  readonly integration_id: string
  readonly address_mac: Uint8Array
}

interface SupersededManifestTable {
  readonly integration_id: string
  readonly run_id: string
  readonly place: number
  readonly sha256: string
  readonly manifest: string | null
  readonly signature: string | null
  readonly superseded_at: Timestamp
}

/** A pack whose files were purged; its manifest stays. */
export interface PurgedPack {
  readonly run: string
  readonly manifestSha256: string
}

interface PurgeTable {
  readonly integration_id: string
  readonly purged_at: Timestamp
  readonly purged_by: string
  readonly older_than_days: number
  readonly before_run: string
  readonly rows: Jsonb<Readonly<Record<string, number>>>
  readonly packs: Jsonb<readonly PurgedPack[]>
  readonly told_by_run: ColumnType<string | null, string | null | undefined, string | null>
  readonly finished_at: ColumnType<Date | null, string | undefined, string>
}

/** Tables of one transform transaction; they vanish with its commit. */
interface TransformTables {
  /** grain: session, user that it names. Of sessions that were read, whatever became of them. */
  readonly session_speakers: { readonly session_id: string; readonly user_id: string }
  /** grain: content, record. `reason` is null where the record is synced. */
  readonly verdicts: {
    readonly content: Content
    readonly source_id: string
    readonly unique_id: string | null
    readonly reason: string | null
  }
  /** grain: content, record: a verdict with its detail and, where it is synced, the platform fields. */
  readonly outcomes: {
    readonly content: Content
    readonly resource: string
    readonly source_id: string
    readonly unique_id: string | null
    readonly reason: string | null
    readonly detail: string
    readonly fields: Fields | null
  }
}

export interface StagingTables {
  readonly 'staging.a_sessions': StagedSessionA
  readonly 'staging.a_time_slots': StagedTimeSlotA
  readonly 'staging.a_rooms': StagedRoomA
  readonly 'staging.a_tracks': StagedTrackA
  readonly 'staging.a_session_types': StagedSessionTypeA
  readonly 'staging.a_users': StagedUserA
  readonly 'staging.b_sessions': StagedSessionB
  readonly 'staging.b_registrants': StagedRegistrantB
  readonly 'staging.b_reg_types': StagedRegTypeB
}

/** Columns that every incoming table has; beside them it has those of its resource. */
interface IncomingTable {
  readonly ordinal: Bigint
  readonly row_check: Bigint
  readonly fault_path: string | null
  readonly fault: string | null
  readonly source_id: string | null
  readonly marks: readonly string[]
  readonly doc: Jsonb<unknown>
  readonly version_hash: Uint8Array
}

/** grain: host. No integration's: all that read from a host share it. */
interface RateBudgetTable {
  readonly host: string
  readonly credit_limit: number | null
  readonly credits_left: number | null
  readonly window_number: Generated<string>
  readonly window_ms: number | null
  readonly resets_at: Timestamp | null
  readonly closed_until: Timestamp | null
  readonly changed_at: Generated<Date>
}

/** Every table that queries of the product name; `sql/migrations/` makes them and a test compares the two. */
export interface Tables extends StagingTables, TransformTables {
  /** Stands for the incoming table of any resource and run. */
  readonly 'incoming.records': IncomingTable
  readonly 'sync.integrations': IntegrationTable
  readonly 'sync.runs': RunTable
  readonly 'sync.certificates': CertificateTable
  readonly 'sync.requests': RequestTable
  readonly 'sync.readings': ReadingTable
  readonly 'sync.unstaged': UnstagedTable
  readonly 'sync.unseen': UnseenTable
  readonly 'sync.reconciliation': ReconciliationTable
  readonly 'sync.notices': NoticeTable
  readonly 'sync.decisions': DecisionTable
  readonly 'sync.desired_items': DesiredItemTable
  readonly 'sync.platform_items': PlatformItemTable
  readonly 'sync.changes': ChangeTable
  readonly 'sync.batches': BatchTable
  readonly 'sync.passwords': PasswordTable
  readonly 'sync.rate_budgets': RateBudgetTable
  readonly 'sync.forgotten': ForgottenTable
  readonly 'sync.forgotten_addresses': ForgottenAddressTable
  readonly 'sync.superseded_manifests': SupersededManifestTable
  readonly 'sync.purges': PurgeTable
}
