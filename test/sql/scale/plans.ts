import type pg from 'pg'
import type { Question } from './questions.ts'

/** A node of a plan as EXPLAIN tells it, as far as it is used here. */
interface Node {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly Schema?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly 'Function Name'?: string
  readonly Plans?: readonly Node[]
}

/** How a question was answered. */
export interface Answered extends Question {
  readonly blocksTouched: number
  /** Tables that were read from end to end. */
  readonly scanned: readonly string[]
  /** Functions that the planner did not write out. */
  readonly called: readonly string[]
  /** Rows that were read of each large table, those that did not match included. */
  readonly rowsRead: Readonly<Record<string, number>>
}

const LARGE_TABLES = ['b_registrants', 'desired_items', 'decisions']

/** Asks a question and looks how it was answered; what is in memory counts like what is not. */
export async function answer(client: pg.Client, question: Question): Promise<Answered> {
  const { rows } = await client.query<{ 'QUERY PLAN': readonly [{ Plan: Node }] }>(
    `explain (analyze, buffers, verbose, format json) ${question.text}`,
  )
  const told = rows[0]?.['QUERY PLAN'][0]
  if (told === undefined) throw new Error(`no plan for ${question.name}`)
  const nodes = withBelow(told.Plan)
  const named = (of: (node: Node) => string | undefined) => [
    ...new Set(nodes.map(of).filter((name) => name !== undefined)),
  ]
  const rowsRead: Record<string, number> = {}
  for (const node of nodes) {
    const table = node['Relation Name'] ?? ''
    if (!LARGE_TABLES.includes(table)) continue
    const each =
      node['Actual Rows'] +
      (node['Rows Removed by Filter'] ?? 0) +
      (node['Rows Removed by Index Recheck'] ?? 0)
    rowsRead[table] = Math.round((rowsRead[table] ?? 0) + each * node['Actual Loops'])
  }
  return {
    ...question,
    blocksTouched: told.Plan['Shared Hit Blocks'] + told.Plan['Shared Read Blocks'],
    scanned: named((node) => (node['Node Type'] === 'Seq Scan' ? node['Relation Name'] : undefined)),
    called: named((node) =>
      node.Schema === 'staging' || node.Schema === 'published' ? node['Function Name'] : undefined,
    ),
    rowsRead,
  }
}

function withBelow(node: Node): readonly Node[] {
  return [node, ...(node.Plans ?? []).flatMap(withBelow)]
}

/**
 * What speaks against a plan: a large table read from end to end, more blocks than the question is worth, or rows of
 * other integrations.
 *
 * @param versions rows of each large table that the integration has
 */
export function faultsOf(answered: Answered, versions: Readonly<Record<string, number>>): readonly string[] {
  const { name, blocks, mayScan, blocksTouched, called, rowsRead } = answered
  const scanned = mayScan ? [] : answered.scanned
  // The two sides of a comparison, and the two of a union, each read the integration.
  const tooMany = Object.entries(rowsRead).filter(
    ([table, count]) => !mayScan && count > 2 * (versions[table] ?? 0),
  )
  return [
    ...scanned.filter((table) => LARGE_TABLES.includes(table)).map((table) => `reads all of ${table}`),
    ...called.map((called_) => `calls ${called_} instead of writing it out`),
    ...(blocks !== null && blocksTouched > blocks ? [`touches ${blocksTouched} blocks, not ${blocks}`] : []),
    ...tooMany.map(
      ([table, count]) =>
        `reads ${count} rows of ${table}, of which ${versions[table] ?? 0} are of the integration`,
    ),
  ].map((fault) => `${name}: ${fault}`)
}

/** Rows of each large table that an integration has. */
export async function versionsOf(
  client: pg.Client,
  integration: string,
): Promise<Readonly<Record<string, number>>> {
  const { rows } = await client.query<{ table: string; versions: number }>(
    `select 'b_registrants' as table, count(*)::int as versions from staging.b_registrants where integration_id = $1
    union all select 'desired_items', count(*)::int from sync.desired_items where integration_id = $1
    union all select 'decisions', count(*)::int from sync.decisions where integration_id = $1`,
    [integration],
  )
  return Object.fromEntries(rows.map(({ table, versions }) => [table, versions]))
}
