import { ofRun } from '../../sql/conditions.ts'
import type { BigintValue, Content, Db, RunKey } from '../../sql/tables.ts'
import type { StagingTables } from '../declare/resource.ts'
import {
  decidedOf,
  itemsOf,
  liveAtPlatform,
  type RecordCounts,
  rejectedOf,
  sentOf,
  stagedOf,
} from './counts.ts'

/**
 * One line of the reconciliation (the check that all counts of a run add up). A line is a part of a sum, or a
 * sum with its expected value.
 */
export interface Figure {
  /** Content of the line; empty for lines about a resource or a check. */
  readonly content: Content | ''
  readonly resource: string
  readonly measure: string
  readonly count: bigint
  /** The value that the count must have; null if no value is expected. */
  readonly expected: bigint | null
}

/**
 * Declares a measure of the reconciliation: how it is counted, its expected value, and which other counts
 * must be the same. All code that reads figures uses these declarations.
 */
export interface Measure<Found = never> {
  /**
   * Returns the count. If the function returns a map, there is one line for each reason, such as
   * `excluded:cancelled`. Null makes no line.
   */
  readonly count: (found: Found) => BigintValue | ReadonlyMap<string, bigint> | null
  /** Measures of the resource whose sum is the count of this measure. */
  readonly from?: readonly string[]
  /** Measures whose sum must equal the count of this measure. */
  readonly sum?: readonly string[]
  /**
   * Returns the value that the count must have; null if no value is expected. For a measure of a content, the
   * function never returns null.
   */
  readonly expected?: (found: Found) => BigintValue | null
  /** True if some runs do not count this measure, so that the measure may be missing in a pack. */
  readonly isOptional?: true
  /** True if only a run that reads the source counts this measure. A rollback does not. */
  readonly isOfReading?: true
  /**
   * Lists of rows in the pack; each element has the form `<file> <kind of row>`. In each list, the total
   * number of rows must equal the count of this measure.
   */
  readonly rows?: readonly (readonly string[])[]
  /**
   * The expected value in words, for the report. If the text is left out, the report names the measures of
   * the sum.
   */
  readonly rule?: string
  /** Its description in README.txt. */
  readonly words?: string
}

type Measures<Found> = Readonly<Record<string, Measure<Found>>>

const ALL_RECORDS = ['staged', 'unseen', 'repeated', 'quarantined']

/** Measures for each resource that a run read, in the order of the pack. */
export const RESOURCE_MEASURES: Measures<RecordCounts & Awaited<ReturnType<typeof certificatesOf>>[number]> =
  {
    read: {
      count: ({ elements }) => elements,
      sum: ['staged', 'repeated', 'quarantined', 'forgotten'],
    },
    staged: {
      count: ({ staged }) => staged,
      expected: ({ distinct_ids }) => distinct_ids,
      rule: 'distinct ids of the certificate',
      words: 'records that are kept of those that were read',
    },
    repeated: { count: ({ repeated }) => repeated, words: 'records whose id came again' },
    quarantined: { count: ({ quarantined }) => quarantined },
    unseen: {
      count: ({ unseen }) => unseen,
      rule: 'kept, though this run did not see them',
      words: 'records that are kept although this run did not see them',
    },
    forgotten: { count: ({ forgotten }) => BigInt(forgotten) || null, isOptional: true },
    control_total: {
      count: ({ stagedCheck, rejectedCheck }) => stagedCheck + (rejectedCheck ?? 0n),
      expected: ({ rejectedCheck, checksum }) => (rejectedCheck === null ? null : checksum),
      rule: 'sum of hashes over the records: as read, as staged',
    },
    missed_by_changes: { count: ({ missed }) => missed, isOptional: true },
    brought_by_full_reading: {
      count: ({ missed, brought }) => (missed === null ? null : (brought ?? 0)),
      isOptional: true,
    },
  }

