/**
 * Pairs of methods that a mutant exchanges in a chain of calls: joins and connectives of kysely, and methods
 * of lists.
 */
export const SWAPPED_METHODS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    leftJoin: 'innerJoin',
    innerJoin: 'leftJoin',
    and: 'or',
    or: 'and',
    some: 'every',
    every: 'some',
    find: 'findLast',
    findLast: 'find',
    min: 'max',
    max: 'min',
  }),
)

const OPERATORS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '=': '<>',
    '<>': '=',
    '<': '<=',
    '<=': '<',
    '>': '>=',
    '>=': '>',
    is: 'is not',
    'is not': 'is',
    in: 'not in',
    'not in': 'in',
    '+': '-',
    '-': '+',
  }),
)

/** Returns the operator that a mutant uses instead of this comparison operator; undefined for other texts. */
export function ofOperator(operator: string): string | undefined {
  return OPERATORS.get(operator)
}

const SQL: Readonly<Record<string, readonly [from: RegExp, to: string]>> = {
  'is null': [/\bis null\b/g, 'is not null'],
  'is not null': [/\bis not null\b/g, 'is null'],
  'is distinct': [/\bis distinct from\b/g, 'is not distinct from'],
  'is not distinct': [/\bis not distinct from\b/g, 'is distinct from'],
  and: [/\band\b/g, 'or'],
  or: [/\bor\b/g, 'and'],
  exists: [/(?<!not )\bexists\b/g, 'not exists'],
  'not exists': [/\bnot exists\b/g, 'exists'],
  equal: [/ = /g, ' <> '],
  unequal: [/ <> /g, ' = '],
  less: [/ < /g, ' <= '],
  'less or equal': [/ <= /g, ' < '],
  greater: [/ > /g, ' >= '],
  'greater or equal': [/ >= /g, ' > '],
  minus: [/ - /g, ' + '],
  distinct: [/\bselect distinct\b/g, 'select'],
  union: [/\bunion\b(?! all)/g, 'union all'],
  order: [/(?<=\border by [\w.]+| collate "C")(?= *[\n),])/g, ' desc'],
  collation: [/ collate "C"/g, ''],
  columns: [/\b([a-z]\w*\.\w+), ([a-z]\w*\.\w+)/g, '$2, $1'],
  'last column': [/, [a-z]\w*\.\w+(?=\s*(\n|$))/g, ''],
  'strip nulls': [/\bjsonb_strip_nulls\b/g, ''],
  'time zone': [/'UTC'/g, `'Asia/Tokyo'`],
}

/** Returns variants of a piece of SQL, each with a mistake at one place. */
export function sqlBreaks(text: string) {
  return Object.entries(SQL).flatMap(([operator, [from, to]]) =>
    [...text.matchAll(from)].map(({ 0: found, 1: one, 2: other, index }) => ({
      operator: `sql ${operator}`,
      at: index,
      length: found.length,
      to: to.replace('$1', one ?? '').replace('$2', other ?? ''),
    })),
  )
}
