import { existsSync } from 'node:fs'
import { readdir, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Content, Db, RunKey } from '../../../sql/tables.ts'
import { removedBecause } from '../../../transforms/declare/reasons.ts'
import { removeWhole, writeWhole } from '../../files/file-writer.ts'
import { type CsvCell, type Mask, mask, noMask, writeCsv } from '../csv-files/csv.ts'
import { MAX_REPORT_BYTES, REPORT_FILE } from '../csv-files/pack-format.ts'
import { maskToForward } from './mask-to-forward.ts'
import { type PlanFacts, planPage } from './page.ts'
import { plannedItems, readPlan } from './planned-items.ts'

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

/**
 * Writes the files of a plan that waits for a decision: the page, the page to forward, and `plan.csv`.
 *
 * @param folder folder of the run. When the plan is applied, the pack replaces these files
 * @param personalData `masked` hides values of people in all three files
 */
export async function writePlanFiles(
  db: Db,
  run: RunKey,
  folder: string,
  facts: PlanFacts,
  personalData: 'full' | 'masked',
  excel: boolean,
): Promise<void> {
  const hiding = personalData === 'masked' ? mask : noMask
  const { contents } = facts
  await writeCsv(folder, PLAN_CSV, COLUMNS, csvRows(db, run, contents, hiding), excel)
  const pages = [
    [MASKED_PAGE, maskToForward, true],
    // This page is written last. So if it exists, the two files to which it links exist too.
    [REPORT_FILE, hiding, false],
  ] as const
  for (const [name, mask, isToForward] of pages) {
    const text = await fittingPage(async (share) =>
      planPage(facts, await readPlan(db, run, contents, mask, share), isToForward),
    )
    await writeWhole(join(folder, name), ({ write }) => write(text))
  }
}

/** Shares of the items that a page shows at most. The last one fits also if all texts are long. */
const SHARES = [1, 0.25, 0.05]

/** Makes a page that is not larger than a worker serves, with fewer items if their texts are long. */
async function fittingPage(make: (share: number) => Promise<string>): Promise<string> {
  let text = ''
  for (const share of SHARES) {
    text = await make(share)
    if (Buffer.byteLength(text) <= MAX_REPORT_BYTES) break
  }
  return text
}

/** Yields one row for each changed field, and one for each removal. */
async function* csvRows(db: Db, run: RunKey, contents: readonly Content[], hiding: Mask) {
  for await (const { content, items } of plannedItems(db, run, contents, hiding)) {
    yield items.flatMap(({ action, uniqueId, label, reason, fields }): readonly (readonly CsvCell[])[] => {
      const why = action === 'remove' ? removedBecause(reason) : null
      const item = [action, content, uniqueId, label || null, reason || null, why]
      if (action === 'remove') return [[...item, null, null, null]]
      return fields.map(({ name, before, after }) => [...item, name, before, after])
    })
  }
}

/** Removes the files of a plan that no longer waits. Otherwise they would be unlisted files in its pack. */
export async function removePlanFiles(folder: string): Promise<void> {
  const names = PLAN_FILES.flatMap((file) => [file, `${file}.partial`])
  const there = names.filter((name) => existsSync(join(folder, name)))
  for (const name of there) await removeWhole(join(folder, name))
  // An empty folder would look like a pack that nobody knows.
  if (there.length > 0 && (await readdir(folder)).length === 0) await rmdir(folder)
}
