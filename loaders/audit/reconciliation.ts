import type { Kysely } from 'kysely'
import type { RunKey, Tables } from '../../sql/tables.ts'
import type { Figure } from '../../transforms/reconciliation/figure.ts'
import type { CsvCell } from './csv.ts'

/** Columns of `reconciliation.csv`. Source: design 9 (contract). */
export const RECONCILIATION_COLUMNS = ['content', 'resource', 'measure', 'count', 'expected', 'pass']

/** Keeps the figures of a run: what the platform says it has cannot be asked again later. */
export async function storeFigures(
  db: Kysely<Tables>,
  { integrationId, runId }: RunKey,
  figures: readonly Figure[],
): Promise<void> {
  if (figures.length === 0) return
  await db
    .insertInto('sync.reconciliation')
    .values(
      figures.map((figure, at) => ({
        integration_id: integrationId,
        run_id: runId,
        place: at + 1,
        ...figure,
      })),
    )
    .execute()
}

/** The figures of a run as they were stored; none where it was not reconciled yet. */
export async function findFigures(
  db: Kysely<Tables>,
  { integrationId, runId }: RunKey,
): Promise<readonly Figure[]> {
  const rows = await db
    .selectFrom('sync.reconciliation')
    .where('integration_id', '=', integrationId)
    .where('run_id', '=', runId)
    .orderBy('place')
    .select(['content', 'resource', 'measure', 'count', 'expected'])
    .execute()
  return rows.map(({ count, expected, ...row }) => ({
    ...row,
    count: BigInt(count),
    expected: expected === null ? null : BigInt(expected),
  }))
}

/** Rows of `reconciliation.csv`; `pass` is empty where nothing is claimed. */
export async function* reconciliationRows(
  db: Kysely<Tables>,
  run: RunKey,
): AsyncGenerator<readonly (readonly CsvCell[])[]> {
  const figures = await findFigures(db, run)
  yield figures.map(({ content, resource, measure, count, expected }) => [
    content === '' ? null : content,
    resource === '' ? null : resource,
    measure,
    count,
    expected,
    expected === null ? null : String(count === expected),
  ])
}
