import { ofRun } from '../../../sql/conditions.ts'
import type { Db, RunKey } from '../../../sql/tables.ts'
import type { Figure } from '../../../transforms/reconciliation/figure.ts'

/** Keeps the figures of a run: what the platform says it has cannot be asked again later. */
export async function storeFigures(db: Db, { integrationId, runId }: RunKey, figures: readonly Figure[]) {
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
export async function findFigures(db: Db, run: RunKey): Promise<readonly Figure[]> {
  const rows = await db
    .selectFrom('sync.reconciliation')
    .$call(ofRun(run))
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
export async function* reconciliationRows(db: Db, run: RunKey) {
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
