import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ObjectProperty, type ObjectPropertyKind, parseSync, type Span, Visitor } from 'oxc-parser'
import { brokenPatterns } from './patterns.ts'
import { ofOperator, SWAPPED_METHODS, sqlBreaks } from './sql.ts'

/** Folders with the rules for reading, staging, planning, sending and writing. */
export const FOLDERS = [
  'transforms/declare',
  'transforms/guards',
  'transforms/history',
  'transforms/plan',
  'transforms/reconciliation',
  'transforms/decide',
  'transforms/rules',
  'transforms/source-a',
  'transforms/source-b',
  'transforms/texts',
  'pipeline/extract',
  'pipeline/database',
  'pipeline/http',
  'pipeline/context',
  'pipeline/people',
  'pipeline/run',
  'pipeline/sources/a',
  'pipeline/sources/b',
  'pipeline/sources/contract',
  'loaders/packs/csv-files',
  'loaders/ledger',
  'loaders/platform',
  'loaders/staging',
]

/** A mutant: a file of the product in which one place was changed to a mistake. */
export interface Mutant {
  /**
   * The key: path of the file, declaration, kind of the change, and its number within the declaration. The
   * key does not change if other code moves.
   */
  readonly key: string
  readonly file: string
  readonly line: number
  readonly from: string
  readonly to: string
  /** The whole text of the changed file. */
  readonly text: string
}

interface Break {
  readonly operator: string
  readonly start: number
  readonly end: number
  readonly to: string
}

/** Names of methods whose calls can be removed from a chain of calls without a syntax error. */
const DROPPED_METHODS = /^(where|whereRef|on|onRef|trim|toLowerCase|filter|replace|replaceAll|orderBy|not)$/
const COMPARING_CALLS = /^(where|whereRef|on|onRef|when|eb|fn)$/
const COMPARISONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '<': '<=',
    '<=': '<',
    '>': '>=',
    '>=': '>',
    '===': '!==',
    '!==': '===',
    '-': '+',
    '*': '/',
    '/': '*',
  }),
)

/** Returns the mutants of all files with rules, in the same order each time. */
export function allMutants(root: string): readonly Mutant[] {
  const files = globSync(
    FOLDERS.map((folder) => `${folder}/*.ts`),
    { cwd: root },
  ).toSorted()
  return files.flatMap((file) => mutantsOf(file, readFileSync(join(root, file), 'utf8')))
}

/**
 * Makes every possible mutant of a file. Each mutant has one kind of change at one node of the syntax tree.
 *
 * Types, messages and other texts are not changed. Headers of loops are not changed either, because the
 * mutant could run forever.
 */
