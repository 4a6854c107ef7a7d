import { type SelectType, sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Tables } from '../../sql/tables.ts'
import { engines } from '../support/engines.ts'
import { useDatabase } from '../support/use-database.ts'

/** Tables of the types that no migration makes: those of one transform, and the stand-in for incoming tables. */
type Passing = 'session_speakers' | 'verdicts' | 'outcomes' | 'incoming.records'

/** Every column of every table as the types declare it; the compiler refuses a list that is not theirs. */
type Declared = {
  readonly [Table in Exclude<keyof Tables, Passing>]: {
    readonly [Column in keyof Tables[Table]]: null extends SelectType<Tables[Table][Column]>
      ? 'null'
      : 'value'
  }
}

const STAGED = {
  integration_id: 'value',
  source_id: 'value',
  marks: 'value',
  doc: 'null',
  version_hash: 'value',
  valid_from_run: 'value',
  valid_to_run: 'null',
} as const

const TIMES = {
  start_time: 'null',
  start_time_status: 'value',
  end_time: 'null',
  end_time_status: 'value',
} as const

const DECLARED: Declared = {
  'staging.a_sessions': {
    ...STAGED,
    title: 'null',
    description: 'null',
    enabled: 'null',
    visible_to_anonymous_users: 'null',
    status: 'null',
    time_slot_id: 'null',
    room_id: 'null',
    track_id: 'null',
    session_type_id: 'null',
    speaker_ids: 'value',
    link_urls: 'value',
  },
  'staging.a_time_slots': { ...STAGED, ...TIMES },
  'staging.a_rooms': { ...STAGED, name: 'null', location: 'null' },
  'staging.a_tracks': { ...STAGED, title: 'null' },
  'staging.a_session_types': { ...STAGED, title: 'null', title_folded: 'null' },
  'staging.a_users': {
    ...STAGED,
    id: 'null',
    first_name: 'null',
    last_name: 'null',
    email_address: 'null',
    title: 'null',
    company: 'null',
    biography: 'null',
    photo_link: 'null',
    facebook_url: 'null',
    linkedin_url: 'null',
    has_speaker_role: 'value',
    is_pending: 'null',
    speaking_at: 'value',
  },
  'staging.b_sessions': { ...STAGED, ...TIMES, name: 'null', description: 'null', time_zone: 'null' },
  'staging.b_registrants': {
    ...STAGED,
    first_name: 'null',
    last_name: 'null',
    email: 'null',
    job_title: 'null',
    company: 'null',
    bio: 'null',
    mobile_phone: 'null',
    twitter_handle: 'null',
    reg_type_id: 'null',
    reg_type_value: 'null',
    reg_type_folded: 'null',
    session_ids: 'value',
    cancelled_at: 'null',
  },
  'staging.b_reg_types': { ...STAGED, name: 'null', name_folded: 'null' },
  'sync.integrations': {
    integration_id: 'value',
    source: 'value',
    source_url: 'value',
    source_event_id: 'value',
    platform: 'value',
    platform_url: 'value',
    platform_event_id: 'value',
    time_zone: 'null',
    base: 'value',
    fence: 'value',
    contents_read_back: 'value',
    transform_basis: 'null',
  },
  'sync.runs': {
    integration_id: 'value',
    run_id: 'value',
    command: 'value',
    status: 'value',
    started_at: 'value',
    planned_at: 'null',
    applied_at: 'null',
    finished_at: 'null',
    product_version: 'value',
    started_by: 'value',
    approved_by: 'null',
    approved_at: 'null',
    config_hash: 'value',
    contents: 'value',
    base: 'value',
    fence: 'null',
    plan_hash: 'null',
    certified: 'null',
    held: 'null',
    counts: 'null',
    error: 'null',
    manifest_sha256: 'null',
    personal_data: 'null',
    previous_manifest_sha256: 'null',
    excel: 'null',
    time_zone: 'null',
    reissue_due: 'value',
    purged_at: 'null',
  },
  'sync.certificates': {
    integration_id: 'value',
    run_id: 'value',
    resource: 'value',
    certified: 'value',
    requests: 'value',
    attempts: 'value',
    bytes: 'value',
    elements: 'value',
    distinct_ids: 'null',
    declared: 'null',
    end_proof: 'value',
    detail: 'value',
    checksum: 'value',
    forgotten: 'value',
  },
  'sync.requests': {
    integration_id: 'value',
    run_id: 'value',
    resource: 'value',
    page: 'value',
    url: 'value',
    status: 'value',
    bytes: 'value',
    sha256: 'value',
    elements: 'value',
    answered_at: 'value',
  },
  'sync.readings': {
    integration_id: 'value',
    run_id: 'value',
    resource: 'value',
    shape: 'value',
    place: 'null',
    elements: 'value',
    faults: 'value',
    checksum: 'value',
    requests: 'value',
    attempts: 'value',
    end_proof: 'null',
    declared: 'null',
    saved_at: 'value',
    forgotten: 'value',
  },
  'sync.reconciliation': {
    integration_id: 'value',
    run_id: 'value',
    place: 'value',
    content: 'value',
    resource: 'value',
    measure: 'value',
    count: 'value',
    expected: 'null',
  },
  'sync.notices': {
    integration_id: 'value',
    run_id: 'value',
    told_end: 'value',
    body: 'value',
    made_at: 'value',
    sent_at: 'null',
  },
  'sync.unstaged': {
    integration_id: 'value',
    run_id: 'value',
    resource: 'value',
    ordinal: 'value',
    source_id: 'null',
    id: 'null',
    reason: 'value',
    path: 'value',
    detail: 'value',
    row_check: 'null',
  },
  'sync.unseen': {
    integration_id: 'value',
    run_id: 'value',
    resource: 'value',
    source_id: 'value',
  },
  'sync.decisions': {
    integration_id: 'value',
    content: 'value',
    resource: 'value',
    source_id: 'value',
    unique_id: 'null',
    decision: 'value',
    reason: 'value',
    detail: 'value',
    valid_from_run: 'value',
    valid_to_run: 'null',
  },
  'sync.desired_items': {
    integration_id: 'value',
    content: 'value',
    unique_id: 'value',
    fields: 'value',
    valid_from_run: 'value',
    valid_to_run: 'null',
  },
  'sync.platform_items': {
    integration_id: 'value',
    content: 'value',
    unique_id: 'value',
    fields: 'value',
    run_id: 'value',
  },
  'sync.changes': {
    integration_id: 'value',
    run_id: 'value',
    seq: 'value',
    content: 'value',
    unique_id: 'value',
    action: 'value',
    reason: 'value',
    before: 'null',
    after: 'null',
    change_hash: 'value',
    inferred: 'value',
    state: 'value',
    batch: 'null',
    alone: 'value',
    result: 'null',
    code: 'null',
    retryable: 'null',
  },
  'sync.batches': {
    integration_id: 'value',
    run_id: 'value',
    batch: 'value',
    phase: 'value',
    first_seq: 'value',
    last_seq: 'value',
    reach: 'value',
    idempotency_key: 'value',
    sha256: 'value',
    state: 'value',
    sent_at: 'value',
    answered_at: 'null',
  },
  'sync.passwords': {
    integration_id: 'value',
    unique_id: 'value',
    sealed: 'value',
  },
  'sync.rate_budgets': {
    host: 'value',
    credit_limit: 'null',
    credits_left: 'null',
    window_number: 'value',
    window_ms: 'null',
    resets_at: 'null',
    closed_until: 'null',
    changed_at: 'value',
  },
  'sync.forgotten': {
    integration_id: 'value',
    token: 'value',
    id_mac: 'value',
    sealed_id: 'null',
    key_check: 'value',
    forgotten_at: 'value',
    forgotten_by: 'value',
  },
  'sync.forgotten_addresses': { integration_id: 'value', address_mac: 'value' },
  'sync.purges': {
    integration_id: 'value',
    purged_at: 'value',
    purged_by: 'value',
    older_than_days: 'value',
    before_run: 'value',
    rows: 'value',
    packs: 'value',
    told_by_run: 'null',
    finished_at: 'null',
  },
  'sync.superseded_manifests': {
    integration_id: 'value',
    run_id: 'value',
    place: 'value',
    sha256: 'value',
    manifest: 'null',
    signature: 'null',
    superseded_at: 'value',
  },
}

