import type { Expression } from 'kysely'
import { countRows, notExists, ofRun } from '../../sql/conditions.ts'
import { insertFrom } from '../../sql/insert-from.ts'
import type { Db, RunKey } from '../../sql/tables.ts'
import { asAny, type StagingTables } from '../../transforms/declare/resource.ts'
import { closeVersions, insertVersions } from '../../transforms/history/versions.ts'
import { seenOf } from '../../transforms/reconciliation/counts.ts'
import { holdsTotals, type IncomingName, type IncomingTotals } from './incoming.ts'
import { countAhead, type MarkedReading, recordMark } from './marks.ts'

export interface Merge extends RunKey {
  readonly resource: string
  readonly table: keyof StagingTables
  readonly columns: readonly string[]
  readonly incoming: IncomingName
  readonly totals: IncomingTotals
  /**
   * True if the source proved the end of the resource. A record that was not seen is treated as gone only if
   * the end of the resource was proved.
   */
  readonly certified: boolean
  /** Tokens of forgotten people, whose records are treated as gone even if the source still has them. */
  readonly forgotten?: readonly string[]
  /**
   * The mark and the requested keys, for a resource that can be read by changes; left out for other
   * resources.
   */
  readonly mark?: Pick<MarkedReading, 'since' | 'latest' | 'shape' | 'askedKeys'> | undefined
}

/** The result of merging a resource into staging. */
export type Merged = Awaited<ReturnType<typeof mergeResource>>

/**
 * Thrown if the incoming table lacks records that this run has read, for example after a crash of the server.
 * The lost records must be read again.
 */
export class IncomingLostError extends Error {
  override readonly name = 'IncomingLostError'

  constructor({ resource, totals }: Pick<Merge, 'resource' | 'totals'>) {
    super(
      `${resource}: ${totals.elements} records were read, but the database does not hold all of them; \`event-sync run --fresh-read\` reads them again`,
    )
  }
}

/**
 * Merges the records that were read into staging, where every version of a record is kept. The merge closes
 * versions that are no longer current, inserts new versions, and writes nothing for unchanged records.
 * Repeated and unreadable records do not get into staging.
 *
 * @throws IncomingLostError
 */
export async function mergeResource(transaction: Db, merge: Merge) {
  if (!(await holdsTotals(transaction, merge.incoming, merge, merge.totals)))
    throw new IncomingLostError(merge)
  await rejectRecords(transaction, merge)
  const distinct = await countRows(transaction.selectFrom(merge.incoming))
  const { totals } = merge
  const isWhole = isWholeReading(merge)
  const isOfChanges = merge.mark !== undefined && merge.mark.since !== null
  const marksUnseen = !isOfChanges && (!isWhole || totals.faults > 0)
  const unseen = marksUnseen ? await recordUnseen(transaction, merge) : 0
  const { closed, gone } = await closeStaged(transaction, merge)
  const inserted = await insertStaged(transaction, merge)
  const seen = isOfChanges
    ? await seenOf(transaction, merge.integrationId, merge.table, merge.incoming)
    : null
  let ahead = 0
  if (merge.mark !== undefined) {
    const rejected = totals.elements - totals.forgotten - distinct
    ahead = await countAhead(transaction, { ...merge, ...merge.mark })
    await recordMark(transaction, { ...merge, ...merge.mark, rejected })
  }
  await transaction.schema.dropTable(merge.incoming).execute()
  return {
    /** Number of different ids among the records that were read. */
    distinct,
    /**
     * Number of different records, without those that a reading by changes only read again: it reads the last
     * part of what earlier readings read once more.
     */
    newlyRead: isOfChanges ? Number(inserted) : distinct,
    /** Number of versions that the merge closed or inserted. */
    written: BigInt(closed) + inserted,
    /**
     * True if records are gone from the source, or if staging had no records before the merge. If records are
     * gone or staging was empty, the plan depends on the fact that records are missing in the read.
     */
    lacks: !isOfChanges && (gone > 0 || (closed === 0 && inserted > 0n && inserted === BigInt(distinct))),
    gone,
    /** Number of records whose time of change is too far in the future to be a mark. */
    ahead,
    /** Number of current records that a reading by changes saw; null after a full reading. */
    seen,
    /**
     * Number of records that were not seen but stay current. Each unseen record may be one of the `suspects`,
     * which are unreadable records without an id.
     */
    heldBack: isWhole ? unseen : 0,
    suspects:
      isWhole && unseen > 0
        ? await countFaults(transaction, merge, firstLastSeen(transaction, merge).$asScalar(), true)
        : 0,
    /** Number of unreadable records that did not occur in the last complete read of the resource. */
    newFaults:
      totals.faults > 0
        ? await countFaults(transaction, merge, lastProved(transaction, merge).$asScalar())
        : 0,
  }
}

