import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { heldClauses } from './clauses.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

test('every test that the clause table names is there', () => {
  const texts = new Map<string, string>()
  const textOf = (file: string) => {
    if (!texts.has(file))
      texts.set(file, existsSync(join(ROOT, file)) ? readFileSync(join(ROOT, file), 'utf8') : '')
    return texts.get(file) ?? ''
  }
  const missing = heldClauses().filter(({ file, name }) => !isWritten(textOf(file), name))
  expect(missing).toEqual([])
})

test('the clause table covers the specification and the rules that fill its gaps', () => {
  const clauses = new Set(heldClauses().map(({ clause }) => clause))
  // test/suites/clauses.suite.ts compares with the documents themselves where they are at hand.
  expect(clauses.size).toBeGreaterThanOrEqual(150)
  for (const section of ['spec 2.2.', 'spec 2.8.', 'gaps A.', 'gaps B.', 'gaps decisions.', 'gaps rules.']) {
    expect([...clauses].filter((clause) => clause.startsWith(section)).length).toBeGreaterThan(8)
  }
})

/** Whether a name stands in a test file as a whole string: a test's or a case's. */
function isWritten(text: string, name: string): boolean {
  if (name === '') return false
  return ["'", '"', '`'].some((quote) => {
    const written = name.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`)
    return text.includes(`${quote}${written}${quote}`)
  })
}
