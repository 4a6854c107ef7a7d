import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Expression, parseSync, type Span, Visitor } from 'oxc-parser'
import { checkSync } from 'recheck'
import { expect, test } from 'vitest'

/**
 * Folders with code that processes values of a source. A value of a source may be megabytes long, and an
 * attacker may have chosen a value that takes long to process.
 */
const FOLDERS = [
  'transforms/declare/{column,custom-fields,field-values,forms,resource}.ts',
  'transforms/rules',
  'transforms/source-{a,b}/resources.ts',
  'transforms/texts',
  'pipeline/extract',
  'pipeline/http',
  'pipeline/people',
  'pipeline/settings',
  'pipeline/runtime',
  'pipeline/sources/contract',
  'pipeline/sources/a',
  'pipeline/sources/b',
  'loaders/packs',
  'loaders/files',
  'loaders/platform',
  'loaders/staging',
  'loaders/verify',
]
const ROOT = join(import.meta.dirname, '..')
const LOOKS_THROUGH = /^(includes|indexOf|lastIndexOf)$/
const IS_CONSTANT = /^[A-Z_]+$/
/**
 * Expressions that may be searched in a loop: short lists that the product makes, and single texts or keys.
 */
const SHORT = [
  'codes',
  'contents',
  'columns',
  'content.content',
  'kinds',
  'query',
  'relation',
  'words',
  'old.askedKeys',
  'shown',
]

/**
 * The check has no time limits, because a time limit would report fast expressions as slow on a busy machine.
 * The number of steps is limited anyway.
 */
const UNTIMED = { timeout: null, attackTimeout: null, incubationTimeout: null, seedingTimeout: null }

const files = FOLDERS.flatMap((folder) => filesIn(folder)).map((file) => {
  const text = readFileSync(join(ROOT, file), 'utf8')
  return { file, text, program: parseSync(file, text).program }
})

function filesIn(folder: string): readonly string[] {
  const found = globSync(folder.endsWith('.ts') ? folder : `${folder}/**/*.ts`, { cwd: ROOT })
  if (found.length === 0) throw new Error(`${folder} has no code`)
  return found
}

test('no regular expression takes more than linear time in the length of the text', () => {
  const slow: string[] = []
  for (const { file, program } of files) {
    new Visitor({
      Literal(node) {
        if (!('regex' in node)) return
        const { pattern, flags } = node.regex
        const { status } = checkSync(pattern, flags, UNTIMED)
        if (status !== 'safe') slow.push(`${file}: /${pattern}/${flags} is ${status}`)
      },
    }).visit(program)
  }
  expect(slow).toEqual([])
})

test('no loop over a list searches another list at each element; code must use a set instead', () => {
  const slow: string[] = []
  const unused = new Set(SHORT)
  for (const { file, text, program } of files) {
    const textOf = ({ start, end }: Span) => text.slice(start, end)
    const isShort = (node: Expression) => {
      const written = textOf(node)
      unused.delete(written)
      const isFew = node.type === 'Literal' || node.type === 'ArrayExpression'
      return isFew || IS_CONSTANT.test(written) || SHORT.includes(written)
    }
    new Visitor({
      CallExpression({ callee, arguments: [wanted], ...node }) {
        if (callee.type !== 'MemberExpression' || !LOOKS_THROUGH.test(textOf(callee.property))) return
        if (wanted === undefined || wanted.type === 'SpreadElement') return
        if (!isShort(callee.object) && !isShort(wanted)) slow.push(`${file}: ${textOf(node)}`)
      },
    }).visit(program)
  }
  expect({ slow, unused: [...unused] }).toEqual({ slow: [], unused: [] })
})