function isWholeReading({ certified, mark }: Merge): boolean {
  return certified && (mark === undefined || mark.since === null)
}

/**
 * Moves unreadable and repeated records from the incoming table to `sync.unstaged`. If several records have
 * the same id, the merge stages the last of them.
 */
async function rejectRecords(transaction: Db, merge: Merge): Promise<void> {
  const { incoming, integrationId, runId, resource } = merge
  // The table of users has a column `id` besides `source_id`. If the version of a record is known, the
  // incoming row has no values, and only staging has the value of `id`.
  const ownId = 'id' as 'source_id'
  const stagedId = transaction
    .selectFrom(`${asAny(merge.table)} as version`)
    .where(({ and }) => and({ 'version.integration_id': integrationId, 'version.valid_to_run': null }))
    .whereRef('version.source_id', '=', 'record.source_id' as 'version.source_id')
    .whereRef('version.version_hash', '=', 'record.version_hash' as 'version.version_hash')
    .select(`version.${ownId}`)
  const rejected = transaction
    .selectFrom(`${incoming} as record`)
    .leftJoin(
      (inner) =>
        inner
          .selectFrom(`${incoming} as repeated`)
          .where('repeated.source_id', 'is not', null)
          .groupBy('repeated.source_id')
          .having((having) => having(having.fn.countAll(), '>', 1))
          .select((select) => ['repeated.source_id', select.fn.max('repeated.ordinal').as('last')])
          .as('repeated'),
      (join) => join.onRef('repeated.source_id', '=', 'record.source_id'),
    )
    .where((where) =>
      where.or([
        where('record.fault', 'is not', null),
        where('record.ordinal', '<', where.ref('repeated.last')),
      ]),
    )
    .select((select) => [
      select.val(integrationId).as('integration_id'),
      select.cast<string>(select.val(runId), 'uuid').as('run_id'),
      select.val(resource).as('resource'),
      'record.ordinal',
      'record.source_id',
      (merge.columns.includes('id')
        ? select.fn.coalesce(`record.${ownId}`, stagedId)
        : select.ref('record.source_id')
      ).as('id'),
      select
        .case()
        .when('record.fault', 'is', null)
        .then('duplicate_id' as const)
        .else('invalid_record' as const)
        .end()
        .as('reason'),
      select.fn.coalesce('record.fault_path', select.val('')).as('path'),
      select.fn.coalesce('record.fault', select.val('')).as('detail'),
      'record.row_check',
    ])
  await insertFrom(transaction, 'sync.unstaged', rejected).execute()
  await transaction
    .deleteFrom(incoming)
    .where('ordinal', 'in', (eb) =>
      eb
        .selectFrom('sync.unstaged as rejected')
        .select('rejected.ordinal')
        .$call(ofRun({ integrationId, runId }))
        .where('rejected.resource', '=', resource),
    )
    .execute()
}

/**
 * Stores which records were not seen but stay current, so that the plan does not count them as read. After a
 * read without a proved end, all records that were not seen are stored. After a read with a proved end, only
 * two kinds are stored: unreadable records with an id, and records that may be one of the unreadable records
 * without an id.
 */
