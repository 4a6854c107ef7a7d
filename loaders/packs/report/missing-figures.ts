import { ofRun } from '../../../sql/conditions.ts'
import type { Content, Db, Fields, HintName, ReasonWords, RunKey } from '../../../sql/tables.ts'
import { tableOf } from '../../../transforms/decide/lineage.ts'
import { nameIn } from '../../../transforms/decide/record-names.ts'
import { reasonInWords, todoOf } from '../../../transforms/declare/reasons.ts'
import { asAny } from '../../../transforms/declare/resource.ts'
import type { AnyTransform } from '../../../transforms/declare/source.ts'
import { findHinted, hintsOf } from '../../../transforms/hints/hints.ts'
import { versionsAsOf } from '../../../transforms/history/as-of.ts'
import type { Figure } from '../../../transforms/reconciliation/reconcile.ts'
import { MASKED, type Mask } from '../csv-files/csv.ts'
import { labelOf } from '../csv-files/rows.ts'

/** Maximum number of rows that the report shows for each reason; `event-sync missing` lists all rows. */
const MOST_ROWS = 50

export interface MissingRow {
  readonly content: Content
  /** Id of the record or item; null if the id could not be read. */
  readonly id: string | null
  /** Name of the record or item; empty if it has no name or if the mask hides names. */
  readonly name: string
  readonly why: string
}

/** Records and items about which the organiser can do the same thing. */
export interface MissingGroup {
  readonly todo: string
  readonly count: number
  /**
   * The first of them. The first rows are left empty for people who do not speak, because they are many and
   * all have the same reason.
   */
  readonly rows: readonly MissingRow[]
}

interface Reported {
  readonly contents: readonly Content[]
  readonly figures: readonly Figure[]
  readonly silencedHints: readonly HintName[]
  /**
   * Declaration of the source, from which names of records are read; null for a source that is not part of
   * this product.
   */
  readonly transform: AnyTransform | null
  readonly mask: Mask
  /** Words of a source outside this package. */
  readonly words: ReasonWords
}

/**
 * Reads who is missing on the platform after a run, and the hints. First come problems that somebody must
 * solve, then hints, then records whose absence may be intended. The function reads only the ledger, so that
 * the report can be written again with the same bytes.
 */
export async function readMissing(db: Db, run: RunKey, of: Reported): Promise<readonly MissingGroup[]> {
  const groups = [
    ...(await rejected(db, run, of)),
    ...(await unreadable(db, run, of)),
    ...(await excluded(db, run, of)),
  ]
  const byTodo = [...Map.groupBy(groups, ({ todo }) => todo)].map(([todo, same]) => ({
    todo,
    count: same.reduce((sum, { count }) => sum + count, 0),
    rows: same.flatMap(({ rows }) => rows),
  }))
  const mayBeRight = ({ todo }: MissingGroup) => todo.startsWith('Nothing')
  return [
    ...byTodo.filter((group) => !mayBeRight(group)),
    ...(await hinted(db, run, of)),
    ...byTodo.filter(mayBeRight),
  ]
}

async function rejected(db: Db, run: RunKey, { mask }: Reported): Promise<readonly MissingGroup[]> {
  const rows = await db
    .selectFrom('sync.changes')
    .$call(ofRun(run))
    .where('state', '=', 'failed')
    .where('action', '<>', 'remove')
    .orderBy('seq')
    .limit(MOST_ROWS)
    .select(['content', 'unique_id', 'after', 'code'])
    .select(({ fn }) => fn.countAll<string>().over().as('total'))
    .execute()
  const [first] = rows
  if (first === undefined) return []
  const shown = rows.map(({ content, unique_id, after, code }) => ({
    content,
    id: mask.id(unique_id),
    name: labelOf(content, after ?? {}, mask) ?? '',
    why: reasonInWords(`rejected:${code ?? 'unknown'}`),
  }))
  return [{ todo: todoOf('rejected'), count: Number(first.total), rows: shown }]
}

