import { join } from 'node:path'
import { columnsOf } from '../audit/csv-files/data-package.ts'
import { MASKED } from '../audit/csv-files/mask.ts'
import { type Row, rowsOf } from './rows.ts'
import { makeTally, type Tally } from './tally.ts'

export interface TalliedFile {
  readonly rows: number
  readonly tally: Tally
  /** Row, from 1, that is not where it belongs, or is there twice; null where all are in order. */
  readonly misplaced: number | null
}

/** Unique IDs by `<action>`, and all under the empty name. */
export function tallyItems(folder: string, content: 'agenda' | 'attendees' | 'speakers', isMasked: boolean) {
  return tallyFile(folder, `${content}.csv`, !isMasked, ({ unique_id = '', action = '' }, tally) => {
    tally.add('', unique_id)
    tally.add(action, unique_id)
    return isMasked ? [] : [unique_id]
  })
}

/** Unique IDs by `<content>`, `<content> <decision>`, `<content> excluded:<reason>`, `<content> synced <action>`. */
export function tallyDecisions(folder: string, isMasked: boolean): Promise<TalliedFile> {
  let before = ''
  return tallyFile(folder, 'decisions.csv', false, (row, tally) => {
    const { content = '', source_id = '', unique_id = '', decision = '', reason = '', action = '' } = row
    tally.add(content, source_id)
    tally.add(`${content} ${decision}`, unique_id)
    if (decision === 'excluded') tally.add(`${content} excluded:${reason}`, unique_id)
    if (decision === 'synced') tally.add(`${content} synced ${action}`, unique_id)
    // Of one id many may be repeated or quarantined, and one counts.
    const counts = reason !== 'duplicate_id' && decision !== 'quarantined'
    const record = `${content} ${source_id}`
    const isTwice = counts && before === record && !(isMasked && source_id === MASKED)
    before = counts ? record : before
    return isTwice ? null : isMasked ? [content] : [content, source_id]
  })
}

/** Unique IDs of changed items by `<content> <op>`; equal ones that follow each other are one item. */
export function tallyChanges(folder: string, isMasked: boolean): Promise<TalliedFile> {
  let before = ''
  return tallyFile(folder, 'changes.csv', !isMasked, (row, tally) => {
    const { content = '', unique_id = '', action = '', field = '' } = row
    const item = `${content} ${unique_id}`
    if (item !== before) tally.add(`${content} ${action === 'remove' ? 'remove' : 'upsert'}`, unique_id)
    before = item
    return isMasked ? [content] : [content, unique_id, field]
  })
}

/** Unique IDs by `<content> <op> <status>`, and by `<content> <op>` of all that were sent. */
export function tallyResults(folder: string): Promise<TalliedFile> {
  let place = 0
  return tallyFile(folder, 'load_results.csv', false, (row, tally) => {
    const { seq, content = '', unique_id = '', op = '', status = '' } = row
    tally.add(`${content} ${op} ${status}`, unique_id)
    if (status !== 'withheld') tally.add(`${content} ${op}`, unique_id)
    place += 1
    return seq === String(place) ? [] : null
  })
}

/**
 * @param isStrict whether no two rows have the same place
 * @param add tells the tally of a row; gives its place among the others, or null where it has none
 */
async function tallyFile(
  folder: string,
  file: string,
  isStrict: boolean,
  add: (row: Row, tally: Tally) => readonly string[] | null,
): Promise<TalliedFile> {
  const tally = makeTally(file)
  let rows = 0
  let last: readonly string[] | null = null
  let misplaced: number | null = null
  for await (const row of rowsOf(join(folder, file), columnsOf(file))) {
    rows += 1
    const place = add(row, tally)
    const order = place === null || last === null ? 1 : compare(place, last)
    if (place === null || order < 0 || (order === 0 && isStrict)) misplaced ??= rows
    last = place ?? last
  }
  return { rows, tally, misplaced }
}

function compare(one: readonly string[], other: readonly string[]): number {
  for (const [at, part] of one.entries()) {
    const order = Buffer.compare(Buffer.from(part), Buffer.from(other[at] ?? ''))
    if (order !== 0) return order
  }
  return 0
}
