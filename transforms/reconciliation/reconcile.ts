import type { Kysely, Selectable } from 'kysely'
import type { Content, RunKey, StagingTables, Tables } from '../../sql/tables.ts'
import { decidedOf, sentOf } from './decided.ts'
import { type Figure, PLATFORM_MEASURE } from './figure.ts'
import { itemsOf, liveAtPlatform } from './items.ts'
import { asideOf, type Records, stagedOf } from './records.ts'

/** What a run is reconciled over. */
export interface Reconciled extends RunKey {
  /** Staging table of each resource that was read. */
  readonly tableOf: ReadonlyMap<string, keyof StagingTables>
  /** Resource of the records of each content that was synced. */
  readonly resourceOf: ReadonlyMap<Content, string>
  /** Items that the platform says it has, by content; none where it does not say. */
  readonly platformCounts: ReadonlyMap<Content, number>
}

/**
 * Counts what a run read, staged, decided and applied, each sum by a way of its own.
 *
 * A control total sums hashes over the records or items themselves: a record lost and another one doubled leave the
 * counts as they are, but not that.
 *
 * Source: design 9 (contract), `reconciliation.csv`.
 */
export async function reconcile(db: Kysely<Tables>, run: Reconciled): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  const records = new Map<string, Records>()
  const read = await db
    .selectFrom('sync.certificates')
    .where('integration_id', '=', run.integrationId)
    .where('run_id', '=', run.runId)
    .orderBy('resource')
    .select(['resource', 'elements', 'checksum', 'distinct_ids', 'forgotten'])
    .execute()
  for (const { resource, ...certificate } of read) {
    const table = run.tableOf.get(resource)
    if (table === undefined) throw new Error(`no staging table for ${resource}`)
    const found = { ...(await stagedOf(db, run, resource, table)), ...(await asideOf(db, run, resource)) }
    records.set(resource, found)
    figures.push(...ofResource(resource, certificate, found))
  }
  for (const [content, resource] of [...run.resourceOf].sort()) {
    const found = records.get(resource)
    if (found === undefined) throw new Error(`${resource} was not read, but ${content} is made of it`)
    figures.push(...(await ofContent(db, run, content, found)))
  }
  return figures
}

/** read = staged + repeated + quarantined + forgotten, in number and, but for those forgotten, by control total. */
function ofResource(
  resource: string,
  certificate: Pick<
    Selectable<Tables['sync.certificates']>,
    'elements' | 'checksum' | 'distinct_ids' | 'forgotten'
  >,
  records: Records,
): readonly Figure[] {
  const { staged, unseen, repeated, quarantined, stagedCheck, asideCheck } = records
  const figure = (measure: string, count: bigint, expected: bigint | null = null): Figure => {
    return { content: '', resource, measure, count, expected }
  }
  const forgotten = BigInt(certificate.forgotten)
  return [
    figure('read', BigInt(certificate.elements), staged + repeated + quarantined + forgotten),
    figure('staged', staged, certificate.distinct_ids === null ? null : BigInt(certificate.distinct_ids)),
    figure('repeated', repeated),
    figure('quarantined', quarantined),
    figure('unseen', unseen),
    ...(forgotten === 0n ? [] : [figure('forgotten', forgotten)]),
    asideCheck === null
      ? figure('control_total', stagedCheck)
      : figure('control_total', stagedCheck + asideCheck, BigInt(certificate.checksum)),
  ]
}

/** records = synced + excluded + quarantined; synced = what became of the items; and what the platform has then. */
async function ofContent(
  db: Kysely<Tables>,
  run: Reconciled,
  content: Content,
  { staged, unseen, repeated, quarantined }: Records,
): Promise<readonly Figure[]> {
  const resource = run.resourceOf.get(content) ?? ''
  const figure = (measure: string, count: bigint, expected: bigint | null = null): Figure => {
    return { content, resource, measure, count, expected }
  }
  const decided = await decidedOf(db, run, content)
  const excluded = new Map(decided.excluded)
  if (repeated > 0n) excluded.set('duplicate_id', repeated)
  const allExcluded = [...excluded.values()].reduce((sum, count) => sum + count, 0n)
  const items = await itemsOf(db, run, content)
  const sent = await sentOf(db, run, content)
  const upserts = sent.created + sent.updated + sent.failed
  const live = decided.synced - sent.missing + items.kept + sent.removalsFailed + sent.removalsWithheld
  const platform = run.platformCounts.get(content)
  return [
    figure('records', staged + unseen + repeated + quarantined, decided.synced + allExcluded + quarantined),
    ...[...excluded]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([reason, count]) => figure(`excluded:${reason}`, count)),
    figure('quarantined', quarantined),
    figure('synced', decided.synced, upserts + sent.unchanged + items.untouched),
    figure('created', sent.created),
    figure('updated', sent.updated),
    figure('unchanged', sent.unchanged + items.untouched),
    figure('failed', sent.failed),
    figure('removed', sent.removed),
    figure('removals_failed', sent.removalsFailed),
    figure('removals_withheld', sent.removalsWithheld),
    figure('kept', items.kept),
    figure('live', items.live, live),
    figure('control_total', items.liveCheck, items.desiredCheck),
    ...(platform === undefined
      ? []
      : [figure(PLATFORM_MEASURE, BigInt(platform), await liveAtPlatform(db, run, content))]),
  ]
}
