import { describe, expect, test } from 'vitest'
import { parseYaml } from '../../../pipeline/settings/yaml.ts'

test.each([
  ['in brackets', `a: 1\nb: ${'['.repeat(3000)}${']'.repeat(3000)}\n`, 2],
  ['in braces', `a: 1\n\nb: ${'{c: '.repeat(3000)}1${'}'.repeat(3000)}\n`, 3],
  ['by dashes', `a:\n  ${'- '.repeat(3000)}1\n`, 2],
])('lists and mappings that are nested too deeply are reported with their line: %s', (_, text, line) => {
  expect(parseYaml(text, new Set())).toMatchObject({
    readable: false,
    problems: [{ line, message: 'lists and mappings are nested in more than 100 levels' }],
  })
})

const base = 'base: &base {eventId: 007, url: x}\n'

describe('merge keys', () => {
  test.each([
    ['a mapping', '{<<: *base, url: y}', { eventId: '007', url: 'y' }],
    ['a mapping after the own keys', '{url: y, <<: *base}', { eventId: '007', url: 'y' }],
    [
      'a list, of which the first counts',
      '{<<: [*base, {url: z, type: a}]}',
      { eventId: '007', url: 'x', type: 'a' },
    ],
    ['nothing, in quotation marks', '{"<<": 5}', { '<<': 5 }],
  ])('merge %s', (_, yaml, expected) => {
    const { value, problems } = parseYaml(`${base}one: ${yaml}\n`, new Set(['eventId']))
    expect(problems).toStrictEqual([])
    expect(value).toMatchObject({ one: expected })
  })

  test('the position of a merged key is the position of its definition, unless the mapping has the key itself', () => {
    const { positionOf } = parseYaml(`${base}one:\n  <<: *base\n  url: y\n`, new Set())
    expect(positionOf(['one', 'eventId'])).toEqual({ line: 1, column: 14 })
    expect(positionOf(['one', 'url'])).toEqual({ line: 4, column: 3 })
    expect(positionOf(['one', 'nothing'])).toEqual({ line: 2, column: 1 })
  })

  test.each(['5', '', '[*base, 5]', '&own {<<: *own}'])(
    'a merge key with the value "%s" is an error',
    (value) => {
      const { problems, readable } = parseYaml(`${base}one:\n  <<: ${value}\n`, new Set())
      expect({ readable, problems }).toMatchObject({
        readable: false,
        problems: [{ line: expect.any(Number) }],
      })
    },
  )

  test('merge keys may merge one mapping into thousands of others, but are refused if aliases multiply', () => {
    const many = `${base}all:\n${'  - {<<: *base}\n'.repeat(3000)}`
    expect(parseYaml(many, new Set()).problems).toStrictEqual([])
    const levels = Array.from(
      { length: 12 },
      (_, i) =>
        `l${i + 1}: &l${i + 1} {${'abcdefghi'
          .split('')
          .map((key) => `${key}: {<<: *l${i}}`)
          .join(', ')}}`,
    )
    expect(parseYaml(`l0: &l0 {x: y}\n${levels.join('\n')}\n`, new Set())).toMatchObject({
      readable: false,
      problems: [{ message: 'the aliases (*name) of this file cannot be resolved' }],
    })
  })
})
