import type { Content, Hold, RunCounts } from '../../../sql/tables.ts'
import type { Figure } from '../../../transforms/reconciliation/figure.ts'
import type { findCertificates } from '../../ledger.ts'
import type { ChangedItem } from '../changes.ts'
import type { PackFile } from '../csv.ts'

/** The run that a report is about; times are ISO-8601 in UTC. */
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
  readonly source: Place
  readonly platform: Place
  /** Zone of the event as the run was configured; null where it was not. */
  readonly timeZone: string | null
}

interface Place {
  readonly type: string
  readonly url: string
  readonly eventId: string
}

/** The first rows of a list, and how many there are. */
export interface FirstOf<Row> {
  readonly rows: readonly Row[]
  readonly total: number
}

/** An operation that the platform rejected. */
export interface Rejection {
  readonly seq: number
  readonly content: Content
  readonly uniqueId: string
  readonly op: 'upsert' | 'remove'
  readonly code: string
  readonly detail: string
}

/** A record that could not be read. */
export interface QuarantinedRecord {
  readonly resource: string
  readonly sourceId: string | null
  readonly path: string
  readonly detail: string
}

/** An agenda item that the platform should have; long names are cut. */
export interface AgendaItem {
  readonly uniqueId: string
  readonly name: string
  /** UTC, `YYYY-MM-DDTHH:MM:SSZ`. */
  readonly startTime: string
  readonly endTime: string
  readonly location: string | null
  /** Zone of the session itself; null where it has none. */
  readonly timeZone: string | null
  /** What the run did with it; null where nothing. */
  readonly action: 'create' | 'update' | null
}

/** Items that the platform should have had after a run. */
export interface GrowthPoint {
  readonly runId: string
  readonly finishedAt: string
  readonly items: Readonly<Partial<Record<Content, number>>>
}

/** All that a report shows. */
export interface ReportFigures {
  readonly integrationId: string
  readonly runId: string
  readonly contents: readonly Content[]
  readonly run: ReportedRun
  readonly personalData: 'full' | 'masked'
  /** Files of the pack that were written before the report. */
  readonly files: readonly PackFile[]
  readonly figures: readonly Figure[]
  readonly certificates: Awaited<ReturnType<typeof findCertificates>>
  readonly quarantined: FirstOf<QuarantinedRecord>
  readonly rejected: FirstOf<Rejection>
  /** Items with the fields that are shown; `total` counts fields. */
  readonly changes: FirstOf<ChangedItem>
  readonly agenda: FirstOf<AgendaItem>
  /** Past runs and this one, the oldest first. */
  readonly growth: readonly GrowthPoint[]
}

/** Changes that a plan had, over all contents. */
export function countPlanned(counts: RunCounts | null): number {
  return Object.values(counts?.changes ?? {}).reduce(
    (sum, { create, update, remove }) => sum + create + update + remove,
    0,
  )
}
