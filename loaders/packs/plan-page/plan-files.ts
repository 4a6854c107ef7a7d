import { existsSync } from 'node:fs'
import { readdir, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Db, RunKey } from '../../../sql/tables.ts'
import { removedBecause } from '../../../transforms/declare/reasons.ts'
import { type OutputMode, removeWhole, writeWhole } from '../../files/file-writer.ts'
import { type CsvCell, MASKED, type Mask, mask, noMask, writeCsv } from '../csv-files/csv.ts'
import { MANIFEST_FILE, MAX_REPORT_BYTES, REPORT_FILE } from '../csv-files/pack-format.ts'
import { type ChangedItem, toChangedItem } from '../csv-files/rows.ts'
import { maskToForward } from './mask-to-forward.ts'
import { findNamedSessions } from './named-sessions.ts'
import { type PlanFacts, planPage } from './page.ts'
import { makeOverview, type PlannedChanges, type PlanOverview, plannedChanges } from './planned-items.ts'

/** Name of the page without names and addresses of people. */
export const MASKED_PAGE = 'report-masked.html'
const PLAN_CSV = 'plan.csv'

const PLAN_FILES = [REPORT_FILE, MASKED_PAGE, PLAN_CSV] as const

const COLUMNS = [
  'action',
  'content',
  'unique_id',
  'name',
  'reason',
  'why',
  'field',
  'before',
  'after',
] as const

export interface PlanFileOptions {
  /** Folder of the run. When the plan is applied, the files of the pack replace the files in this folder. */
  readonly folder: string
  readonly mode: OutputMode
  readonly facts: PlanFacts
  /** With `masked`, values of people are hidden in the page, the page to forward and `plan.csv`. */
  readonly personalData: 'full' | 'masked'
  readonly excel: boolean
  /** Finds those ids of people that are e-mail addresses, even if they do not look like addresses. */
  readonly findPersonalIds: (ids: readonly string[]) => Promise<ReadonlySet<string>>
}

/**
 * Writes the files of a plan that waits for a decision: the page, the page to forward, and `plan.csv`. The
 * changes are read only once, while `plan.csv` is written.
 */
export async function writePlanFiles(db: Db, run: RunKey, options: PlanFileOptions): Promise<void> {
  const { folder, mode, facts, personalData, excel, findPersonalIds } = options
  const hiding = personalData === 'masked' ? mask : noMask
  const overview = makeOverview(facts.contents)
  const changes = plannedChanges(db, run, facts.contents)
  await writeCsv(folder, PLAN_CSV, COLUMNS, csvRows(changes, overview, hiding), {
    mode,
    byteOrderMark: excel,
  })
  const personalIds = await findPersonalIds(overview.idsOfPeople())
  const sessions = await findNamedSessions(db, run, overview.idsOfSessions())
  const pages = [
    [MASKED_PAGE, maskToForward(personalIds), true],
    // The main page, which links to the other two files, is written last. If the main page exists, then the
    // two linked files exist too.
    [REPORT_FILE, hiding, false],
  ] as const
  for (const [name, mask, isToForward] of pages) {
    const text = fittingPage((share) => planPage(facts, overview.show(mask, sessions, share), isToForward))
    await writeWhole(join(folder, name), ({ write }) => write(text), { mode })
  }
}

/**
 * The factors by which the page's maximum number of items is reduced, one after the other, until the page is
 * small enough. With the last factor, the page is small enough even if all texts are long.
 */
const SHARES = [1, 0.25, 0.05]

/**
 * Makes a page that is not larger than a worker can serve. If the texts are long, the page shows fewer items.
 */
function fittingPage(make: (share: number) => string): string {
  let text = ''
  for (const share of SHARES) {
    text = make(share)
    if (Buffer.byteLength(text) <= MAX_REPORT_BYTES) break
  }
  return text
}

/**
 * Yields one row for each changed field, and one for each removal. Each page of changes is also added to the
 * overview of the plan.
 */
async function* csvRows(pages: AsyncIterable<PlannedChanges>, overview: PlanOverview, hiding: Mask) {
  for await (const page of pages) {
    overview.add(page)
    yield page.changes.flatMap((change) => rowsOf(toChangedItem(page.content, change, hiding)))
  }
}

function rowsOf(item: ChangedItem): readonly (readonly CsvCell[])[] {
  const { action, content, uniqueId, label, reason, fields } = item
  const name = label === null ? MASKED : label || null
  const why = action === 'remove' ? removedBecause(reason) : null
  const start = [action, content, uniqueId, name, reason || null, why]
  if (action === 'remove') return [[...start, null, null, null]]
  return fields.map((field) => [...start, field.name, field.before, field.after])
}

/**
 * Removes the files of a plan that no longer waits for a decision. If the files stayed, they would be
 * unlisted files in the pack of the run. A complete pack has no such files: its report has the name of a page.
 */
export async function removePlanFiles(folder: string): Promise<void> {
  if (existsSync(join(folder, MANIFEST_FILE))) return
  const names = PLAN_FILES.flatMap((file) => [file, `${file}.partial`])
  const there = names.filter((name) => existsSync(join(folder, name)))
  for (const name of there) await removeWhole(join(folder, name))
  // An empty folder would look like a pack that the database does not know, so it is removed.
  if (there.length > 0 && (await readdir(folder)).length === 0) await rmdir(folder)
}