async function recordUnseen(transaction: Db, merge: Merge): Promise<number> {
  const { incoming, integrationId, runId, resource, certified, forgotten = [] } = merge
  const unseen = transaction
    .selectFrom(`${asAny(merge.table)} as staged`)
    .where(({ and }) => and({ 'staged.integration_id': integrationId, 'staged.valid_to_run': null }))
    .$if(forgotten.length > 0, (query) => query.where('staged.source_id', 'not in', [...forgotten]))
    .where(({ selectFrom }) =>
      notExists(
        selectFrom(`${incoming} as record`)
          .select('record.ordinal')
          .whereRef('record.source_id', '=', 'staged.source_id'),
      ),
    )
    .$if(certified, (query) =>
      query.where(({ eb, exists, or }) =>
        or([
          eb('staged.source_id', 'in', namedFaults(transaction, merge)),
          exists(
            newFaults(transaction, merge, lastSeen(transaction, merge, 'staged.source_id').$asScalar(), true),
          ),
        ]),
      ),
    )
    .select((select) => [
      select.val(integrationId).as('integration_id'),
      select.cast<string>(select.val(runId), 'uuid').as('run_id'),
      select.val(resource).as('resource'),
      'staged.source_id',
    ])
  await insertFrom(transaction, 'sync.unseen', unseen).execute()
  return countRows(missed(transaction, merge))
}

/** Selects the records that are stored as not seen, except records that were read but are unreadable. */
function missed(db: Db, merge: Merge) {
  return db
    .selectFrom('sync.unseen as missed')
    .$call(ofRun(merge))
    .where('missed.resource', '=', merge.resource)
    .where('missed.source_id', 'not in', namedFaults(db, merge))
}

/** Selects the last run that read the whole resource up to a proved end. */
function lastProved(db: Db, { integrationId, runId, resource }: Merge) {
  return db
    .selectFrom('sync.certificates as certificate')
    .where('certificate.integration_id', '=', integrationId)
    .where('certificate.run_id', '<', runId)
    .where('certificate.resource', '=', resource)
    .where('certificate.certified', '=', true)
    .where('certificate.since', 'is', null)
    .orderBy('certificate.run_id', 'desc')
    .limit(1)
    .select('certificate.run_id')
}

/**
 * Selects the last run that read the whole resource up to a proved end and saw a given record. The record's
 * id comes from the outer query.
 */
function lastSeen(db: Db, merge: Merge, sourceId: 'staged.source_id' | 'missed.source_id') {
  return lastProved(db, merge)
    .where(({ exists, or, ref, selectFrom }) =>
      exists(
        selectFrom(`${asAny(merge.table)} as version`)
          .where('version.integration_id', '=', merge.integrationId)
          .whereRef('version.source_id', '=', sourceId as 'version.source_id')
          .whereRef('version.valid_from_run', '<=', ref('certificate.run_id'))
          .where((eb) =>
            or([
              eb('version.valid_to_run', 'is', null),
              eb('version.valid_to_run', '>', ref('certificate.run_id')),
            ]),
          )
          .select('version.source_id'),
      ),
    )
    .where(({ selectFrom }) =>
      notExists(
        selectFrom('sync.unseen as unseen')
          .where('unseen.integration_id', '=', merge.integrationId)
          .whereRef('unseen.run_id', '=', 'certificate.run_id')
          .where('unseen.resource', '=', merge.resource)
          .whereRef('unseen.source_id', '=', sourceId as 'unseen.source_id')
          .select('unseen.source_id'),
      ),
    )
}

/** For each missing record, finds the last run that saw it, and selects the earliest of these runs. */
function firstLastSeen(db: Db, merge: Merge) {
  return missed(db, merge)
    .select(() => lastSeen(db, merge, 'missed.source_id').as('run_id'))
    .orderBy('run_id', (order) => order.asc().nullsFirst())
    .limit(1)
}

/** Selects the ids of this run's unreadable records. Records whose id is unreadable too are left out. */
function namedFaults(db: Db, { integrationId, runId, resource }: Merge) {
  const are = { integration_id: integrationId, run_id: runId, resource, reason: 'invalid_record' } as const
  return db
    .selectFrom('sync.unstaged as fault')
    .where(({ and }) => and(are))
    .where('fault.source_id', 'is not', null)
    .select('fault.source_id')
    .$castTo<{ source_id: string }>()
}

/**
 * Selects unreadable records that occur more often than in an earlier run. Records with equal JSON are one
 * group.
 *
 * @param before the earlier run; null selects all unreadable records
 * @param isNameless true selects only records without an id; each of them may be any record of the source
 */
