import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PROOFS } from './proofs.ts'

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

test('each proof has a unique name, runs only scripts of package.json, and has a row in the README of the proofs', () => {
  const { scripts } = JSON.parse(read('../../package.json'))
  for (const { name, full, quick = [] } of PROOFS) {
    for (const command of [...full, ...quick]) expect(scripts).toHaveProperty([command.split(' ')[0] ?? ''])
    expect(read('README.md')).toContain(`\n| ${name} |`)
  }
  expect(new Set(PROOFS.map(({ name }) => name)).size).toBe(PROOFS.length)
})
