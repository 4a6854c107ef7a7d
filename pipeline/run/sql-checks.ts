import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Db, Tables } from '../../sql/tables.ts'
import { asAny } from '../../transforms/declare/resource.ts'
import type { AnyTransform } from '../../transforms/declare/source.ts'
import { counted } from '../../transforms/texts/counted.ts'
import { packageRoot } from '../runtime/package-root.ts'
import { HIDDEN, isAddress } from '../runtime/personal.ts'

/** When a check is made: on what is staged, desired and planned, or on what a run has landed. */
export type CheckMoment = 'before-apply' | 'after-apply'

/** A promise that healthy data answers with no rows. */
export interface Check {
  readonly name: string
  readonly promise: string
  readonly rowsMean: string
  readonly todo: string
  /** The only thing it depends on: if an earlier run made that, the check is skipped; null if it is made in every run. */
  readonly of: keyof Made | null
  readonly query: string
}

/** Describes what a run made again. Of what it did not, an earlier run has made the checks. */
interface Made {
  /** Decisions and desired items. */
  readonly decisions: boolean
  /** A plan, by comparing what is desired with what is known to be on the platform. */
  readonly plan: boolean
}

/** The rows that a check looks at: those of one run, or without a run all of an integration. */
interface CheckScope {
  readonly integrationId: string
  readonly runId?: string
}

const SHOWN = 5

export type BrokenPromise = Awaited<ReturnType<typeof findBrokenPromises>>[number]

/**
 * Makes every check of a moment, and describes those that found rows, with ids only.
 *
 * @param db the run's transaction, if there is one: what it has not committed is looked at too
 * @param sources that ids may be of: those of people are not shown
 * @param made results of the run; left out: all
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

/** @throws where a promise is broken, naming each check that found rows, with ids only */
export async function requirePromises(...checked: Parameters<typeof findBrokenPromises>): Promise<void> {
  const broken = await findBrokenPromises(...checked)
  if (broken.length > 0) throw new Error(broken.map(({ text }) => text).join('\n'))
}

/** The checks of a moment, from the files of `sql/checks/`, in the order of their names. */
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

/** Reads the comment lines at the top of a check, each `-- key: text`. @throws where a key is unknown or missing */
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

/** An id may be an e-mail address, or what a source has in its place. */
async function hidePeople(
  db: Kysely<Tables>,
  integrationId: string,
  rows: readonly CheckRow[],
  sources: readonly AnyTransform[],
): Promise<readonly CheckRow[]> {
  const ids = rows.flatMap(({ id }) => id ?? [])
  if (ids.length === 0) return rows
  const addresses = new Set<string>()
  for (const { people } of sources) {
    const { table, ownId } = people
    if (ownId === null) continue
    const keyed = await db
      .selectFrom(asAny(table))
      .where('integration_id', '=', integrationId)
      .where('source_id', 'in', ids)
      .where((eb) => eb(ownId as 'id', 'is', null))
      .select('source_id')
      .execute()
    for (const { source_id } of keyed) addresses.add(source_id)
  }
  return rows.map((row) =>
    row.id !== null && (isAddress(row.id) || addresses.has(row.id)) ? { ...row, id: HIDDEN } : row,
  )
}

interface CheckRow {
  readonly subject: string
  /** Id of the record or item; null where the row is of many. */
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

/** The first rows of a check, and how many there are. */
export async function selectCheckRows(
  db: Db,
  query: string,
  scope: CheckScope,
  most: number,
): Promise<{ readonly rows: readonly CheckRow[]; readonly count: number }> {
  // Materialized: planned for all of its rows, of which there are none as a rule, and not for the first few.
  const { rows } = await sql<CheckRow & { readonly count: string }>`
    with found as materialized (${checkRows(query, scope)})
    select subject, id, detail, count(*) over () as count
    from found
    limit ${sql.lit(most)}`.execute(db)
  return { rows, count: Number(rows[0]?.count ?? 0) }
}
