import type { Insertable, Kysely } from 'kysely'
import type { Tables } from '../../sql/tables.ts'
import { TRANSFORMS } from '../../transforms/decide/platform-fields.ts'
import type { StagingTables } from '../../transforms/declare/resource.ts'
import { erasedValue } from '../../transforms/declare/resource.ts'

/** Id of the integration to which the rows belong by default. */
export const INTEGRATION = 'summit'

/** Makes the id of a run from a number. Run ids are sorted in the same order as their numbers. */
export const runId = (number: number): string => `01a1fda0-0000-7000-8000-${String(number).padStart(12, '0')}`

type StagingTable = keyof StagingTables
type Row<Table extends StagingTable> = Insertable<StagingTables[Table]>

/** Rows by staging table. Each row has an id and only the columns that a test needs. */
export type StagedRows = {
  readonly [Table in StagingTable]?: readonly (Partial<Row<Table>> & { readonly source_id: string })[]
}

/** Every column of each staging table with the value that it has for a record with only an id. */
export const BLANK = Object.fromEntries(
  Object.values(TRANSFORMS).flatMap(({ resources }) =>
    resources.map(({ table, columns }) => [
      table,
      Object.fromEntries(Object.values(columns).map((column) => [column.name, erasedValue(column)])),
    ]),
  ),
) as {
  readonly [Table in StagingTable]: Omit<
    Record<keyof StagingTables[Table], unknown> & Row<Table>,
    keyof typeof FIXED | 'source_id'
  >
}

const FIXED = {
  integration_id: INTEGRATION,
  marks: [],
  doc: '{}',
  version_hash: Buffer.alloc(32),
  valid_from_run: runId(1),
  valid_to_run: null,
} as const

/** Inserts rows into staging as if a run had read and merged them. */
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

/** Source and platform of an integration. A test can replace some values of the source and the platform. */
const BINDING = {
  source: 'b',
  source_url: 'https://source-b.example',
  source_event_id: '77',
  platform: 'jsonl',
  platform_url: '',
  platform_event_id: '',
}

/** Inserts an integration into the ledger, as the integration's first run does. */
export async function enterIntegration(
  db: Kysely<Tables>,
  more: Partial<Insertable<Tables['sync.integrations']>> = {},
): Promise<void> {
  await db
    .insertInto('sync.integrations')
    .values({ integration_id: INTEGRATION, ...BINDING, source_place: 'source-b.example', base: 7, ...more })
    .execute()
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
    'sync.actions',
  ] as const
  for (const table of filled) await db.deleteFrom(table).execute()
}
