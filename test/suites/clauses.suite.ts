import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { heldClauses, NOT_YET } from '../clauses.ts'
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

  test('each clause and table row of the documents has a test or is on the list of what is not done yet', () => {
    const named = [...heldClauses().map(({ clause }) => clause), ...NOT_YET]
    expect([...new Set(named)].sort()).toEqual(clauses.map(({ id }) => id).sort())
  })
} else {
  test.skip(`clauses: not run, ${documents.pathname} is not here`, () => {})
}
