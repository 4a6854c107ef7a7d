import type { Selectable } from 'kysely'
import { ofRun } from '../../sql/conditions.ts'
import type { Content, Db, RunKey, Tables } from '../../sql/tables.ts'
import type { StagingTables } from '../resources/staging-tables.ts'
import {
  decidedOf,
  itemsOf,
  liveAtPlatform,
  type RecordCounts,
  rejectedOf,
  sentOf,
  stagedOf,
} from './counts.ts'
import { type Figure, PLATFORM_MEASURE } from './figure.ts'

export interface Reconciled extends RunKey {
  readonly tableOf: ReadonlyMap<string, keyof StagingTables>
  readonly resourceOf: ReadonlyMap<Content, string>
  /** Items that the platform says it has, by content; none where it does not say. */
  readonly platformCounts: ReadonlyMap<Content, number>
}

/**
 * Counts what a run read, staged, decided and applied, each sum by a way of its own.
 *
 * A control total sums hashes over the records or items themselves: a record lost and another one doubled leave the
 * counts as they are, but not that.
 */
export async function reconcile(db: Db, run: Reconciled): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  const records = new Map<string, RecordCounts>()
  const read = await db
    .selectFrom('sync.certificates')
    .$call(ofRun(run))
    .orderBy('resource')
    .select(['resource', 'elements', 'checksum', 'distinct_ids', 'forgotten', 'missed', 'brought'])
    .select(['since', 'staged_seen', 'staged_unseen', 'staged_checksum'])
    .execute()
  for (const { resource, ...certificate } of read) {
    const table = run.tableOf.get(resource)
    if (table === undefined) throw new Error(`no staging table for ${resource}`)
    // Which of the staged records a reading of changes saw is known while it is merged only.
    const staged =
      certificate.since === null ? await stagedOf(db, run, resource, table) : seenThen(certificate)
    const found = { ...staged, ...(await rejectedOf(db, run, resource)) }
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

function seenThen(certificate: Pick<Certificate, 'staged_seen' | 'staged_unseen' | 'staged_checksum'>) {
  return {
    staged: BigInt(certificate.staged_seen ?? 0),
    unseen: BigInt(certificate.staged_unseen ?? 0),
    stagedCheck: BigInt(certificate.staged_checksum ?? 0),
  }
}

type Certificate = Selectable<Tables['sync.certificates']>

/** read = staged + repeated + quarantined + forgotten, in number and, but for those forgotten, by control total. */
function ofResource(
  resource: string,
  certificate: Pick<
    Certificate,
    'elements' | 'checksum' | 'distinct_ids' | 'forgotten' | 'missed' | 'brought'
  >,
  records: RecordCounts,
): readonly Figure[] {
  const { staged, unseen, repeated, quarantined, stagedCheck, rejectedCheck } = records
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
    rejectedCheck === null
      ? figure('control_total', stagedCheck)
      : figure('control_total', stagedCheck + rejectedCheck, BigInt(certificate.checksum)),
    ...(certificate.missed === null
      ? []
      : [
          figure('missed_by_changes', BigInt(certificate.missed)),
          figure('brought_by_full_reading', BigInt(certificate.brought ?? 0)),
        ]),
  ]
}

/** records = synced + excluded + quarantined; synced = what became of the items; and what the platform has then. */
async function ofContent(
  db: Db,
  run: Reconciled,
  content: Content,
  { staged, unseen, repeated, quarantined }: RecordCounts,
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
