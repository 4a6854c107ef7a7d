import type { Kysely } from 'kysely'
import type { Content, RunKey, Tables } from '../../../sql/tables.ts'
import { findCertificates } from '../../ledger.ts'
import type { PackFile } from '../csv.ts'
import { mask, noMask } from '../mask.ts'
import { findFigures } from '../reconciliation.ts'
import type { ReportedRun } from './figures.ts'
import { reportPage } from './page.ts'
import { readAgenda } from './read-agenda.ts'
import { readChanges } from './read-changes.ts'
import { readQuarantined, readRejections } from './read-figures.ts'
import { readGrowth } from './read-growth.ts'

/** Name of the report in a pack. */
export const REPORT_FILE = 'report.html'

/** What a report tells beside what the ledger has under the run's id. */
export interface ReportOptions {
  readonly run: ReportedRun
  readonly personalData: 'full' | 'masked'
  /** Contents that the run synced, in the order of the pack. */
  readonly contents: readonly Content[]
  /** Files of the pack that were written before the report. */
  readonly files: readonly PackFile[]
}

/**
 * Makes the report of a run, a page of at most 2 MB: the same text for the same ledger, on either engine, in any locale
 * and time zone. Holds no more than what it shows.
 */
export async function makeReport(
  db: Kysely<Tables>,
  run: RunKey,
  { files, contents, personalData, ...options }: ReportOptions,
): Promise<string> {
  const hiding = personalData === 'masked' ? mask : noMask
  return reportPage({
    ...run,
    run: options.run,
    contents,
    personalData,
    files,
    figures: await findFigures(db, run),
    certificates: await findCertificates(db, run),
    quarantined: await readQuarantined(db, run, hiding),
    rejected: await readRejections(db, run, hiding),
    changes: {
      rows: await readChanges(db, run, contents, hiding),
      total: files.find(({ name }) => name === 'changes.csv')?.rows ?? 0,
    },
    agenda: contents.includes('agenda') ? await readAgenda(db, run) : { rows: [], total: 0 },
    growth: await readGrowth(db, run, options.run.finishedAt),
  })
}