/** Measures for each content that a run synced, in the order of the pack. */
export const CONTENT_MEASURES: Measures<Awaited<ReturnType<typeof findItems>>> = {
  records: {
    count: ({ records }) => records && sumOf(ALL_RECORDS, records),
    isOfReading: true,
    from: ALL_RECORDS,
    sum: ['synced', 'excluded', 'quarantined'],
    rows: [['decisions']],
  },
  excluded: { count: ({ excluded }) => excluded, isOptional: true, rows: [['decisions excluded']] },
  quarantined: {
    count: ({ records }) => records && (records.get('quarantined') ?? 0n),
    isOfReading: true,
    rows: [['decisions quarantined']],
  },
  synced: {
    count: ({ synced }) => synced,
    sum: ['created', 'updated', 'unchanged', 'failed'],
    rows: [['decisions synced'], ['items']],
  },
  created: { count: ({ sent }) => sent('upsert', 'applied', 'created'), rows: [['results upsert created']] },
  updated: { count: ({ sent }) => sent('upsert', 'applied', 'updated'), rows: [['results upsert updated']] },
  unchanged: {
    // The count includes upserts for which the platform already had an item with equal fields.
    count: ({ sent, items }) => sent('upsert', 'applied', 'unchanged') + items.untouched,
    rows: [['items unchanged', 'results upsert unchanged']],
  },
  failed: { count: ({ sent }) => sent('upsert', 'failed'), rows: [['results upsert failed']] },
  removed: {
    count: ({ sent }) => sent('remove', 'applied'),
    rows: [['results remove removed', 'results remove unchanged']],
  },
  removals_failed: { count: ({ sent }) => sent('remove', 'failed'), rows: [['results remove failed']] },
  removals_withheld: { count: ({ sent }) => sent('remove', 'withheld'), rows: [['results remove withheld']] },
  kept: {
    count: ({ items }) => items.kept,
    words: 'items that stay on the platform although they would not be synced now',
  },
  live: {
    count: ({ items }) => items.live,
    expected: ({ synced, items, sent }) =>
      synced -
      sent('create', 'failed') -
      sent('freed', 'failed') +
      items.kept +
      sent('remove', 'failed') +
      sent('remove', 'withheld'),
    rule: 'items on the platform as known, as the plan must have left them',
    words: 'items that are known to be there; platform: those that it says it has',
  },
  control_total: {
    count: ({ items }) => items.liveCheck,
    expected: ({ items }) => items.desiredCheck,
    rule: 'sum of hashes over the items: as planned, as known to be there',
    words: 'a sum over hashes, the same on both sides unless something was lost, doubled or changed',
  },
  platform: {
    count: ({ platform }) => platform,
    expected: ({ liveAtPlatform }) => liveAtPlatform,
    isOptional: true,
    rule: 'items the platform itself counts, items known to be there',
  },
}

/** All measures of resources and contents as a list. */
export const ALL_MEASURES: readonly (readonly [string, Measure])[] = [
  ...Object.entries(RESOURCE_MEASURES),
  ...Object.entries(CONTENT_MEASURES),
]

type Counts = Iterable<readonly [measure: string, count: bigint]>

/** Returns the sum of the counts of some measures. The count of `excluded` includes all reasons. */
export function sumOf(measures: readonly string[], counts: Counts): bigint {
  let sum = 0n
  for (const [measure, count] of counts) if (measures.includes(nameOf(measure))) sum += count
  return sum
}

/** Returns the declared name of a line's measure, for example `excluded` for `excluded:cancelled`. */
export function nameOf(measure: string): string {
  return measure.startsWith('excluded:') ? 'excluded' : measure
}

/**
 * Returns in words which value a figure must have, for the report; undefined if its measure has no such text.
 */
export function ruleOf({ content, measure }: Figure): string | undefined {
  const known: Measure | undefined = (content === '' ? RESOURCE_MEASURES : CONTENT_MEASURES)[measure]
  return known?.rule ?? known?.sum?.join(' + ')
}

/**
 * Beginning of the measure's name for a failed check, which is a check that found rows. The name of the check
 * follows the prefix `check:`. A figure of a check has neither a content nor a resource.
 */
export const CHECK_MEASURE = 'check:'

export const isOpen = ({ count, expected }: Figure) => expected !== null && count !== expected

/** Measures of the items in which the platform differs from the desired items, although all sums close. */
const DIFFERENCES: ReadonlySet<string> = new Set(['failed', 'removals_failed', 'removals_withheld', 'kept'])

/** Returns true if the figures of a run show that the platform has the desired items and no others. */
export function leavesNothing(figures: readonly Figure[]): boolean {
  return figures.every(
    (figure) => !isOpen(figure) && (!DIFFERENCES.has(figure.measure) || figure.count === 0n),
  )
}

export interface Reconciled extends RunKey {
  readonly tableOf: ReadonlyMap<string, keyof StagingTables>
  readonly resourceOf: ReadonlyMap<Content, string>
  /** Number of items that the platform reports, by content; empty if the platform reports no numbers. */
  readonly platformCounts: ReadonlyMap<Content, number>
  /**
   * Figures of the previous run. The list `settled` is empty if the desired items or the platform's items
   * have changed since the previous run.
   */
  readonly settled: readonly Figure[]
  /** False for a rollback, because a rollback reads no resource. */
  readonly hasRead: boolean
}

