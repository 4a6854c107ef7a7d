import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { configSchema, jsonSchema } from '../../../pipeline/config/config.ts'
import { designSample, everyOption, ownFieldsAndRules, sourceA, sourceB, withIntegration } from './samples.ts'

type Mapping = Readonly<Record<string, unknown>>
type Path = readonly (string | number)[]

// Strict mode: it is an error if a keyword is unknown, does not fit its type, or breaks draft 7.
const byJsonSchema = new Ajv({ strict: true, allowUnionTypes: true }).compile(jsonSchema())

/** Returns true if an editor that uses the JSON Schema reports no error. */
const acceptsInEditor = (config: unknown) => byJsonSchema(config)

const acrossKeys =
  /is the id of|is the name of|differ only in case|would get a random password|need a top-level/

/**
 * Returns true if the command accepts the configuration. It ignores errors that a JSON Schema cannot express:
 * unknown time zones and rules that involve several keys.
 */
function acceptsInCommand(config: unknown): boolean {
  const { success, error } = configSchema.safeParse(config)
  const told = (error?.issues ?? []).filter(
    ({ code, path, message }) =>
      !(path.at(-1) === 'timeZone' && message.includes(', got "')) &&
      !(code === 'custom' && String(path.at(-1)).startsWith('custom.')) &&
      !(code === 'custom' && acrossKeys.test(message)),
  )
  return success || told.length === 0
}

const examples = Object.entries({ designSample, everyOption, ownFieldsAndRules, sourceA, sourceB }).map(
  ([name, yaml]) => [name, parse(yaml) as unknown] as const,
)

/** Values of every kind. A few are valid in some places; most are invalid nearly everywhere. */
const values: readonly unknown[] = [
  ...[null, true, false, 0, 1, -1, 0.5, 1.5, 10_001, 9_007_199_254_740_992],
  ...['', ' ', '\t', 'a\nb', 'x'.repeat(63), 'x'.repeat(64), 'file:a b', 'file: ', 'https://x y.example'],
  ...'é . .. ... a b A-1 -a env:NAME env:1NAME env: file: http:key full keep none jsonl'.split(' '),
  ...'https://x.example https://x.example/a/ https://x.example/?q https://x.example#f'.split(' '),
  ...'https://me:pw@x.example https:// ftp://x.example'.split(' '),
  ...[[], ['agenda'], ['agenda', 'agenda'], [''], [1], {}, { type: 'a' }],
]

/** Returns the path of every key and element within a value, at every level. */
function placesIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const place = [...path, Array.isArray(value) ? Number(key) : key]
    return [place, ...placesIn(inner, place)]
  })
}

/** Returns a copy in which the value at one path is changed. */
function changedAt(value: unknown, path: Path, change: (parent: Mapping, key: string) => void): unknown {
  const copy: unknown = structuredClone(value)
  const parent = path.slice(0, -1).reduce((inner, key) => Reflect.get(Object(inner), key), copy)
  change(parent as Mapping, String(path.at(-1)))
  return copy
}

const verdicts = (config: unknown) => [acceptsInCommand(config), acceptsInEditor(config)]

describe('an editor that uses the schema agrees with the command', () => {
  test.each(examples)('and both accept the configuration %s', (_name, config) => {
    expect(verdicts(config)).toStrictEqual([true, true])
    expect(configSchema.safeParse(config).error).toBeUndefined()
  })

  test.each(examples.slice(0, 3))(
    'if any value anywhere is replaced by another one in %s',
    (_name, config) => {
      const tried = { accepted: 0, refused: 0 }
      const apart: unknown[] = []
      for (const path of placesIn(config)) {
        for (const value of values) {
          const changed = changedAt(config, path, (parent, key) => Object.assign(parent, { [key]: value }))
          const [command, editor] = verdicts(changed)
          tried[command ? 'accepted' : 'refused'] += 1
          if (command !== editor) apart.push({ path: path.join('.'), value, command, editor })
        }
      }
      expect(apart).toStrictEqual([])
      expect(tried.accepted).toBeGreaterThan(50)
      expect(tried.refused).toBeGreaterThan(300)
    },
  )

  test.each(examples.slice(0, 3))('if any key is removed from, or added to, %s', (_name, config) => {
    const places = placesIn(config)
    const apart = places.flatMap((path) => {
      const without = changedAt(config, path, (parent, key) => Reflect.deleteProperty(parent, key))
      const beside = changedAt(config, path, (parent) => Object.assign(parent, { colour: 'red' }))
      return [without, beside]
        .map(verdicts)
        .filter(([command, editor]) => command !== editor)
        .map(([command, editor]) => ({ path: path.join('.'), command, editor }))
    })
    expect(apart).toStrictEqual([])
  })

  const field = (name: string, from = 'X') =>
    `fields: {agenda: {${JSON.stringify(name)}: ${JSON.stringify(from)}}}`
  const rule = (line: string) => `exclude: [{name: x, ${line}}]`
  const lines: readonly (readonly [boolean, string])[] = [
    [true, field('a')],
    [false, field('Level')],
    [false, field('a-b')],
    [false, field('a'.repeat(41))],
    [false, field('company')],
    [false, field('uniqueId')],
    [false, field('custom')],
    [true, field('a', 'A.b c.D')],
    [true, field('a', 'A. .B')],
    ...['.', '.A', 'A.', 'A..B', 'A\t', ' '].map((from) => [false, field('a', from)] as const),
    [true, rule('content: agenda, where: {name: a}')],
    [true, rule('content: [agenda], unless: {name: a}')],
    [false, rule('content: agenda')],
    [false, rule('content: agenda, where: {name: a}, unless: {name: a}')],
    [false, rule('content: agenda, where: {}')],
    [false, rule('content: agenda, where: {company: a}')],
    [false, rule('content: [attendees, agenda], where: {company: a}')],
    [true, rule('content: [attendees, speakers], where: {company: a}')],
    [true, rule('content: agenda, where: {custom.a: a}')],
    ...[
      '" "',
      '"\\0 "',
      '[]',
      '[a, ""]',
      '{}',
      '{contains: []}',
      '{contains: a, missing: true}',
      '{is: a}',
    ].map((name) => [false, rule(`content: agenda, where: {name: ${name}}`)] as const),
  ]
  test.each(lines)('%s: %s', (isAccepted, line) =>
    expect(verdicts(parse(withIntegration(line)))).toStrictEqual([isAccepted, isAccepted]),
  )

  test.each([null, [], 'text', 5])('and both refuse %j as a configuration', (config) =>
    expect(verdicts(config)).toStrictEqual([false, false]),
  )
})
