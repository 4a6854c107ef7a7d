import { expect, test } from 'vitest'
import { parseYaml } from '../../../pipeline/settings/yaml.ts'

test.each([
  ['in brackets', `a: 1\nb: ${'['.repeat(3000)}${']'.repeat(3000)}\n`, 2],
  ['in braces', `a: 1\n\nb: ${'{c: '.repeat(3000)}1${'}'.repeat(3000)}\n`, 3],
  ['by dashes', `a:\n  ${'- '.repeat(3000)}1\n`, 2],
])('lists and mappings that are nested too deeply are an error with its line: %s', (_, text, line) => {
  expect(parseYaml(text, new Set())).toMatchObject({
    readable: false,
    problems: [{ line, message: 'lists and mappings are nested in more than 100 levels' }],
  })
})