/**
 * Counts the records and items of a run: what it read, staged, decided and applied. Each sum is counted
 * separately from its parts.
 *
 * A control total is a sum of the hashes of all records or items. If one record is lost and another record is
 * doubled, the counts stay equal, but the control total changes.
 */
export async function reconcile(db: Db, run: Reconciled): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  const records = new Map<string, ReadonlyMap<string, bigint>>()
  for (const certificate of await certificatesOf(db, run)) {
    const { resource } = certificate
    const table = run.tableOf.get(resource)
    if (table === undefined) throw new Error(`no staging table for ${resource}`)
    // Only during the merge is it known which staged records a reading by changes saw. The merge therefore
    // stored the numbers of seen records in the certificate.
    const { since, staged_seen, staged_unseen, staged_checksum } = certificate
    const seenThen = {
      staged: BigInt(staged_seen ?? 0),
      unseen: BigInt(staged_unseen ?? 0),
      stagedCheck: BigInt(staged_checksum ?? 0),
    }
    const staged = since === null ? await stagedOf(db, run, resource, table) : seenThen
    const found = { ...certificate, ...staged, ...(await rejectedOf(db, run, resource)) }
    const own = figuresOf({ content: '', resource }, RESOURCE_MEASURES, found)
    records.set(resource, new Map(own.map(({ measure, count }) => [measure, count])))
    figures.push(...own)
  }
  for (const [content, resource] of [...run.resourceOf].sort()) {
    const own = run.hasRead ? records.get(resource) : null
    if (own === undefined) throw new Error(`${resource} was not read, but ${content} is made of it`)
    const found = await findItems(db, run, content, own)
    figures.push(...figuresOf({ content, resource }, CONTENT_MEASURES, found))
  }
  return figures
}

function certificatesOf(db: Db, run: RunKey) {
  return db
    .selectFrom('sync.certificates')
    .$call(ofRun(run))
    .orderBy('resource')
    .select(['resource', 'elements', 'checksum', 'distinct_ids', 'forgotten', 'missed', 'brought'])
    .select(['since', 'staged_seen', 'staged_unseen', 'staged_checksum'])
    .execute()
}

/**
 * @param records counts of the records from which the items of the content are made; null if the run read no
 *   records
 */
async function findItems(
  db: Db,
  run: Reconciled,
  content: Content,
  records: ReadonlyMap<string, bigint> | null,
) {
  const { synced, excluded } = await decidedOf(db, run, content)
  const repeated = records?.get('repeated') ?? 0n
  const platform = run.platformCounts.get(content)
  return {
    records,
    synced,
    // A repeated record has no decision, because it was left out before decisions were made.
    excluded: new Map([...excluded, ...(repeated > 0n ? [['duplicate_id', repeated] as const] : [])]),
    items: settledItems(run.settled, content) ?? (await itemsOf(db, run, content)),
    sent: await sentOf(db, run, content),
    platform: platform === undefined ? null : BigInt(platform),
    liveAtPlatform: platform === undefined ? null : await liveAtPlatform(db, run, content),
  }
}

/**
 * Takes the item counts from the figures of the run after which nothing has changed. Returns null if figures
 * are missing or a sum differs from its required value.
 */
function settledItems(figures: readonly Figure[], content: Content) {
  const of = (name: string) => {
    const figure = figures.find((one) => one.content === content && one.measure === name)
    return figure === undefined || isOpen(figure) ? null : figure.count
  }
  const [live, kept, check] = [of('live'), of('kept'), of('control_total')]
  if (live === null || kept === null || check === null) return null
  // That run may have created some of the items; this run touches none of them.
  return { untouched: live - kept, live, kept, desiredCheck: check, liveCheck: check }
}

function figuresOf<Found>(
  of: Pick<Figure, 'content' | 'resource'>,
  measures: Measures<Found>,
  found: Found,
): readonly Figure[] {
  const counts = Object.entries(measures).flatMap(([name, { count }]): [string, bigint][] => {
    const own = count(found)
    if (own === null) return []
    if (typeof own !== 'object') return [[name, BigInt(own)]]
    const byReason = [...own].sort(([one], [other]) => (one < other ? -1 : 1))
    return byReason.map(([reason, records]) => [`${name}:${reason}`, records])
  })
  return counts.map(([measure, count]) => {
    const { sum, expected } = measures[nameOf(measure)] ?? {}
    const must = sum === undefined ? (expected?.(found) ?? null) : sumOf(sum, counts)
    return { ...of, measure, count, expected: must === null ? null : BigInt(must) }
  })
}
