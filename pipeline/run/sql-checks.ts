import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { findPersonalIds } from '../../loaders/people/person.ts'
import type { Db, Tables } from '../../sql/tables.ts'
import type { AnyTransform } from '../../transforms/declare/source.ts'
import { isAddress } from '../../transforms/rules/personal-ids.ts'
import { counted } from '../../transforms/texts/counted.ts'
import { packageRoot } from '../runtime/package-root.ts'
import { HIDDEN } from '../runtime/personal.ts'

/**
 * When a check is made: before the changes are sent (on staged, desired and planned rows) or after (on the
 * results).
 */
export type CheckMoment = 'before-apply' | 'after-apply'

/** A check of the data: an SQL query that returns no rows if the data is correct. */
export interface Check {
  readonly name: string
  readonly promise: string
  readonly rowsMean: string
  readonly todo: string
  /**
   * The only data that the check examines; null if the check is always made. If a run has not made this data
   * again, the check is skipped.
   */
  readonly of: keyof Made | null
  readonly query: string
}

/** Which data a run has made again. Data that the run reused was checked by an earlier run. */
interface Made {
  /** Decisions and desired items. */
  readonly decisions: boolean
  /** The plan, which comes from comparing the desired items with the known items of the platform. */
  readonly plan: boolean
}

/** The rows that a check examines: the rows of one run. If no run is given, all rows of an integration. */
interface CheckScope {
  readonly integrationId: string
  readonly runId?: string
}

const SHOWN = 5

export type BrokenPromise = Awaited<ReturnType<typeof findBrokenPromises>>[number]

/**
 * Makes every check of one moment of a run, and describes the checks that found rows. The descriptions
 * contain only ids.
 *
 * @param db the transaction of the run, if there is one, so that its uncommitted rows are also checked
 * @param sources source types from which the ids may come; ids of people are hidden
 * @param made data that the run has made again; default: all data
 */
export async function findBrokenPromises(
  db: Kysely<Tables>,
  moment: CheckMoment,
  scope: CheckScope,
  sources: readonly AnyTransform[],
  made: Made = { decisions: true, plan: true },
) {
  const broken: { readonly name: string; readonly count: number; readonly text: string }[] = []
  for (const check of findChecks(moment)) {
    if (check.of !== null && !made[check.of]) continue
    const { rows, count } = await selectCheckRows(db, check.query, scope, SHOWN)
    if (count === 0) continue
    const text = describe(check, await hidePeople(db, scope.integrationId, rows, sources), count)
    broken.push({ name: check.name, count, text })
  }
  return broken
}

/**
 * Requires that the checks of one moment of a run find no rows.
 *
 * @throws if a check finds rows; the message names each such check and shows only ids
 */
export async function requirePromises(...checked: Parameters<typeof findBrokenPromises>): Promise<void> {
  const broken = await findBrokenPromises(...checked)
  if (broken.length > 0) throw new Error(broken.map(({ text }) => text).join('\n'))
}

/**
 * Returns the checks of one moment of a run, from the files in `sql/checks/`. The checks are sorted by name.
 */
export function findChecks(moment: CheckMoment): readonly Check[] {
  const folder = join(packageRoot, 'sql', 'checks', moment)
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'))
  return names.sort().map((file) => {
    const name = `${moment}/${file.replace(/\.sql$/, '')}`
    const query = readFileSync(join(folder, file), 'utf8')
    return { name, query, ...headOf(name, query) }
  })
}

const headSchema = z.strictObject({
  promise: z.string(),
  'rows mean': z.string(),
  'to do': z.string(),
  grain: z.string(),
  'made with': z.enum(['decisions', 'plan']).optional(),
})

/**
 * Reads the comment lines at the beginning of a check. Each line has the form `-- key: text`.
 *
 * @throws if a key is unknown or missing
 */
export function headOf(name: string, query: string): Pick<Check, 'promise' | 'rowsMean' | 'todo' | 'of'> {
  const [comments = ''] = /^(?:--.*\n)*/.exec(query) ?? []
  const lines = comments.trimEnd().split('\n')
  const entries = lines.map((line) => /^-- ([^:]+): (.+)$/.exec(line)?.slice(1) ?? [line, ''])
  const { data, error } = headSchema.safeParse(Object.fromEntries(entries))
  if (data === undefined) throw new Error(`sql/checks/${name}.sql: ${z.prettifyError(error)}`)
  return {
    promise: data.promise,
    rowsMean: data['rows mean'],
    todo: data['to do'],
    of: data['made with'] ?? null,
  }
}

function describe(check: Check, rows: readonly CheckRow[], count: number): string {
  const first = rows.map(({ subject, id, detail }) => `${[subject, id ?? []].flat().join(' ')} (${detail})`)
  return [
    `check ${check.name}: ${counted(count, 'row')} where there must be none`,
    `  promise: ${check.promise}`,
    `  rows mean: ${check.rowsMean}`,
    `  ${count > rows.length ? `first ${rows.length}` : 'rows'}: ${first.join('; ')}`,
    `  to do: ${check.todo}`,
  ].join('\n')
}

/**
 * Hides ids that are personal data: e-mail addresses, and ids that a source uses for people without an id.
 */
async function hidePeople(
  db: Kysely<Tables>,
  integrationId: string,
  rows: readonly CheckRow[],
  sources: readonly AnyTransform[],
): Promise<readonly CheckRow[]> {
  const ids = rows.flatMap(({ id }) => id ?? [])
  if (ids.length === 0) return rows
  const personal = new Set<string>()
  for (const { people } of sources)
    for (const id of await findPersonalIds(db, integrationId, people, ids)) personal.add(id)
  return rows.map((row) =>
    row.id !== null && (isAddress(row.id) || personal.has(row.id)) ? { ...row, id: HIDDEN } : row,
  )
}

interface CheckRow {
  readonly subject: string
  /** Id of the record or item; null if the row is about several items. */
  readonly id: string | null
  readonly detail: string
}

export function checkRows(query: string, { integrationId, runId }: CheckScope): RawBuilder<CheckRow> {
  return sql`
    select subject, id, detail
    from (
      ${sql.raw(query)}
    ) as found
    where integration_id = ${integrationId}
      ${runId === undefined ? sql`` : sql`and run_id = ${runId}::uuid`}`
}

/** Returns the first rows that a check finds, and the total number of rows. */
export async function selectCheckRows(
  db: Db,
  query: string,
  scope: CheckScope,
  most: number,
): Promise<{ readonly rows: readonly CheckRow[]; readonly count: number }> {
  // With `materialized`, PostgreSQL plans the query for all rows. Usually the check finds no rows, and a
  // query that is optimized for the first few rows would then be slow.
  const { rows } = await sql<CheckRow & { readonly count: string }>`
    with found as materialized (${checkRows(query, scope)})
    select subject, id, detail, count(*) over () as count
    from found
    limit ${sql.lit(most)}`.execute(db)
  return { rows, count: Number(rows[0]?.count ?? 0) }
}
