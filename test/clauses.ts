/** `node test/clauses.ts`: prints which test holds which clause of the specification, as the names of the tests say it. */
import { globSync, readFileSync } from 'node:fs'
import { sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A test, or a case in a table of tests, whose name ends with a clause: `… [spec 2.2.3, gaps rules.1]`. */
export interface HeldClause {
  /** `spec 2.2.3` or `gaps rules.1`: document, section, row or item of it. */
  readonly clause: string
  /** Path from the top. */
  readonly file: string
  readonly name: string
}

/** Clauses that this version does not follow yet; a test that holds one is a contradiction. */
export const NOT_YET: readonly string[] = [
  // Asking a source for what has changed.
  'gaps B.11',
  'gaps B.12',
]

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CLAUSE = '(?:spec|gaps) [A-Za-z]*[\\d.]*(?: p\\d+)?'
const TAGGED = new RegExp(`(['"\`])((?:(?!\\1|\\n).)*) \\[(${CLAUSE}(?:, ${CLAUSE})*)\\]\\1`, 'g')

/** Finds the clauses that tests are tagged with, in the order of the clauses. */
export function heldClauses(): readonly HeldClause[] {
  const files = globSync('test/**/*.ts', { cwd: ROOT, exclude: ['test/clauses*.ts', 'test/suites/**'] })
  const inOrder = new Intl.Collator('en', { numeric: true })
  return files
    .flatMap((file) => tagsOf(file.split(sep).join('/'), readFileSync(`${ROOT}/${file}`, 'utf8')))
    .sort((a, b) => inOrder.compare(a.clause, b.clause) || inOrder.compare(a.file, b.file))
}

function tagsOf(file: string, text: string): readonly HeldClause[] {
  return [...text.matchAll(TAGGED)].flatMap(([, , name = '', tags = '']) =>
    tags.split(', ').map((clause) => ({ clause, file, name })),
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(
    heldClauses()
      .map(({ clause, file, name }) => `${clause}\t${file}\t${name}\n`)
      .join(''),
  )
}