async function unreadable(db: Db, run: RunKey, { contents, figures, mask }: Reported) {
  const groups: MissingGroup[] = []
  const seen = new Set<string>()
  for (const content of contents) {
    const resource = figures.find((figure) => figure.content === content)?.resource
    // Speakers and attendees may be made from one resource; the records of such a resource are listed only
    // once.
    if (resource === undefined || seen.has(resource)) continue
    seen.add(resource)
    for (const reason of ['invalid_record', 'duplicate_id'] as const) {
      const rows = await db
        .selectFrom('sync.unstaged')
        .$call(ofRun(run))
        .where(({ and }) => and({ resource, reason }))
        .orderBy('ordinal')
        .limit(MOST_ROWS)
        .select(['source_id', 'path', 'detail'])
        .select(({ fn }) => fn.countAll<string>().over().as('total'))
        .execute()
      if (rows.length === 0) continue
      const shown = rows.map(({ source_id, path, detail }) => ({
        content,
        id: source_id === null ? null : mask.id(source_id),
        name: '',
        why:
          reason === 'duplicate_id' ? reasonInWords(reason) : `${reasonInWords(reason)}, ${path}: ${detail}`,
      }))
      groups.push({ todo: todoOf(reason), count: Number(rows[0]?.total), rows: shown })
    }
  }
  return groups
}

const EXCLUDED = 'excluded:'

async function excluded(db: Db, run: RunKey, of: Reported): Promise<readonly MissingGroup[]> {
  const groups: MissingGroup[] = []
  for (const { content, measure, count } of of.figures) {
    const reason = measure.startsWith(EXCLUDED) ? measure.slice(EXCLUDED.length) : ''
    // Repeated records are not staged; the function `unreadable` lists them.
    if (content === '' || reason === '' || reason === 'duplicate_id' || count === 0n) continue
    const rows = reason === 'not_a_speaker' ? [] : await firstExcluded(db, run, content, reason, of)
    const todo = of.words[content]?.[reason]?.todo ?? todoOf(reason)
    groups.push({ todo, count: Number(count), rows })
  }
  return groups
}

async function firstExcluded(
  db: Db,
  run: RunKey,
  content: Content,
  reason: string,
  { transform, mask, words }: Reported,
): Promise<readonly MissingRow[]> {
  const why = words[content]?.[reason]?.why ?? reasonInWords(reason)
  const decisions = await db
    .selectFrom(versionsAsOf(db, 'sync.decisions', run).as('decision'))
    .where(({ and }) => and({ 'decision.content': content, 'decision.reason': reason }))
    .orderBy('decision.source_id')
    .limit(MOST_ROWS)
    .select('decision.source_id')
    .execute()
  const ids = decisions.map(({ source_id }) => source_id)
  const names = await namesOf(db, run, content, transform, ids)
  return ids.map((id) => {
    const name = names.get(id) ?? ''
    const isHidden = mask.field(content, 'lastName', name) === MASKED
    return { content, id: mask.id(id), name: isHidden ? '' : name, why }
  })
}

async function namesOf(
  db: Db,
  run: RunKey,
  content: Content,
  transform: AnyTransform | null,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (transform === null || ids.length === 0) return new Map()
  const rows = await db
    .selectFrom(versionsAsOf(db, asAny(tableOf(transform, content)), run).as('record'))
    .where('record.source_id', 'in', ids)
    .select(['record.source_id', nameIn(transform, content).as('name')])
    .execute()
  return new Map(rows.flatMap(({ source_id, name }) => (name === null ? [] : [[source_id, name]])))
}

async function hinted(db: Db, run: RunKey, { contents, silencedHints, mask }: Reported) {
  const groups: MissingGroup[] = []
  for (const name of hintsOf(contents, silencedHints)) {
    const { rows, total, todo } = await findHinted(db, run, name, MOST_ROWS)
    if (total === 0) continue
    const shown = rows.map(({ content, id, fields, why }) => ({
      content,
      id: mask.id(id),
      name: labelOf(content, fields as Fields, mask) ?? '',
      why,
    }))
    groups.push({ todo: `Hint: ${todo}`, count: total, rows: shown })
  }
  return groups
}
