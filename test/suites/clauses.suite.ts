import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { heldClauses } from '../clauses.ts'
import { clausesOf } from './clauses.ts'

const documents = new URL('../../../shared/', import.meta.url)
const SECTIONS_OF_GAPS = {
  'Source A': 'A',
  'Source B': 'B',
  Decisions: 'decisions',
  'The rules in detail': 'rules',
  Passwords: 'passwords',
}

if (existsSync(new URL('spec.md', documents))) {
  const read = (name: string) => readFileSync(new URL(name, documents), 'utf8')
  const clauses = [
    ...clausesOf('spec', read('spec.md')),
    ...clausesOf('gaps', read('spec-gaps.md'), SECTIONS_OF_GAPS),
  ]

  test('each clause and table row of the documents stands in the clause table, and nothing else', () => {
    const held = new Set(heldClauses().map(({ clause }) => clause))
    expect(clauses.filter(({ id }) => !held.has(id))).toEqual([])
    const known = new Set(clauses.map(({ id }) => id))
    expect([...held].filter((id) => !known.has(id))).toEqual([])
  })

  test('the documents have as many clauses as when the table was made', () => {
    expect(clauses.length).toBe(165)
  })
} else {
  test.skip(`clauses: not run, ${documents.pathname} is not here`, () => {})
}
