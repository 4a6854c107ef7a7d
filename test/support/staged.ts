import type { Insertable, Kysely } from 'kysely'
import type { StagingTables, Tables } from '../../sql/tables.ts'

/** The integration of the rows, unless a row names another. */
export const INTEGRATION = 'summit'

/** Run ids that grow with their number. */
export const runId = (number: number): string => `01a1fda0-0000-7000-8000-${String(number).padStart(12, '0')}`

type StagingTable = keyof StagingTables
type Row<Table extends StagingTable> = Insertable<StagingTables[Table]>

/** Rows by staging table, each with its id and the columns that matter to a test. */
export type StagedRows = {
  readonly [Table in StagingTable]?: readonly (Partial<Row<Table>> & { readonly source_id: string })[]
}

const TIMES = {
  start_time: null,
  start_time_status: 'absent',
  end_time: null,
  end_time_status: 'absent',
} as const

/** Every column of each staging table; the values are those of a record that says nothing but its id. */
export const BLANK: {
  readonly [Table in StagingTable]: Omit<
    Record<keyof StagingTables[Table], unknown> & Row<Table>,
    keyof typeof FIXED | 'source_id'
  >
} = {
  'staging.a_sessions': {
    title: null,
    description: null,
    enabled: null,
    visible_to_anonymous_users: null,
    status: null,
    time_slot_id: null,
    room_id: null,
    track_id: null,
    session_type_id: null,
    speaker_ids: [],
    link_urls: [],
  },
  'staging.a_time_slots': TIMES,
  'staging.a_rooms': { name: null, location: null },
  'staging.a_tracks': { title: null },
  'staging.a_session_types': { title: null, title_folded: null },
  'staging.a_users': {
    id: null,
    first_name: null,
    last_name: null,
    email_address: null,
    title: null,
    company: null,
    biography: null,
    photo_link: null,
    facebook_url: null,
    linkedin_url: null,
    has_speaker_role: false,
    is_pending: null,
    speaking_at: [],
  },
  'staging.b_sessions': { name: null, description: null, ...TIMES, time_zone: null },
  'staging.b_registrants': {
    first_name: null,
    last_name: null,
    email: null,
    job_title: null,
    company: null,
    bio: null,
    mobile_phone: null,
    twitter_handle: null,
    reg_type_id: null,
    reg_type_value: null,
    reg_type_folded: null,
    session_ids: [],
    cancelled_at: null,
  },
  'staging.b_reg_types': { name: null, name_folded: null },
}

const FIXED = {
  integration_id: INTEGRATION,
  marks: [],
  doc: '{}',
  version_hash: Buffer.alloc(32),
  valid_from_run: runId(1),
  valid_to_run: null,
} as const

/** Puts rows into staging as if a run had read and merged them. */
export async function insertStaged(db: Kysely<Tables>, rows: StagedRows): Promise<void> {
  for (const [table, ofTable] of Object.entries(rows)) {
    if (ofTable.length === 0) continue
    const blank = { ...FIXED, ...BLANK[table as StagingTable] }
    await db
      .insertInto(table as 'staging.a_users')
      .values(ofTable.map((row) => ({ ...blank, ...row })) as unknown as Row<'staging.a_users'>[])
      .execute()
  }
}

/** Where an integration reads from and writes to, as far as a test needs to say. */
export const BINDING = {
  source: 'b',
  source_url: 'https://source-b.example',
  source_event_id: '77',
  platform: 'jsonl',
  platform_url: '',
  platform_event_id: '',
}

/** Empties every table that a run fills, so that tests can share one database. */
export async function emptyTables(db: Kysely<Tables>): Promise<void> {
  const filled = [
    ...(Object.keys(BLANK) as StagingTable[]),
    'sync.integrations',
    'sync.runs',
    'sync.certificates',
    'sync.unstaged',
    'sync.unseen',
    'sync.decisions',
    'sync.desired_items',
    'sync.platform_items',
    'sync.changes',
    'sync.batches',
    'sync.passwords',
    'sync.requests',
    'sync.readings',
    'sync.reconciliation',
    'sync.notices',
  ] as const
  for (const table of filled) await db.deleteFrom(table).execute()
}
