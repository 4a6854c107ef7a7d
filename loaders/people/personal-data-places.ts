import { tablesOf } from '../../transforms/decide/lineage.ts'
import type { AnyTransform } from '../../transforms/declare/source.ts'
import { redacted } from './erase-items.ts'
import { listsOfPeople, withoutMentions } from './erase-records.ts'
import { deleted, HASH, halfReadDeleted, rewritten, suppressedDeleted, TOKEN } from './erase-rows.ts'
import type { Place } from './erasure.ts'

const DECISIONS = 'history of decisions and items'
const PLANS = 'plans and outcomes'
const SET_ASIDE = 'records set aside'
const PROOFS = 'proofs of reads'

const RECORD = { key: 'source_id', among: 'resource' } as const
const ITEM = { key: 'unique_id', among: 'content' } as const
const VERSIONS = { run: 'valid_to_run' } as const
const OF_RUN = { run: 'run_id' } as const

const OPERATORS = 'it names people who run the product, not people of the event'
const REASONS = 'it has names and reasons of people who run the product; a reason must name nobody'
const NO_VALUES = { why: 'it has no value of a person', columns: [] }
const CURRENT = { why: 'it has current data, not data of old runs' }
const LEDGER = { why: 'the list of runs and their results is never deleted' }

/**
 * Settings with which `purge` treats every staged table. `purge` finds the staged tables in the database, so
 * the purge also includes tables of former sources.
 */
export const STAGED = { ...VERSIONS, purge: 'history of records' } as const

/**
 * Every table with data of people or of runs, except the tables of schema `staging` (see `stagedPlaces`).
 * `forget` and `purge` touch only tables in this list, so every new table or column must be added here.
 * `purge` deletes the classes of data in the order of this list.
 */
export const PLACES: readonly Place[] = [
  {
    table: 'sync.decisions',
    ...{ ...ITEM, key: 'source_id', ...VERSIONS, isInPacks: true },
    forget: [rewritten({ source_id: TOKEN, unique_id: TOKEN })],
    purge: DECISIONS,
  },
  {
    table: 'sync.desired_items',
    ...{ ...ITEM, ...VERSIONS, isInPacks: true },
    forget: [redacted({ rowKey: ['valid_from_run', 'content', 'unique_id'], fields: ['fields'] })],
    purge: DECISIONS,
  },
  {
    table: 'sync.platform_items',
    ...ITEM,
    forget: [redacted({ rowKey: ['content', 'unique_id'], fields: ['fields'] })],
    purge: CURRENT,
  },
  {
    table: 'sync.changes',
    ...{ ...ITEM, ...OF_RUN, isInPacks: true },
    forget: [
      rewritten({ code: null }),
      redacted({ rowKey: ['run_id', 'seq'], fields: ['before', 'after'], hash: 'change_hash' }),
    ],
    purge: PLANS,
  },
  { table: 'sync.batches', ...OF_RUN, forget: NO_VALUES, purge: PLANS },
  { table: 'sync.reconciliation', ...OF_RUN, sharedBy: 'figures_of', forget: NO_VALUES, purge: PLANS },
  {
    table: 'sync.unstaged',
    ...{ ...RECORD, ...OF_RUN, isInPacks: true },
    forget: [rewritten({ source_id: TOKEN, id: TOKEN, row_check: null })],
    purge: SET_ASIDE,
  },
  { table: 'sync.unseen', ...RECORD, ...OF_RUN, forget: [rewritten({ source_id: TOKEN })], purge: SET_ASIDE },
  { table: 'sync.certificates', ...OF_RUN, forget: NO_VALUES, purge: PROOFS },
  { table: 'sync.requests', ...OF_RUN, sharedBy: 'answers_of', forget: NO_VALUES, purge: PROOFS },
  {
    table: 'sync.superseded_manifests',
    ...OF_RUN,
    forget: { why: OPERATORS, columns: ['manifest'] },
    purge: { why: 'later packs refer to it' },
  },
  { table: 'sync.marks', ...RECORD, key: 'mark_id', forget: [rewritten({ mark_id: null })], purge: CURRENT },
  { table: 'sync.passwords', key: 'unique_id', forget: [deleted('unique_id', 'sealed')], purge: CURRENT },
  { table: 'sync.suppressed', ...ITEM, forget: [suppressedDeleted], purge: CURRENT },
  { table: 'sync.readings', ...OF_RUN, forget: [halfReadDeleted], purge: { why: 'the next run deletes it' } },
  {
    table: 'sync.forgotten',
    forget: {
      why: 'the id is encrypted, and is deleted when the platform has removed the person',
      columns: ['sealed_id', 'forgotten_by'],
      isTemporary: true,
    },
    purge: CURRENT,
  },
  { table: 'sync.misses', ...OF_RUN, forget: { why: OPERATORS, columns: ['confirmed_by'] }, purge: CURRENT },
  { table: 'sync.notices', ...OF_RUN, forget: NO_VALUES, purge: LEDGER },
  {
    table: 'sync.actions',
    ...OF_RUN,
    forget: { why: REASONS, columns: ['made_by', 'reason'] },
    purge: LEDGER,
  },
  { table: 'sync.purges', forget: { why: OPERATORS, columns: ['purged_by'] }, purge: LEDGER },
  { table: 'sync.former_ids', forget: { why: OPERATORS, columns: ['renamed_by'] }, purge: LEDGER },
  {
    table: 'sync.runs',
    ...OF_RUN,
    forget: { why: REASONS, columns: ['started_by', 'approved_by', 'pinned'] },
    purge: LEDGER,
  },
]

/** Returns the staged tables of a source, derived from the source's declaration. */
export function stagedPlaces(source: AnyTransform): readonly Place[] {
  const { table: ofPeople, erased } = source.people
  const own = rewritten({ ...erased, source_id: TOKEN, doc: '{}', marks: [], version_hash: HASH })
  return tablesOf(source).map((table) => {
    const mentions = withoutMentions(source, table)
    if (table === ofPeople) return { ...STAGED, table, key: 'source_id', forget: [own, mentions] }
    const [names] = listsOfPeople(source, table)
    return { ...STAGED, table, ...(names === undefined ? {} : { names }), forget: [mentions] }
  })
}

/** Returns the tables with records of a source, which may be a source that the integration read formerly. */
export function placesOfRecords(source: AnyTransform): readonly Place[] {
  return [...stagedPlaces(source), ...PLACES.filter(({ among }) => among === 'resource')]
}

/**
 * Returns the tables whose old row versions must be removed from the database's files when a person is
 * erased.
 */
export function tablesOfPeople(sources: readonly AnyTransform[]): readonly string[] {
  return [...sources.flatMap(stagedPlaces), ...PLACES].flatMap(({ table, forget }) =>
    'why' in forget && forget.isTemporary !== true ? [] : [table],
  )
}
