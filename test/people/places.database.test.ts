import { describe, expect, test } from 'vitest'
import { readDictionary } from '../../sql/dictionary.ts'
import { engines } from '../support/engines.ts'
import { useDatabase } from '../support/use-database.ts'
import { columnsOf, places, readColumns } from './places.ts'

/**
 * The columns that contain the integration, the run, the resource and the content of a row. These columns
 * have the same meaning in every table.
 */
const OF_ROW = ['integration_id', 'run_id', 'valid_from_run', 'valid_to_run', 'resource', 'content']

/**
 * Columns without personal data, by table. A reviewer has checked each column. A text such as a title may
 * mention a person, but `forget` cannot find this mention by an id.
 */
const NOTHING_PERSONAL: Readonly<Record<string, string>> = {
  'migration.applied': 'name sha256 applied_at',
  'migration.resources': 'table_name source contents needed_for',
  'migration.sources': 'source stated_reasons',
  'staging.a_sessions':
    'source_id marks title description enabled visible_to_anonymous_users status time_slot_id room_id track_id session_type_id link_urls',
  'staging.a_time_slots': 'source_id marks start_time start_time_status end_time end_time_status',
  'staging.a_rooms': 'source_id marks name location',
  'staging.a_tracks': 'source_id marks title',
  'staging.a_session_types': 'source_id marks title title_folded',
  'staging.b_sessions':
    'source_id marks name description start_time start_time_status end_time end_time_status time_zone',
  'staging.b_reg_types': 'source_id marks name name_folded',
  'sync.integrations':
    'source source_url source_place source_event_id platform platform_url platform_event_id time_zone base fence platform_fence platform_base contents_read_back owns_platform_event transform_basis last_pack_run',
  'sync.runs':
    'figures_of answers_of settled_base command rollback_to status started_at planned_at applied_at finished_at product_version approved_at config_hash contents base fence plan_hash certified held counts error manifest_sha256 personal_data excel event_name silenced_hints time_zone custom previous_manifest_sha256 gap suppressions reissue_due has_plan_page purged_at pack_purged_at database_bytes next_due_at max_quarantined',
  'sync.configurations': 'config_hash configuration bound',
  'sync.certificates':
    'certified requests attempts bytes elements distinct_ids declared end_proof detail confirmed first_answer_at last_answer_at checksum forgotten since staged_seen staged_unseen staged_checksum missed brought',
  'sync.requests': 'page url status bytes sha256 elements answered_at source_at',
  'sync.readings': 'shape elements faults checksum requests attempts end_proof declared saved_at forgotten',
  'sync.marks': 'full_at full_certified set_aside undated shape asked_keys mark took_minutes read_by_changes',
  'sync.misses': 'count fields confirmed_in confirmed_at',
  'sync.unstaged': 'ordinal reason path detail',
  'sync.reconciliation': 'place measure count expected',
  'sync.notices': 'receiver notice_id told_end told_state body made_at sent_at',
  'sync.actions': 'action_id action made_at until detail',
  'sync.decisions': 'decision reason detail',
  'sync.changes': 'seq action reason inferred phase together freed state batch alone result retryable',
  'sync.platform_items': 'preexisting',
  'sync.batches': 'batch phase first_seq last_seq reach idempotency_key sha256 state sent_at answered_at',
  'sync.rate_budgets': 'host credit_limit credits_left window_ms resets_at closed_until changed_at',
  'sync.forgotten': 'source source_place source_event_id token id_mac forgotten_in key_check forgotten_at',
  'sync.forgotten_addresses': 'source source_place source_event_id address_mac forgotten_in key_check',
  'sync.suppressed': 'source source_place source_event_id suppressed_at',
  'sync.suppression_files': 'revision',
  'sync.purges': 'purged_at older_than_days before_run rows packs told_by_run finished_at',
  'sync.former_ids': 'place former_id renamed_at last_run told_by_run is_folder_due',
  'sync.moves': 'move_id part started_at moved_at',
  'sync.moved_tables': 'move_id table_name row_count checksum copied_at',
  'sync.superseded_manifests': 'place sha256 details signature superseded_at',
}

const TO_DO = 'add each to the entry of its table in loaders/people/personal-data-places.ts'

const plain = Object.entries(NOTHING_PERSONAL).flatMap(([table, columns]) =>
  columns.split(' ').map((column) => `${table}.${column}`),
)
const listed = places.flatMap((place) => columnsOf(place).map((column) => `${place.table}.${column}`))

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)

  test('each column of each table is listed: either as a place of personal data or as not personal', async () => {
    const stored = (await readColumns(database().kysely))
      .filter(({ column }) => !OF_ROW.includes(column))
      .map(({ table, column }) => `${table}.${column}`)
    expect(stored.length).toBeGreaterThan(200)
    const unclear = stored.filter((column) => listed.includes(column) === plain.includes(column))
    expect(unclear, `${TO_DO}, or to NOTHING_PERSONAL of this test`).toEqual([])
    const unknown = [...listed, ...plain].filter((column) => !stored.includes(column))
    expect(unknown, 'no table has it').toEqual([])
  })

  test('every column that the dictionary marks as personal is in the list of places of personal data', async () => {
    const { schemas } = await readDictionary(database().kysely)
    const marked = schemas.flatMap(({ name, relations }) =>
      relations
        .filter(({ kind }) => kind === 'table')
        .flatMap((table) =>
          table.columns.flatMap((column) =>
            column.personal ? [`${name}.${table.name}.${column.name}`] : [],
          ),
        ),
    )
    expect(marked.length).toBeGreaterThan(30)
    const unlisted = marked.filter((column) => !listed.includes(column))
    expect(unlisted, TO_DO).toEqual([])
  })

  test('each table with rows of runs has an entry that says what purge does with these rows, and its columns exist', async () => {
    const stored = await readColumns(database().kysely)
    const runs = stored.filter(({ column }) => column === 'run_id' || column === 'valid_to_run')
    // The table `sync.platform_items` is excluded, because its rows do not belong to a run. Its column
    // `run_id` names only the last run that sent the item.
    const ofRuns = runs.filter(({ table }) => table !== 'sync.platform_items')
    const named = places.filter(({ run }) => run !== undefined)
    expect(named.map(({ table, run }) => `${table}.${run}`).toSorted(), TO_DO).toEqual(
      ofRuns.map(({ table, column }) => `${table}.${column}`).toSorted(),
    )
    for (const { table, key, names, among } of places) {
      const columns = stored.filter((one) => one.table === table).map(({ column }) => column)
      const found = ['integration_id', key, names, among].filter((column) => column !== undefined)
      expect([table, found.filter((column) => !columns.includes(column))]).toEqual([table, []])
    }
    expect(new Set(places.map(({ table }) => table)).size).toBe(places.length)
  })
})
