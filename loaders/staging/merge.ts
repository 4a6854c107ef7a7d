import type { Kysely } from 'kysely'
import { asAny } from '../../sql/staging-tables.ts'
import { analyzeAfter } from '../../sql/statements.ts'
import type { StagingTables, Tables } from '../../sql/tables.ts'
import { holdsTotals, type IncomingName, type IncomingTotals } from './incoming.ts'

/** One resource that was read in a run and is to be merged. */
export interface Merge {
  readonly integrationId: string
  readonly runId: string
  readonly resource: string
  readonly table: keyof StagingTables
  readonly columns: readonly string[]
  readonly incoming: IncomingName
  readonly totals: IncomingTotals
  /** Whether all of the resource is known to have been seen: only then is a record that was not seen gone. */
  readonly complete: boolean
  /** Ids that stand for people who were forgotten: whatever was read, they are gone. */
  readonly forgotten?: readonly string[]
}

/** What was read is not what stands in the database, as after a crash of the server: it must be read again. */
export class IncomingLostError extends Error {
  override readonly name = 'IncomingLostError'

  constructor({ resource, totals }: Pick<Merge, 'resource' | 'totals'>) {
    super(`${resource}: ${totals.elements} records were read, but the database does not hold all of them`)
  }
}

/** What merging a resource came to. */
export interface Merged {
  /** Distinct ids that were read. */
  readonly distinct: number
  /** Versions that were closed or inserted; none where staging is as it was. */
  readonly written: bigint
}

/**
 * Merges what was read into staging, with history: a version that is current and was not read again is closed,
 * a new one is inserted, an unchanged one costs no write. Repeated and unreadable records are set aside.
 *
 * @throws IncomingLostError
 * Source: design 4, "stage".
 */
export async function mergeResource(transaction: Kysely<Tables>, merge: Merge): Promise<Merged> {
  if (!(await holdsTotals(transaction, merge.incoming, merge.totals))) throw new IncomingLostError(merge)
  await setAside(transaction, merge)
  const distinct = await transaction
    .selectFrom(merge.incoming)
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  if (!merge.complete) await recordUnseen(transaction, merge)
  const closed = await closeVersions(transaction, merge)
  const inserted = await insertVersions(transaction, merge)
  await analyzeAfter(transaction, merge.table, inserted)
  await transaction.schema.dropTable(merge.incoming).execute()
  return { distinct: Number(distinct.count), written: closed + inserted }
}

/** Of two records with one id the later counts; the earlier, and what could not be read, get no row in staging. */
async function setAside(transaction: Kysely<Tables>, merge: Merge): Promise<void> {
  const { incoming, integrationId, runId, resource } = merge
  // Users have an id of their own beside the one by which they are staged.
  const given = (merge.columns.includes('id') ? 'record.id' : 'record.source_id') as 'record.source_id'
  await transaction
    .insertInto('sync.unstaged')
    .columns([
      'integration_id',
      'run_id',
      'resource',
      'ordinal',
      'source_id',
      'id',
      'reason',
      'path',
      'detail',
      'row_check',
    ])
    .expression((eb) =>
      eb
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
          `${given} as id`,
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
        ]),
    )
    .execute()
  await transaction
    .deleteFrom(incoming)
    .where('ordinal', 'in', (eb) =>
      eb
        .selectFrom('sync.unstaged as aside')
        .select('aside.ordinal')
        .where('aside.integration_id', '=', integrationId)
        .where('aside.run_id', '=', runId)
        .where('aside.resource', '=', resource),
    )
    .execute()
}

/** What a read that proves nothing did not see stays current, and is noted: the plan must not take it for read. */
async function recordUnseen(transaction: Kysely<Tables>, merge: Merge): Promise<void> {
  const { incoming, integrationId, runId, resource, forgotten = [] } = merge
  await transaction
    .insertInto('sync.unseen')
    .columns(['integration_id', 'run_id', 'resource', 'source_id'])
    .expression((eb) =>
      eb
        .selectFrom(`${asAny(merge.table)} as staged`)
        .where('staged.integration_id', '=', integrationId)
        .where('staged.valid_to_run', 'is', null)
        .$if(forgotten.length > 0, (query) => query.where('staged.source_id', 'not in', [...forgotten]))
        .where(({ exists, not, selectFrom }) =>
          not(
            exists(
              selectFrom(`${incoming} as record`)
                .select('record.ordinal')
                .whereRef('record.source_id', '=', 'staged.source_id'),
            ),
          ),
        )
        .select((select) => [
          select.val(integrationId).as('integration_id'),
          select.cast<string>(select.val(runId), 'uuid').as('run_id'),
          select.val(resource).as('resource'),
          'staged.source_id',
        ]),
    )
    .execute()
}

async function closeVersions(transaction: Kysely<Tables>, merge: Merge): Promise<bigint> {
  const { incoming, integrationId, runId, complete, forgotten = [] } = merge
  const closed = await transaction
    .updateTable(`${asAny(merge.table)} as staged`)
    .set({ valid_to_run: runId })
    .where('staged.integration_id', '=', integrationId)
    .where('staged.valid_to_run', 'is', null)
    .where(({ eb, exists, not, or, selectFrom }) => {
      const seen = selectFrom(`${incoming} as record`)
        .select('record.ordinal')
        .whereRef('record.source_id', '=', 'staged.source_id')
      const isOver = complete
        ? not(exists(seen.whereRef('record.version_hash', '=', 'staged.version_hash')))
        : exists(seen.whereRef('record.version_hash', '<>', 'staged.version_hash'))
      return forgotten.length === 0 ? isOver : or([isOver, eb('staged.source_id', 'in', [...forgotten])])
    })
    .executeTakeFirstOrThrow()
  return closed.numUpdatedRows
}

async function insertVersions(transaction: Kysely<Tables>, merge: Merge): Promise<bigint> {
  const { incoming, integrationId, runId } = merge
  const columns = ['source_id', ...merge.columns, 'marks', 'doc', 'version_hash'] as 'source_id'[]
  const inserted = await transaction
    .insertInto(asAny(merge.table))
    .columns(['integration_id', ...columns, 'valid_from_run'])
    .expression((eb) =>
      eb
        .selectFrom(`${incoming} as record`)
        .where(({ exists, not, selectFrom }) =>
          not(
            exists(
              selectFrom(`${asAny(merge.table)} as staged`)
                .select('staged.source_id')
                .where('staged.integration_id', '=', integrationId)
                .where('staged.valid_to_run', 'is', null)
                .whereRef('staged.source_id', '=', 'record.source_id'),
            ),
          ),
        )
        .select((select) => [
          select.val(integrationId).as('integration_id'),
          ...columns.map((column) => select.ref(`record.${column}`).as(column)),
          select.cast<string>(select.val(runId), 'uuid').as('valid_from_run'),
        ]),
    )
    .executeTakeFirstOrThrow()
  return inserted.numInsertedOrUpdatedRows ?? 0n
}
