import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Expression, parseSync, type Span, Visitor } from 'oxc-parser'
import { checkSync } from 'recheck'
import { expect, test } from 'vitest'

/** Code that what a source says goes through: it may be megabytes long, and made to be slow. */
const FILES = ['transforms/rules/*.ts', 'pipeline/extract/**/*.ts']
const ROOT = join(import.meta.dirname, '..')
const LOOKS_THROUGH = /^(includes|indexOf|lastIndexOf)$/
/** Constants, and lists that the product makes. */
const IS_SHORT = /^([A-Z_]+|contents|columns)$/

/** On a busy machine what takes too long would be taken for slow; steps are counted too. */
const UNTIMED = { timeout: null, attackTimeout: null, incubationTimeout: null, seedingTimeout: null }

const files = globSync(FILES, { cwd: ROOT }).map((file) => {
  const text = readFileSync(join(ROOT, file), 'utf8')
  return { file, text, program: parseSync(file, text).program }
})

test('no regular expression takes more than linear time', () => {
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

test('no list is looked through for each element of another: that is what a set is for', () => {
  const slow: string[] = []
  for (const { file, text, program } of files) {
    const textOf = ({ start, end }: Span) => text.slice(start, end)
    const isShort = (node: Expression) => node.type === 'Literal' || IS_SHORT.test(textOf(node))
    new Visitor({
      CallExpression({ callee, arguments: [wanted], ...node }) {
        if (callee.type !== 'MemberExpression' || !LOOKS_THROUGH.test(textOf(callee.property))) return
        if (wanted === undefined || wanted.type === 'SpreadElement') return
        if (!isShort(callee.object) && !isShort(wanted)) slow.push(`${file}: ${textOf(node)}`)
      },
    }).visit(program)
  }
  expect(slow).toEqual([])
})
