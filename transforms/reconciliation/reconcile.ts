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

/** One line of the reconciliation: a summand, or a sum beside what it must be. */
export interface Figure {
  /** Empty for a resource, and for a check. */
  readonly content: Content | ''
  readonly resource: string
  readonly measure: string
  readonly count: bigint
  /** Null where nothing is claimed. */
  readonly expected: bigint | null
}

/** Describes what is counted: how it is found, what it must be, and where else. All that reads figures knows them from here. */
export interface Measure<Found = never> {
  /** By its reasons a line for each, `excluded:cancelled` and the like; null where no line exists. */
  readonly count: (found: Found) => BigintValue | ReadonlyMap<string, bigint> | null
  /** Measures of the resource whose sum the count is. */
  readonly from?: readonly string[]
  /** Measures whose sum it must be. */
  readonly sum?: readonly string[]
  /** Expected count. Always known for a content; null if nothing is claimed. */
  readonly expected?: (found: Found) => BigintValue | null
  /** Not every run counts it: a pack may lack it. */
  readonly isOptional?: true
  /** Rows of a pack that must be as many, each `<file> <what is tallied>`: those of a list together, for each list. */
  readonly rows?: readonly (readonly string[])[]
  /** Expected value in the words of the report; left out: its summands. */
  readonly rule?: string
  /** Its description in README.txt. */
  readonly words?: string
}

type Measures<Found> = Readonly<Record<string, Measure<Found>>>

const ALL_RECORDS = ['staged', 'unseen', 'repeated', 'quarantined']

/** Measures of every resource that was read, in their order. */
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

/** Measures of every content that was synced, in their order. */
export const CONTENT_MEASURES: Measures<Awaited<ReturnType<typeof findItems>>> = {
  records: {
    count: ({ records }) => sumOf(ALL_RECORDS, records),
    from: ALL_RECORDS,
    sum: ['synced', 'excluded', 'quarantined'],
    rows: [['decisions']],
  },
  excluded: { count: ({ excluded }) => excluded, isOptional: true, rows: [['decisions excluded']] },
  quarantined: {
    count: ({ records }) => records.get('quarantined') ?? 0n,
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
    // The platform had some of them already as they should be.
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

/** All measures as a list. */
export const ALL_MEASURES: readonly (readonly [string, Measure])[] = [
  ...Object.entries(RESOURCE_MEASURES),
  ...Object.entries(CONTENT_MEASURES),
]

type Counts = Iterable<readonly [measure: string, count: bigint]>

/** Sum of some measures; `excluded` is all its reasons. */
export function sumOf(measures: readonly string[], counts: Counts): bigint {
  let sum = 0n
  for (const [measure, count] of counts) if (measures.includes(nameOf(measure))) sum += count
  return sum
}

/** The declared measure that a measure is of. */
export function nameOf(measure: string): string {
  return measure.startsWith('excluded:') ? 'excluded' : measure
}

/** Returns what a figure must be, or is, for the report; undefined where its measure says it. */
export function ruleOf({ content, measure }: Figure): string | undefined {
  const known: Measure | undefined = (content === '' ? RESOURCE_MEASURES : CONTENT_MEASURES)[measure]
  return known?.rule ?? known?.sum?.join(' + ')
}

/** Begins the measure of a check that found rows, of no content and no resource; its name follows. */
export const CHECK_MEASURE = 'check:'

export const isOpen = ({ count, expected }: Figure) => expected !== null && count !== expected

export interface Reconciled extends RunKey {
  readonly tableOf: ReadonlyMap<string, keyof StagingTables>
  readonly resourceOf: ReadonlyMap<Content, string>
  /** Items that the platform says it has, by content; none where it does not say. */
  readonly platformCounts: ReadonlyMap<Content, number>
  /** Figures of an earlier run after which neither desired items nor those of the platform were touched; none without one. */
  readonly settled: readonly Figure[]
}

/**
 * Counts what a run read, staged, decided and applied, each sum by its own way.
 *
 * A control total sums hashes over the records or items themselves: a record lost and another one doubled leave the
 * counts, but not that.
 */
export async function reconcile(db: Db, run: Reconciled): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  const records = new Map<string, ReadonlyMap<string, bigint>>()
  for (const certificate of await certificatesOf(db, run)) {
    const { resource } = certificate
    const table = run.tableOf.get(resource)
    if (table === undefined) throw new Error(`no staging table for ${resource}`)
    // Which of the staged records a reading of changes saw is known while it is merged only.
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
    const own = records.get(resource)
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

async function findItems(db: Db, run: Reconciled, content: Content, records: ReadonlyMap<string, bigint>) {
  const { synced, excluded } = await decidedOf(db, run, content)
  const repeated = records.get('repeated') ?? 0n
  const platform = run.platformCounts.get(content)
  return {
    records,
    synced,
    // A repeated record was left out before there was anything to decide.
    excluded: new Map([...excluded, ...(repeated > 0n ? [['duplicate_id', repeated] as const] : [])]),
    items: settledItems(run.settled, content) ?? (await itemsOf(db, run, content)),
    sent: await sentOf(db, run, content),
    platform: platform === undefined ? null : BigInt(platform),
    liveAtPlatform: platform === undefined ? null : await liveAtPlatform(db, run, content),
  }
}

/** The items of a run that planned nothing, as its figures have them; null where these are not there, or do not close. */
function settledItems(figures: readonly Figure[], content: Content) {
  const of = (name: string) => {
    const figure = figures.find((one) => one.content === content && one.measure === name)
    return figure === undefined || isOpen(figure) ? null : figure.count
  }
  const [untouched, live, kept, check] = [of('unchanged'), of('live'), of('kept'), of('control_total')]
  if (untouched === null || live === null || kept === null || check === null) return null
  return { untouched, live, kept, desiredCheck: check, liveCheck: check }
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