function newFaults(
  db: Db,
  { integrationId, runId, resource }: Pick<Merge, 'integrationId' | 'runId' | 'resource'>,
  before: Expression<string | null>,
  isNameless = false,
) {
  const are = { integration_id: integrationId, resource, reason: 'invalid_record' } as const
  return db
    .selectFrom('sync.unstaged as fault')
    .where(({ and }) => and({ ...are, run_id: runId }))
    .$if(isNameless, (query) => query.where('fault.source_id', 'is', null))
    .groupBy('fault.row_check')
    .having((eb) =>
      eb(
        eb.fn.countAll(),
        '>',
        eb
          .selectFrom('sync.unstaged as earlier')
          .where(({ and }) => and(are))
          .where('earlier.run_id', '=', before)
          .whereRef('earlier.row_check', '=', 'fault.row_check')
          .select(({ fn }) => fn.countAll().as('count')),
      ),
    )
    .select(({ fn }) => fn.countAll<string>().as('count'))
}

async function countFaults(
  db: Db,
  merge: Merge,
  before: Expression<string | null>,
  isNameless = false,
): Promise<number> {
  const { count } = await db
    .selectFrom(newFaults(db, merge, before, isNameless).as('fault'))
    .select(({ fn, lit }) => fn.coalesce(fn.sum<string>('count'), lit(0)).as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/**
 * Closes versions that are no longer current. @returns the number of closed versions, and the number of
 * records among them that are gone
 */
async function closeStaged(
  transaction: Db,
  merge: Merge,
): Promise<{ readonly closed: number; readonly gone: number }> {
  const { incoming, integrationId, runId, resource, forgotten = [] } = merge
  const isWhole = isWholeReading(merge)
  const found = await transaction
    .with('closed', () =>
      closeVersions(transaction, merge)
        .where(({ and, eb, exists, not, or, selectFrom }) => {
          const seen = selectFrom(`${incoming} as record`)
            .select('record.ordinal')
            .whereRef('record.source_id', '=', 'version.source_id')
          const noted = selectFrom('sync.unseen as unseen')
            .select('unseen.source_id')
            .$call(ofRun({ integrationId, runId }))
            .where('unseen.resource', '=', resource)
            .whereRef('unseen.source_id', '=', 'version.source_id')
          const isOver = isWhole
            ? and([
                not(exists(seen.whereRef('record.version_hash', '=', 'version.version_hash'))),
                not(exists(noted)),
              ])
            : exists(seen.whereRef('record.version_hash', '<>', 'version.version_hash'))
          return forgotten.length === 0 ? isOver : or([isOver, eb('version.source_id', 'in', [...forgotten])])
        })
        .returning('version.source_id'),
    )
    .selectFrom('closed')
    .leftJoin(`${incoming} as record`, 'record.source_id', 'closed.source_id')
    .select(({ fn }) => [
      fn.countAll<string>().as('closed'),
      fn.countAll<string>().filterWhere('record.source_id', 'is', null).as('gone'),
    ])
    .executeTakeFirstOrThrow()
  return { closed: Number(found.closed), gone: Number(found.gone) }
}

/**
 * Closes every current version in the tables of sources that the integration no longer reads. If the versions
 * were not closed, records of a former source would stay current forever.
 */
export async function closeFormerSources(
  transaction: Db,
  run: RunKey,
  tables: readonly (keyof StagingTables)[],
): Promise<bigint> {
  let closed = 0n
  for (const table of tables) {
    const { numUpdatedRows } = await closeVersions(transaction, { ...run, table }).executeTakeFirstOrThrow()
    closed += numUpdatedRows
  }
  return closed
}

function insertStaged(transaction: Db, merge: Merge): Promise<bigint> {
  const columns = ['source_id', ...merge.columns, 'marks', 'version_hash'] as 'source_id'[]
  const records = transaction
    .selectFrom(merge.incoming)
    .select(columns)
    .select((eb) => eb.cast<string>('doc', 'jsonb').as('doc'))
  return insertVersions(transaction, { ...merge, key: ['source_id'] }, records)
}
