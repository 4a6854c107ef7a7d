/**
 * Prints every message of the product with its file and line, so that all messages can be reviewed together:
 * `npm run messages [-- PATH…]`. Messages are error texts, output texts, and values of properties that people
 * read.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Argument, parseSync, type Span, Visitor } from 'oxc-parser'

const ROOT = join(import.meta.dirname, '..')
/** Names of functions whose arguments people read. */
const SAYS = /(?:Error|\.write|\bnote|\.trouble|\bfailed|\bok|\bnotCheckable|\bfinding)$/
/** Names of properties whose values people read. */
const WORDS = /^(?:todo|hint|detail|says|why|summary|help|sentence|what|title)$/

const folders = process.argv.slice(2)
const files = globSync(
  (folders.length > 0 ? folders : ['pipeline', 'loaders', 'transforms', 'sql']).map(toGlob),
  {
    cwd: ROOT,
  },
)
let messages = 0
for (const file of files.toSorted()) {
  const text = readFileSync(join(ROOT, file), 'utf8')
  const lineOf = ({ start }: Span) => text.slice(0, start).split('\n').length
  const print = (node: Span) => {
    // A text of a single word is a code or a name, not a message.
    if (!/\S\s+\S/.test(text.slice(node.start, node.end))) return
    messages += 1
    console.log(`${file}:${lineOf(node)}  ${text.slice(node.start, node.end).replaceAll(/\s*\n\s*/g, ' ')}`)
  }
  const printTexts = (nodes: readonly Argument[]) => {
    for (const node of nodes) if (isText(node)) print(node)
  }
  new Visitor({
    NewExpression({ callee, arguments: values }) {
      if (SAYS.test(text.slice(callee.start, callee.end))) printTexts(values)
    },
    CallExpression({ callee, arguments: values }) {
      if (SAYS.test(text.slice(callee.start, callee.end))) printTexts(values)
    },
    Property({ key, value }) {
      if (WORDS.test(text.slice(key.start, key.end)) && isText(value)) print(value)
    },
  }).visit(parseSync(file, text).program)
}
console.log(`${messages} messages`)

function toGlob(path: string): string {
  return path.endsWith('.ts') ? path : `${path}/**/*.ts`
}

/** Returns true if the value of an expression can be a text. */
function isText(node: { readonly type: string } & Span): boolean {
  return ['Literal', 'TemplateLiteral', 'BinaryExpression', 'ConditionalExpression'].includes(node.type)
}
