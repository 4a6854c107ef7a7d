import { type SelectType, sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { mistakesInColumns } from '../../pipeline/sources/column-names.ts'
import { readDictionary } from '../../sql/dictionary.ts'
import { ACTIONS, type Tables } from '../../sql/tables.ts'
import { TRANSFORMS } from '../../transforms/decide/platform-fields.ts'
import { STAGED_COLUMNS } from '../../transforms/decide/staging-sql.ts'
import type { StagingTables } from '../../transforms/declare/resource.ts'
import { engines } from '../support/engines.ts'
import { useDatabase } from '../support/use-database.ts'

/**
 * Tables in the TypeScript types that no migration creates: working tables of a transform, and the general
 * types for incoming tables.
 */
type Passing = 'session_speakers' | 'content_decisions' | 'outcomes' | 'incoming.records' | 'incoming.items'

/** Every column of every table, as the TypeScript types declare the columns. */
type Declared = {
  readonly [Table in Exclude<keyof Tables, Passing | keyof StagingTables>]: {
    readonly [Column in keyof Tables[Table]]: null extends SelectType<Tables[Table][Column]>
      ? 'null'
      : 'value'
  }
}

type Words<Text extends string> = Text extends `${infer Word} ${infer Rest}` ? Word | Words<Rest> : Text

/** Lists columns: first the columns that always have a value, then the columns that may be null. */
function columns<Values extends string, Nulls extends string = never>(values: Values, nulls?: Nulls) {
  const named = (text = '', kind: string) =>
    text === '' ? [] : text.split(' ').map((column) => [column, kind] as const)
  const entries = [...named(values, 'value'), ...named(nulls, 'null')]
  return Object.fromEntries(entries) as Record<Exclude<Words<Values>, ''>, 'value'> &
    Record<Words<Nulls>, 'null'>
}

const STAGED = columns('integration_id source_id marks version_hash valid_from_run', 'doc valid_to_run')

/** The staging tables, which the sources declare. */
const STAGING = Object.fromEntries(
  Object.values(TRANSFORMS).flatMap(({ resources, contents }) =>
    resources.map(({ table, columns }) => [
      table,
      {
        ...STAGED,
        ...(contents.some(({ records }) => records.table === table) ? { custom: 'null' } : {}),
        ...Object.fromEntries(
          Object.values(columns).map(({ name, isNullable }) => [name, isNullable ? 'null' : 'value']),
        ),
      },
    ]),
  ),
)

const DECLARED = {
  'migration.resources': columns('table_name source resource contents needed_for'),
  'migration.sources': columns('source stated_reasons'),
  'sync.integrations': columns(
    'integration_id source source_url source_place source_event_id platform platform_url platform_event_id base fence platform_fence platform_base contents_read_back owns_platform_event',
    'time_zone transform_basis last_pack_run',
  ),
  'sync.runs': columns(
    'integration_id run_id command status started_at product_version started_by config_hash contents base reissue_due has_plan_page custom silenced_hints max_quarantined',
    'planned_at applied_at finished_at approved_by approved_at fence plan_hash certified held pinned counts error manifest_sha256 personal_data previous_manifest_sha256 excel event_name time_zone purged_at pack_purged_at gap figures_of answers_of settled_base suppressions database_bytes rollback_to next_due_at',
  ),
  'sync.configurations': columns('integration_id config_hash configuration bound'),
  'sync.certificates': columns(
    'integration_id run_id resource certified requests attempts bytes elements end_proof detail checksum forgotten',
    'distinct_ids declared confirmed first_answer_at last_answer_at since staged_seen staged_unseen staged_checksum missed brought',
  ),
  'sync.requests': columns(
    'integration_id run_id resource page url status bytes sha256 elements answered_at',
    'source_at',
  ),
  'sync.readings': columns(
    'integration_id run_id resource shape elements faults checksum requests attempts saved_at forgotten',
    'place end_proof declared',
  ),
  'sync.reconciliation': columns('integration_id run_id place content resource measure count', 'expected'),
  'sync.notices': columns(
    'integration_id receiver notice_id told_end told_state body made_at',
    'run_id sent_at',
  ),
  'sync.actions': columns('integration_id action_id action made_at made_by', 'reason until run_id detail'),
  'sync.marks': columns(
    'integration_id resource full_certified set_aside undated shape asked_keys took_minutes read_by_changes',
    'full_at mark mark_id',
  ),
  'sync.misses': columns(
    'integration_id run_id resource count fields',
    'confirmed_in confirmed_at confirmed_by',
  ),
  'sync.unstaged': columns(
    'integration_id run_id resource ordinal reason path detail',
    'source_id id row_check',
  ),
  'sync.unseen': columns('integration_id run_id resource source_id'),
  'sync.decisions': columns(
    'integration_id content resource source_id decision reason detail valid_from_run',
    'unique_id valid_to_run',
  ),
  'sync.desired_items': columns('integration_id content unique_id fields valid_from_run', 'valid_to_run'),
  'sync.platform_items': columns('integration_id content unique_id fields run_id preexisting'),
  'sync.changes': columns(
    'integration_id run_id seq content unique_id action reason change_hash inferred phase freed state alone',
    'before after together batch result code retryable',
  ),
  'sync.batches': columns(
    'integration_id run_id batch phase first_seq last_seq reach idempotency_key sha256 state sent_at',
    'answered_at',
  ),
  'sync.passwords': columns('integration_id unique_id sealed'),
  'sync.rate_budgets': columns(
    'host changed_at',
    'credit_limit credits_left window_ms resets_at closed_until',
  ),
  'sync.forgotten': columns(
    'integration_id source source_place source_event_id token id_mac forgotten_in key_check forgotten_at forgotten_by',
    'sealed_id',
  ),
  'sync.forgotten_addresses': columns(
    'integration_id source source_place source_event_id address_mac forgotten_in key_check',
  ),
  'sync.suppressed': columns(
    'integration_id source source_place source_event_id content unique_id suppressed_at suppressed_by',
    'reason',
  ),
  'sync.suppression_files': columns('integration_id revision'),
  'sync.purges': columns(
    'integration_id purged_at purged_by older_than_days before_run rows packs',
    'told_by_run finished_at',
  ),
  'sync.former_ids': columns(
    'integration_id place former_id renamed_at renamed_by is_folder_due',
    'last_run told_by_run',
  ),
  'sync.moves': columns('move_id part started_at', 'moved_at'),
  'sync.moved_tables': columns('move_id table_name row_count checksum copied_at'),
  'sync.superseded_manifests': columns(
    'integration_id run_id place sha256 manifest details superseded_at',
    'signature',
  ),
}

// The next lines do not compile if a table or column is missing in the list above or in the TypeScript types.
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never
const isDeclared: Same<typeof DECLARED, Declared> = true

/**
 * The column `doc` is `not null`, but its TypeScript type includes null, because the document can be the JSON
 * value null.
 */
const ANY_VALUE = 'doc'

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)

  test('the TypeScript types declare the tables that the migrations create, with the same columns and the same nullability', async () => {
    const { rows } = await sql<{ table: string; column: string; is_nullable: 'YES' | 'NO' }>`
      select table_schema || '.' || table_name as table, column_name as column, is_nullable
      from information_schema.columns
      join information_schema.tables using (table_schema, table_name)
      where (table_schema in ('staging', 'sync') or table_name in ('resources', 'sources')) and table_type = 'BASE TABLE'`.execute(
      database().kysely,
    )
    const found: Record<string, Record<string, string>> = {}
    for (const { table, column, is_nullable } of rows) {
      const columns = found[table] ?? {}
      found[table] = columns
      columns[column] = is_nullable === 'YES' || column === ANY_VALUE ? 'null' : 'value'
    }
    expect(isDeclared && found).toEqual({ ...DECLARED, ...STAGING })
  })

  test('the database has the reasons for stated removals and the needed resources of each source, as this test lists them', async () => {
    const { kysely } = database()
    const stated = await kysely.selectFrom('migration.sources').orderBy('source').selectAll().execute()
    expect(stated.map(({ source, stated_reasons }) => [source, [...stated_reasons].sort()])).toEqual([
      ['a', ['not_published', 'one_to_one_meeting']],
      ['b', ['cancelled', 'not_a_speaker']],
    ])
    const resources = await kysely.selectFrom('migration.resources').selectAll().execute()
    const needed = resources.map(({ source, resource, needed_for, contents }) => [
      `${source} ${resource}`,
      needed_for.map((content) => (contents.includes(content) ? `${content} itself` : content)).sort(),
    ])
    expect(Object.fromEntries(needed)).toEqual({
      'a sessions': ['agenda itself', 'speakers'],
      'a time_slots': ['agenda'],
      'a rooms': ['agenda'],
      'a tracks': ['agenda'],
      'a session_types': ['agenda', 'speakers'],
      'a users': ['attendees itself', 'speakers itself'],
      'b sessions': ['agenda itself'],
      'b registrants': ['attendees itself', 'speakers itself'],
      'b reg_types': ['speakers'],
    })
  })

  test('the table of actions and its view name exactly the actions of the type `OperatorAction`', async () => {
    const { rows } = await sql<{ rule: string; view: string }>`
      select pg_get_constraintdef(oid) as rule, col_description('published.actions'::regclass, 3) as view
      from pg_constraint
      where conrelid = 'sync.actions'::regclass and contype = 'c'`.execute(database().kysely)
    expect(rows).toHaveLength(1)
    const named = [...(rows[0]?.rule ?? '').matchAll(/'(\w+)'::text/g)].map(([, action]) => action)
    expect(named).toEqual(ACTIONS)
    expect(rows[0]?.view.replace(/^.* One of: |\.$/g, '').split(', ')).toEqual(ACTIONS)
  })

  test('every schema, table, view, column and function has a meaningful comment', async () => {
    const { schemas } = await readDictionary(database().kysely)
    const relations = schemas.flatMap((schema) => schema.relations)
    const columns = relations.flatMap((relation) => relation.columns)
    const functions = schemas.flatMap((schema) => schema.functions)
    for (const described of [schemas, relations, columns, functions]) {
      expect(described.length).toBeGreaterThan(4)
      expect(described.filter(({ meaning }) => meaning.trim().length < 3)).toEqual([])
    }
  })

  test('every key and index begins with integration_id, so that tables can be distributed by this column, and there are no foreign keys', async () => {
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
      // The index `sync.integrations_platform_event` must be unique across integrations. In a distributed
      // database the table `sync.integrations` is therefore a reference table.
      { index: 'sync.integrations_platform_event', is_unique: true, first: 'platform' },
      // A move copies the whole database, so the rows about moves belong to no integration.
      { index: 'sync.moved_tables_pkey', is_unique: true, first: 'move_id' },
      { index: 'sync.moves_pkey', is_unique: true, first: 'move_id' },
      // The table `sync.rate_budgets` belongs to no integration. In a distributed database
      // `sync.rate_budgets` is a local table on the coordinator.
      { index: 'sync.rate_budgets_pkey', is_unique: true, first: 'host' },
      // The index `sync.runs_by_id` is not a key; it finds a run by its id alone.
      { index: 'sync.runs_by_id', is_unique: false, first: 'run_id' },
    ])
    const { rows: references } = await sql`select conname from pg_constraint where contype = 'f'`.execute(
      database().kysely,
    )
    expect(references).toEqual([])
  })

  test('ids and contents are sorted by their bytes, whatever locale the database has [R70]', async () => {
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

  test("a source of one's own cannot declare a column that PostgreSQL or the product would refuse", async () => {
    expect([...STAGED_COLUMNS].sort()).toEqual([...Object.keys(STAGED), 'custom'].sort())
    const { rows } = await sql<{ name: string }>`
      select word as name from pg_get_keywords() where catcode in ('R', 'T')
      union select attname from pg_attribute where attnum < 0
      union select column_name from information_schema.columns
        where table_schema = 'staging' and column_name in (${sql.join([...STAGED_COLUMNS])})`.execute(
      database().kysely,
    )
    expect(rows.length).toBeGreaterThan(100)
    const names = [...rows.map(({ name }) => name), 'Place', 'is open', '1st', 'ä', '', 'a'.repeat(41)]
    for (const name of names) expect(mistakesInColumns([name]), name).toHaveLength(1)
    expect(mistakesInColumns(['left_at', 'place', 'value', 'order_no', 'a'.repeat(40)])).toEqual([])
  })
})