/** A document is any JSON value, null included, though the column itself always has one. */
const ANY_VALUE = 'doc'

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)

  test('the types name the tables that the migrations make, with their columns and what may be null', async () => {
    const { rows } = await sql<{ table: string; column: string; is_nullable: 'YES' | 'NO' }>`
      select table_schema || '.' || table_name as table, column_name as column, is_nullable
      from information_schema.columns
      join information_schema.tables using (table_schema, table_name)
      where table_schema in ('staging', 'sync') and table_type = 'BASE TABLE'`.execute(database().kysely)
    const found: Record<string, Record<string, string>> = {}
    for (const { table, column, is_nullable } of rows) {
      const columns = found[table] ?? {}
      found[table] = columns
      columns[column] = is_nullable === 'YES' || column === ANY_VALUE ? 'null' : 'value'
    }
    expect(found).toEqual(DECLARED)
  })

  test('every schema, table, view, column and function has a comment that says something', async () => {
    const { rows } = await sql<{ kind: string; name: string; comment: string | null }>`
      with ours as (
        select oid, nspname from pg_namespace
        where nspname not in ('public', 'information_schema') and nspname not like 'pg\\_%'
      ), relations as (
        select relation.oid, nspname || '.' || relname as name
        from pg_class as relation
        join ours on ours.oid = relation.relnamespace
        where relkind in ('r', 'p', 'v', 'm', 'f')
      )
      select 'schema' as kind, nspname as name, obj_description(oid, 'pg_namespace') as comment from ours
      union all
      select 'relation', name, obj_description(oid, 'pg_class') from relations
      union all
      select 'column', name || '.' || attname, col_description(oid, attnum)
      from relations
      join pg_attribute on attrelid = oid and attnum > 0 and not attisdropped
      union all
      select 'function', nspname || '.' || proname, obj_description(pg_proc.oid, 'pg_proc')
      from pg_proc
      join ours on ours.oid = pronamespace`.execute(database().kysely)
    const kinds = new Set(rows.map(({ kind }) => kind))
    expect([...kinds]).toEqual(expect.arrayContaining(['schema', 'relation', 'column', 'function']))
    expect(rows.length).toBeGreaterThan(150)
    expect(rows.filter(({ comment }) => comment === null || comment.trim().length < 3)).toEqual([])
  })

  test('every key and index leads with integration_id, so that tables can be distributed by it; nothing refers across', async () => {
    const { rows } = await sql<{ index: string; is_unique: boolean; first: string }>`
      select index.indexrelid::regclass::text as index, index.indisunique as is_unique,
        coalesce(attribute.attname, '') as first
      from pg_index as index
      join pg_class as indexed on indexed.oid = index.indrelid
      left join pg_attribute as attribute
        on attribute.attrelid = index.indrelid and attribute.attnum = index.indkey[0]
      where indexed.relnamespace in ('staging'::regnamespace, 'sync'::regnamespace)
        and attribute.attname is distinct from 'integration_id'
      order by 1`.execute(database().kysely)
    expect(rows).toEqual([
      // No integration's: a local table on the coordinator.
      { index: 'sync.rate_budgets_pkey', is_unique: true, first: 'host' },
      // Finds a run of which only the id is given; no key.
      { index: 'sync.runs_by_id', is_unique: false, first: 'run_id' },
    ])
    const { rows: references } = await sql`select conname from pg_constraint where contype = 'f'`.execute(
      database().kysely,
    )
    expect(references).toEqual([])
  })

  test('ids and contents sort by their bytes, whatever the locale', async () => {
    const { rows } = await sql<{ column: string }>`
      select table_schema || '.' || table_name || '.' || column_name as column
      from information_schema.columns
      where table_schema in ('staging', 'sync')
        and (column_name in ('integration_id', 'source_id', 'unique_id', 'content', 'resource', 'id')
          or column_name like '%\\_id' and data_type = 'text' and column_name not like '%event\\_id'
          or column_name like '%\\_ids')
        and data_type in ('text', 'ARRAY')
        and collation_name is distinct from 'C'`.execute(database().kysely)
    expect(rows).toEqual([])
  })
})
