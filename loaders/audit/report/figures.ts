import type { Content, Hold, RunCounts } from '../../../sql/tables.ts'
import type { Figure } from '../../../transforms/reconciliation/figure.ts'
import type { findCertificates } from '../../ledger/ledger.ts'
import type { ChangedItem } from '../csv-files/changes.ts'
import type { PackFile } from '../csv-files/csv.ts'
import type { readAgenda } from './read-agenda.ts'
import type { readQuarantined, readRejections } from './read-figures.ts'

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
  readonly source: System
  readonly platform: System
  readonly timeZone: string | null
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

/** An agenda item that the platform should have, its times in UTC (`YYYY-MM-DDTHH:MM:SSZ`); long names are cut. */
export type AgendaItem = Awaited<ReturnType<typeof readAgenda>>['rows'][number]

/** Items that the platform should have had after a run. */
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
  readonly files: readonly PackFile[]
  readonly figures: readonly Figure[]
  readonly certificates: Awaited<ReturnType<typeof findCertificates>>
  readonly quarantined: Awaited<ReturnType<typeof readQuarantined>>
  readonly rejected: Awaited<ReturnType<typeof readRejections>>
  /** Items with the fields that are shown; `total` counts fields. */
  readonly changes: FirstOf<ChangedItem>
  readonly agenda: FirstOf<AgendaItem>
  /** Past runs and this one, the oldest first. */
  readonly growth: readonly GrowthPoint[]
}

export function countPlanned(counts: RunCounts | null): number {
  return Object.values(counts?.changes ?? {}).reduce(
    (sum, { create, update, remove }) => sum + create + update + remove,
    0,
  )
}
