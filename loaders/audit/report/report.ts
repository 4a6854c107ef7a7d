import type { Content, Db, RunKey } from '../../../sql/tables.ts'
import { findCertificates } from '../../ledger/ledger.ts'
import type { PackFile } from '../csv-files/csv.ts'
import { mask, noMask } from '../csv-files/mask.ts'
import { findFigures } from '../csv-files/reconciliation.ts'
import type { ReportedRun } from './figures.ts'
import { reportPage } from './page.ts'
import { readAgenda } from './read-agenda.ts'
import { readChanges } from './read-changes.ts'
import { readQuarantined, readRejections } from './read-figures.ts'
import { readGrowth } from './read-growth.ts'

export interface ReportOptions {
  readonly run: ReportedRun
  readonly personalData: 'full' | 'masked'
  readonly contents: readonly Content[]
  readonly files: readonly PackFile[]
}

/** Makes the report of a run, at most 2 MB: the same text for the same ledger, on either engine, in any locale and time zone. */
export async function makeReport(
  db: Db,
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