export function mutantsOf(file: string, text: string): readonly Mutant[] {
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file} is no TypeScript: ${errors[0]?.message}`)
  const breaks: Break[] = []
  const leftAlone: Span[] = []
  const selections = new Set<number>()
  const textOf = ({ start, end }: Span) => text.slice(start, end)
  const add = (operator: string, { start, end }: Span, to: string) =>
    breaks.push({ operator, start, end, to })
  const leaveAlone = (node: Span | null) => {
    if (node !== null) leftAlone.push(node)
  }

  new Visitor({
    TSTypeAnnotation: leaveAlone,
    TSTypeParameterInstantiation: leaveAlone,
    TSInterfaceDeclaration: leaveAlone,
    TSTypeAliasDeclaration: leaveAlone,
    ImportDeclaration: leaveAlone,
    ThrowStatement: leaveAlone,
    WhileStatement: ({ test }) => leaveAlone(test),
    ForStatement(node) {
      leaveAlone(node.test)
      leaveAlone(node.update)
    },
    CallExpression(node) {
      const { callee } = node
      const isMember = callee.type === 'MemberExpression' && callee.property.type === 'Identifier'
      const name = isMember ? textOf(callee.property) : textOf(callee)
      if (isMember && DROPPED_METHODS.test(name)) add(`drop ${name}`, node, textOf(callee.object))
      if (isMember && name === 'then' && callee.object.type === 'CallExpression') {
        const when = callee.object.callee
        if (when.type === 'MemberExpression' && textOf(when.property) === 'when')
          add('drop when and then', node, textOf(when.object))
      }
      const other = isMember ? SWAPPED_METHODS.get(name) : undefined
      if (isMember && other !== undefined) add(`${name} as ${other}`, callee.property, other)
      for (const argument of node.arguments) {
        if (argument.type !== 'Literal' || typeof argument.value !== 'string') continue
        const swapped = COMPARING_CALLS.test(name) ? ofOperator(argument.value) : undefined
        if (swapped !== undefined) add('compare otherwise', argument, `'${swapped}'`)
        if (argument.value === 'UTC') add('another time zone', argument, `'Asia/Tokyo'`)
      }
      const [first, second] = node.arguments
      if (first === undefined) return
      if (name === 'select' && first.type === 'ArrayExpression') selections.add(first.start)
      if (isMember && name === 'split') add('no split', node, `[${textOf(callee.object)}]`)
      if (name === 'syncedOf') add('whether synced or not', node, textOf(first))
      if (second === undefined) return
      // This mutant compares the buffers as texts, by UTF-16 units instead of bytes.
      if (name === 'compare')
        add('no byte order', node, `(\`\${${textOf(first)}}\` < \`\${${textOf(second)}}\` ? -1 : 1)`)
      if (name === 'coalesce') add('drop argument', { start: first.start, end: second.start }, '')
    },
    ConditionalExpression(node) {
      add('always', node, `(${textOf(node.consequent)})`)
      add('never', node, `(${textOf(node.alternate)})`)
    },
    IfStatement({ test }) {
      add('if never', test, 'false')
      if (!['BinaryExpression', 'LogicalExpression'].includes(test.type)) add('if always', test, 'true')
    },
    LogicalExpression(node) {
      add('left only', node, `(${textOf(node.left)})`)
      add('right only', node, `(${textOf(node.right)})`)
    },
    BinaryExpression(node) {
      const other = COMPARISONS.get(node.operator)
      if (other !== undefined)
        add('compare otherwise', node, `${textOf(node.left)} ${other} ${textOf(node.right)}`)
    },
    UnaryExpression(node) {
      if (node.operator === '!' || node.operator === '-')
        add(`drop ${node.operator}`, node, textOf(node.argument))
    },
    ArrayExpression({ elements, start, end }) {
      const texts = elements.flatMap((element) => (element === null ? [] : [textOf(element)]))
      if (selections.has(start)) {
        elements.forEach((element, index) => {
          const [column = ''] = /^'[^' ]+/.exec(texts[index - 1] ?? '') ?? []
          const alias = / as \w+'$/.exec(texts[index] ?? '')?.[0]
          if (element !== null && column !== '' && alias !== undefined)
            add('the column before', element, column + alias)
        })
        return
      }
      texts.forEach((_, index) => {
        add('drop element', { start, end }, `[${texts.toSpliced(index, 1).join(', ')}]`)
      })
      if (texts.length > 1 && elements.every((element) => element?.type === 'Literal'))
        add('reverse', { start, end }, `[${texts.toReversed().join(', ')}]`)
    },
    ObjectExpression({ properties }) {
      // The loop visits pairs of neighbouring properties. If the number of properties is odd, the last two
      // pairs share a property.
      for (let index = 0; index + 1 < properties.length; index += index + 3 === properties.length ? 1 : 2) {
        const [one, other] = [properties[index], properties[index + 1]]
        const [oneCall, otherCall] = [spreadCall(one), spreadCall(other)]
        if (oneCall !== undefined && otherCall !== undefined) {
          const texts = [textOf(otherCall), text.slice(oneCall.end, otherCall.start), textOf(oneCall)]
          add('swap with next', { start: oneCall.start, end: otherCall.end }, texts.join(''))
        }
        if (one?.type !== 'Property' || other?.type !== 'Property' || one.method || other.method) continue
        const keyOf = ({ computed, key }: ObjectProperty) => (computed ? `[${textOf(key)}]` : textOf(key))
        const swapped = `${keyOf(one)}: ${textOf(other.value)}, ${keyOf(other)}: ${textOf(one.value)}`
        add('swap with next', { start: one.start, end: other.end }, swapped)
      }
    },
    ForOfStatement: ({ right }) => add('loop over nothing', right, '[]'),
    ExpressionStatement(node) {
      if (['AwaitExpression', 'CallExpression'].includes(node.expression.type))
        add('drop statement', node, '{}')
    },
    Literal(node) {
      if (typeof node.value === 'boolean') add('other flag', node, String(!node.value))
      if (!('regex' in node)) return
      const { pattern, flags } = node.regex
      for (const broken of brokenPatterns(pattern, flags)) add('pattern', node, broken)
    },
    VariableDeclarator({ id, init }) {
      if (id.type === 'ArrayPattern' && init?.type === 'Identifier')
        add('from the end', init, `${textOf(init)}.toReversed()`)
      if (init?.type === 'Literal' && init.value === 0) add('start at 1', init, '1')
      if (init?.type === 'Literal' && /^'\d+'$/.test(textOf(init))) add('no number', init, `'0'`)
      if (init?.type !== 'Literal' || typeof init.value !== 'number' || /(MS|SECONDS)$/.test(textOf(id)))
        return
      if (/^[A-Z]/.test(textOf(id))) add('one less', init, String(init.value - 1))
    },
    TaggedTemplateExpression({ tag, quasi }) {
      if (textOf(tag) !== 'sql') return
      for (const element of quasi.quasis) {
        for (const { operator, at, length, to } of sqlBreaks(textOf(element))) {
          add(operator, { start: element.start + at, end: element.start + at + length }, to)
        }
      }
    },
  }).visit(program)

  const declarations = program.body.map((statement) => ({ ...statement, name: nameOf(textOf(statement)) }))
  const seen = new Map<string, number>()
  return breaks
    .filter(({ start, end }) => !leftAlone.some((span) => span.start <= start && end <= span.end))
    .filter(({ start, end, to }) => text.slice(start, end) !== to)
    .map(({ operator, start, end, to }) => {
      const within = declarations.find((declaration) => declaration.start <= start && end <= declaration.end)
      const kind = `${file} ${within?.name ?? ''}: ${operator}`
      const nth = (seen.get(kind) ?? 0) + 1
      seen.set(kind, nth)
      return {
        key: `${kind} #${nth}`,
        file,
        line: text.slice(0, start).split('\n').length,
        from: text.slice(start, end),
        to,
        text: text.slice(0, start) + to + text.slice(end),
      }
    })
}

/** Returns the first argument of a spread call, as in `...columns('name', value)`. */
function spreadCall(property: ObjectPropertyKind | undefined): Span | undefined {
  if (property?.type !== 'SpreadElement' || property.argument.type !== 'CallExpression') return undefined
  return property.argument.arguments.length > 1 ? property.argument.arguments[0] : undefined
}

function nameOf(declaration: string): string {
  return /^(?:export )?(?:async )?(?:function\*?|const|class) (\w+)/.exec(declaration)?.[1] ?? ''
}
