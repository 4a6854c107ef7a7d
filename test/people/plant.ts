import { sql } from 'kysely'
import type { Place } from '../../loaders/people/erasure.ts'
import type { Db } from '../../sql/tables.ts'
import { columnsOf, readColumns } from './places.ts'

const TEXT = 'Zyxomma planted'

/** A person whose data the tests insert into tables. The data has the resource and the keys of one source. */
export interface Planted {
  readonly id: string
  /** Resource in which the source lists people. */
  readonly resource: string
  /** The object by which another record of the source refers to the person. */
  readonly mention: Readonly<Record<string, string>>
}

/**
 * The run of an inserted row, and the run in which the version of this row ends. Both ids are older than all
 * real runs.
 */
const RUN = '00000000-0000-7000-8000-000000000001'
const NEXT_RUN = '00000000-0000-7000-8000-000000000002'

/**
 * Inserts one row of an old run into a table. The row contains the person in each column that the list of
 * places names. An existing row with the same key is not changed.
 */
export async function plant(db: Db, place: Place, planted: Planted): Promise<void> {
  const table = sql.table(place.table)
  const {
    rows: [sample],
  } = await sql<{ row: Readonly<Record<string, unknown>> }>`
    select to_jsonb(held) as row from ${table} as held limit 1`.execute(db)
  const columns = (await readColumns(db)).filter((column) => column.table === place.table)
  const listed = columnsOf(place)
  const row = Object.fromEntries(
    columns.map(({ column, type }) => {
      const fixed = FIXED[column] ?? (column === 'resource' ? planted.resource : undefined)
      if (fixed !== undefined) return [column, fixed]
      if (listed.includes(column)) return [column, personIn(place, column, type, planted)]
      return [column, sample === undefined ? (CHECKED[column] ?? VALUES[type] ?? '') : sample.row[column]]
    }),
  )
  await sql`
    insert into ${table} select made.* from jsonb_populate_record(null::${table}, ${JSON.stringify(row)}::jsonb) as made
    on conflict do nothing`.execute(db)
}

/** Values of key columns. */
const FIXED: Readonly<Record<string, string>> = {
  integration_id: 'summit',
  action_id: RUN,
  run_id: RUN,
  valid_from_run: RUN,
  valid_to_run: NEXT_RUN,
  content: 'attendees',
}

/**
 * Values for columns with a check constraint. The values are used if the table has no row whose values can be
 * copied.
 */
const CHECKED: Readonly<Record<string, string>> = {
  action: 'approved',
  end_time_status: 'absent',
  phase: 'upserts',
  start_time_status: 'absent',
  state: 'sent',
  told_end: 'finished',
  told_state: 'ended',
}

/** Values for columns without personal data, by data type. */
const VALUES: Readonly<Record<string, unknown>> = {
  ARRAY: [],
  boolean: false,
  bigint: 1,
  bytea: '\\x00',
  integer: 1,
  jsonb: {},
  numeric: 1,
  'timestamp with time zone': '2031-01-01T00:00:00Z',
  uuid: RUN,
}

function personIn(place: Place, column: string, type: string, { id, mention }: Planted): unknown {
  const link = `https://a.example/Users?$skiptoken=Id-'${id}'`
  if (column === place.key) return id
  if (column === place.names) return [id]
  if (column === 'doc') return { CreatedBy: { ...mention, Name: TEXT } }
  if (column === 'custom') return { agenda: { owner: TEXT } }
  if (place.table === 'sync.requests') return link
  if (column === 'manifest') return JSON.stringify({ requests: [{ url: link }] })
  if (type === 'jsonb') return { firstName: TEXT }
  if (type === 'text') return TEXT
  if (type === 'bytea') return `\\x${Buffer.from(TEXT.toLowerCase()).toString('hex')}`
  return type === 'ARRAY' ? [TEXT] : VALUES[type]
}
