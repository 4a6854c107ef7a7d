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

/** The time of a check: on staged, desired and planned rows, or on the results of apply. */
export type CheckMoment = 'before-apply' | 'after-apply'

/** A check: a query that returns no rows for correct data. */
export interface Check {
  readonly name: string
  readonly promise: string
  readonly rowsMean: string
  readonly todo: string
  /**
   * The only input of the check. If a run did not make this input again, the check is skipped. Null if the
   * check is made in every run.
   */
  readonly of: keyof Made | null
  readonly query: string
}

/** The results that a run made again. Results that it reused were checked by an earlier run. */
interface Made {
  /** Decisions and desired items. */
  readonly decisions: boolean
  /** A plan, made by comparing the desired items with the known items of the platform. */
  readonly plan: boolean
}

/** The rows that a check examines: those of one run or, without a run, all rows of an integration. */
interface CheckScope {
  readonly integrationId: string
  readonly runId?: string
}

const SHOWN = 5

export type BrokenPromise = Awaited<ReturnType<typeof findBrokenPromises>>[number]

/**
 * Makes every check of a moment, and describes the checks that found rows. Descriptions contain only ids.
 *
 * @param db the transaction of the run, if any, so that its uncommitted rows are checked too
 * @param sources source types that the ids may come from; ids of people are hidden
 * @param made what the run made; default: everything
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
 * Requires that no check of a moment finds rows.
 *
 * @throws if a check finds rows; the message names each such check, with ids only
 */
export async function requirePromises(...checked: Parameters<typeof findBrokenPromises>): Promise<void> {
  const broken = await findBrokenPromises(...checked)
  if (broken.length > 0) throw new Error(broken.map(({ text }) => text).join('\n'))
}

/** Returns the checks of a moment from the files of `sql/checks/`, sorted by name. */
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
 * Reads the comment lines at the top of a check, each in the form `-- key: text`.
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

/** Hides ids that are e-mail addresses, or that a source uses instead of a missing id. */
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
  /** Id of the record or item; null if the row is about several. */
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

/** Returns the first rows of a check, and the number of all rows. */
export async function selectCheckRows(
  db: Db,
  query: string,
  scope: CheckScope,
  most: number,
): Promise<{ readonly rows: readonly CheckRow[]; readonly count: number }> {
  // `materialized` lets PostgreSQL plan the query for all rows. Usually there are none, so a plan for the
  // first few rows would be slow.
  const { rows } = await sql<CheckRow & { readonly count: string }>`
    with found as materialized (${checkRows(query, scope)})
    select subject, id, detail, count(*) over () as count
    from found
    limit ${sql.lit(most)}`.execute(db)
  return { rows, count: Number(rows[0]?.count ?? 0) }
}
