import type { ExpressionBuilder } from 'kysely'
import { countRows, ofRun } from '../../../sql/conditions.ts'
import type { Content, Db, HintName, Hold, RunCounts, RunKey, Tables } from '../../../sql/tables.ts'
import { versionsAsOf } from '../../../transforms/history/as-of.ts'
import type { Figure } from '../../../transforms/reconciliation/reconcile.ts'
import type { findCertificates } from '../../ledger/ledger.ts'
import type { ListedFile, Mask } from '../csv-files/csv.ts'
import { type ChangedItem, changedItems, detailOf } from '../csv-files/rows.ts'
import type { MissingGroup } from './missing-figures.ts'

/** The run that a report is about, with its times in UTC (ISO-8601). */
export interface ReportedRun {
  readonly productVersion: string
  readonly startedAt: string
  readonly startedBy: string
  readonly appliedAt: string | null
  readonly finishedAt: string | null
  readonly approvedBy: string | null
  readonly approvedAt: string | null
  readonly configHash: string
  readonly planHash: string | null
  readonly certified: boolean | null
  readonly held: Hold | null
  readonly counts: RunCounts | null
  readonly source: System
  readonly platform: System
  readonly timeZone: string | null
  /**
   * Name of the event; null if none is configured. If the name is null, headings show the id of the
   * integration.
   */
  readonly eventName: string | null
  readonly silencedHints: readonly HintName[]
  /** Run whose state a rollback restored; null for other runs. */
  readonly rollbackTo: string | null
}

interface System {
  readonly type: string
  readonly url: string
  readonly eventId: string
}

export interface FirstOf<Row> {
  readonly rows: readonly Row[]
  readonly total: number
}

/**
 * An agenda item that the platform should have. The times of the item are UTC (`YYYY-MM-DDTHH:MM:SSZ`), and
 * its long texts are cut.
 */
export type AgendaItem = Awaited<ReturnType<typeof readAgenda>>['rows'][number]

/** Number of items that the platform should have after a run, for each content. */
export interface GrowthPoint {
  readonly runId: string
  readonly finishedAt: string
  readonly items: Readonly<Partial<Record<Content, number>>>
}

export interface ReportFigures {
  readonly integrationId: string
  readonly runId: string
  readonly contents: readonly Content[]
  readonly run: ReportedRun
  readonly personalData: 'full' | 'masked'
  readonly files: readonly ListedFile[]
  readonly figures: readonly Figure[]
  readonly certificates: Awaited<ReturnType<typeof findCertificates>>
  readonly quarantined: Awaited<ReturnType<typeof readQuarantined>>
  readonly rejected: Awaited<ReturnType<typeof readRejections>>
  /**
   * Records without an item on the platform, and hints about the programme; both are grouped by what the
   * organiser can do about them.
   */
  readonly missing: readonly MissingGroup[]
  /**
   * `rows` are the first changed items, with the fields that the page shows. `total` is the number of all
   * changed fields.
   */
  readonly changes: FirstOf<ChangedItem>
  readonly agenda: FirstOf<AgendaItem>
  /** Earlier runs and this run, oldest first. */
  readonly growth: readonly GrowthPoint[]
}

/** Maximum number of agenda items in a report; the page's maximum size may allow fewer items. */
const MOST_ITEMS = 3000

/**
 * Number of characters of a text that the report reads from the database. The number is larger than the
 * number of characters shown, so that the page can tell if a text is cut.
 */
const MOST_CHARACTERS = 200

/** Reads the first agenda items that the platform should have after a run, sorted by start time. */
export async function readAgenda(db: Db, { integrationId, runId }: RunKey) {
  const items = db
    .selectFrom(versionsAsOf(db, 'sync.desired_items', { integrationId, runId }).as('item'))
    .where('item.content', '=', 'agenda')
  const rows = await items
    .leftJoin('sync.changes as change', (join) =>
      join
        .onRef('change.integration_id', '=', 'item.integration_id')
        .on('change.run_id', '=', runId)
        .onRef('change.content', '=', 'item.content')
        .onRef('change.unique_id', '=', 'item.unique_id'),
    )
    .leftJoin(versionsAsOf(db, 'staging.b_sessions', { integrationId, runId }).as('session'), (join) =>
      join.onRef('session.source_id', '=', 'item.unique_id'),
    )
    .select((eb) => [
      'item.unique_id as uniqueId',
      'session.time_zone as timeZone',
      eb.ref('change.action').$castTo<'create' | 'update' | null>().as('action'),
      beginning(eb, 'name').$notNull().as('name'),
      beginning(eb, 'startTime').$notNull().as('startTime'),
      beginning(eb, 'endTime').$notNull().as('endTime'),
      beginning(eb, 'location').as('location'),
    ])
    .orderBy(
      (eb) => beginning(eb, 'startTime'),
      (order) => order.collate('C'),
    )
    .orderBy('item.unique_id')
    .limit(MOST_ITEMS)
    .execute()
  return { total: await countRows(items), rows }
}

