import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { mutations } from './all.ts'

const text = (file: string) => readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8')

test('every mutation still finds the one place that it breaks', () => {
  const astray = mutations.flatMap(({ breaks, file, from, to }) => {
    const places = text(file).split(from).length - 1
    return places === 1 && from !== to ? [] : [`${file}: ${breaks}: ${places} places`]
  })
  expect(astray).toEqual([])
})

test('a broken rule is still a program: else any test would fail, and prove nothing', () => {
  for (const { file, from, to, breaks } of mutations) {
    const broken = text(file).replace(from, () => to)
    expect(() => stripTypeScriptTypes(broken), `${file}: ${breaks}`).not.toThrow()
  }
})

test('there are mutations of every rule, each with a name of its own', () => {
  expect(mutations.length).toBeGreaterThanOrEqual(100)
  expect(new Set(mutations.map(({ breaks }) => breaks)).size).toBe(mutations.length)
})
