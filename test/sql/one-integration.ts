/**
 * Limits a query of `sql/queries` to one integration, as the comment at its top says. The comment names one or
 * several conditions, each for the main query, or for a named part of the query (a CTE).
 */
export function limitedTo(query: string, integrationId: string): string {
  const line = query.split('\n').find((one) => one.startsWith(LEAD))
  if (line === undefined) throw new Error(`no line begins with "${LEAD}"`)
  let limited = query
  for (const phrase of line.split('add ').slice(1)) {
    const [condition = '', ...names] = [...phrase.matchAll(/`([^`]+)`/g)].map(([, quoted]) => quoted ?? '')
    const own = condition.replace(/'[^']+'/, `'${integrationId}'`)
    for (const name of names.length === 0 ? [null] : names) limited = added(limited, own, name)
  }
  return limited
}

const LEAD = '-- One integration: '

/** Adds a condition to a part of a query, or to each branch of its `union all`. */
function added(query: string, condition: string, name: string | null): string {
  const [begin, end] = partOf(query, name)
  const indent = name === null ? '' : '  '
  const branches = query.slice(begin, end).split(`\n${indent}union all\n`)
  const part = branches.map((branch) => {
    const after = AFTER_WHERE.map((clause) => branch.lastIndexOf(`\n${indent}${clause}`)).filter(
      (at) => at >= 0,
    )
    const at = after.length === 0 ? branch.trimEnd().length : Math.min(...after)
    return `${branch.slice(0, at)}\n${indent}${condition}${branch.slice(at) || '\n'}`
  })
  return query.slice(0, begin) + part.join(`\n${indent}union all\n`) + query.slice(end)
}

/** Clauses that come after `where`. */
const AFTER_WHERE = ['group by', 'having', 'window', 'order by']

/** Returns where a named part begins and ends; null stands for the main query, which comes last. */
function partOf(query: string, name: string | null): readonly [begin: number, end: number] {
  if (name === null) return [query.lastIndexOf('\nselect') + 1, query.length]
  const head = ['as (', 'as materialized ('].map((as) => `${name} ${as}\n`).find((one) => query.includes(one))
  if (head === undefined) throw new Error(`the query has no part ${name}`)
  const begin = query.indexOf(head) + head.length
  return [begin, query.indexOf('\n)', begin)]
}