/**
 * Selects only the beginning of a text field. Selecting the whole text would be costly: it may be as large as
 * a whole record.
 */
function beginning(
  eb: ExpressionBuilder<Tables & { item: Tables['sync.desired_items'] }, 'item'>,
  field: 'name' | 'startTime' | 'endTime' | 'location',
) {
  const text = eb.ref('item.fields', '->>').key(field)
  return eb.fn<string | null>('left', [text, eb.lit(MOST_CHARACTERS)])
}

const MOST_FIELDS = 500

/** Reads the first changed fields of a run in the order of `changes.csv`, grouped by item. */
export async function readChanges(db: Db, run: RunKey, contents: readonly Content[], mask: Mask) {
  const first: ChangedItem[] = []
  let left = MOST_FIELDS
  for (const content of contents) {
    for await (const page of changedItems(db, run, content, mask)) {
      for (const item of page) {
        if (item.fields.length > 0) first.push({ ...item, fields: item.fields.slice(0, left) })
        left -= item.fields.length
        if (left <= 0) return first
      }
    }
  }
  return first
}

const MOST_REJECTIONS = 100
const MOST_QUARANTINED = 50

export async function readRejections(db: Db, run: RunKey, mask: Mask) {
  const failed = db.selectFrom('sync.changes').$call(ofRun(run)).where('state', '=', 'failed')
  const rows = await failed
    .orderBy('seq')
    .limit(MOST_REJECTIONS)
    .select(['seq', 'content', 'unique_id', 'action', 'state', 'code', 'retryable'])
    .execute()
  return {
    total: await countRows(failed),
    rows: rows.map((row) => ({
      seq: Number(row.seq),
      content: row.content,
      uniqueId: mask.id(row.unique_id),
      op: row.action === 'remove' ? 'remove' : 'upsert',
      code: row.code ?? '',
      detail: detailOf(row) ?? '',
    })),
  }
}

export async function readQuarantined(db: Db, run: RunKey, mask: Mask) {
  const unread = db.selectFrom('sync.unstaged').$call(ofRun(run)).where('reason', '=', 'invalid_record')
  const rows = await unread
    .orderBy('resource')
    .orderBy('ordinal')
    .limit(MOST_QUARANTINED)
    .select(['resource', 'source_id as sourceId', 'path', 'detail'])
    .execute()
  return {
    total: await countRows(unread),
    rows: rows.map((row) => ({ ...row, sourceId: row.sourceId === null ? null : mask.id(row.sourceId) })),
  }
}

const MOST_RUNS = 30

/**
 * Reads how many items of each content the platform should have after each of the last runs, oldest run
 * first. The last element of the list is for the run of the report.
 *
 * A report that is written again must not change. The function leaves out runs that ended later than this
 * run, for example a held plan that was applied later. The function also leaves out runs that began later,
 * because a clock that was set back could make them seem to end earlier.
 *
 * @param finishedAt time at which this run ended, in ISO-8601; null if the run has not ended
 */
export async function readGrowth(db: Db, { integrationId, runId }: RunKey, finishedAt: string | null) {
  if (finishedAt === null) return []
  const rows = await db
    .selectFrom('sync.runs')
    .where('integration_id', '=', integrationId)
    .where('run_id', '<=', runId)
    .where('applied_at', 'is not', null)
    .where('finished_at', '<=', finishedAt as unknown as Date)
    .orderBy('finished_at', 'desc')
    .orderBy('run_id', 'desc')
    .limit(MOST_RUNS)
    .select(['run_id', 'finished_at', 'counts'])
    .execute()
  return rows
    .map(({ run_id, finished_at, counts }) => ({
      runId: run_id,
      finishedAt: finished_at?.toISOString() ?? '',
      items: itemsOf(counts),
    }))
    .toReversed()
    .sort((one, other) => Number(one.runId === runId) - Number(other.runId === runId))
}

function itemsOf(counts: RunCounts | null): GrowthPoint['items'] {
  const changes = Object.entries(counts?.changes ?? {}) as [Content, RunCounts['changes'][Content]][]
  return Object.fromEntries(
    changes.flatMap(([content, of]) =>
      of === undefined ? [] : [[content, of.create + of.update + (of.handover ?? 0) + of.unchanged]],
    ),
  )
}
