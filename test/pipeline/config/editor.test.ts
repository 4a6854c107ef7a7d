import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import {
  configSchema,
  fileSchema,
  integrationFileSchema,
  NOTHING_OUTSIDE,
} from '../../../pipeline/config/config.ts'
import { fittingDefaults, withDefaults } from '../../../pipeline/config/defaults.ts'
import { mistakesInDefaults, mistakesOf } from '../../../pipeline/config/load.ts'
import { plainMessage } from '../../../pipeline/settings/errors.ts'
import { isMapping, type Mapping } from '../../../pipeline/settings/yaml.ts'
import {
  customers,
  designSample,
  everyOption,
  ownFieldsAndRules,
  sourceA,
  sourceB,
  withIntegration,
} from './samples.ts'

type Path = readonly PropertyKey[]

// Strict mode reports an error if a keyword is unknown, does not fit its type, or breaks draft 7.
const ajv = new Ajv({ strict: true, allowUnionTypes: true })
const byJsonSchema = ajv.compile(fileSchema())
const ofIntegrationFile = ajv.compile(integrationFileSchema())

/** Returns true if an editor that uses the JSON Schema reports no error. */
const acceptsInEditor = (config: unknown) => byJsonSchema(config)

const acrossKeys =
  /is the id of|is the name of|differ only in case|would get a random password|need a top-level/

const validFile = parse(sourceA.replace('summit', 'of-a-file')).integrations[0]

/**
 * Returns the configuration as the command checks it: with its defaults, and with a valid integration for
 * each file name.
 */
function asRead(config: unknown): unknown {
  if (!isMapping(config)) return config
  const { integrations, defaults } = config
  const listed = typeof integrations === 'string' ? [integrations] : integrations
  if (!Array.isArray(listed)) return config
  const read = listed.map((one) => {
    if (typeof one === 'string') return validFile
    return withDefaults(one, isMapping(defaults) ? fittingDefaults(defaults, one) : {})
  })
  return { ...config, integrations: read }
}

/**
 * Returns true if the command accepts the configuration. The function ignores errors that a JSON Schema
 * cannot express. These errors are unknown time zones, broken rules about several keys, and errors that
 * depend on defaults.
 */
function acceptsInCommand(config: unknown): boolean {
  const { error } = configSchema.safeParse(asRead(config), { error: plainMessage })
  const hasDefaults = isMapping(config) && 'defaults' in config
  const mistakes = [
    ...(error?.issues ?? []).flatMap(mistakesOf),
    ...mistakesInDefaults(config, NOTHING_OUTSIDE),
  ]
  const told = mistakes.filter(
    ({ path, message }) =>
      !(path.at(-1) === 'timeZone' && message.includes(', got "')) &&
      !(String(path.at(-1)).startsWith('custom.') && message.includes('no field of this name')) &&
      !acrossKeys.test(message) &&
      !(hasDefaults && isOfDefaults(config, path, message)),
  )
  return told.length === 0
}

/**
 * Returns true if a configuration with defaults could be valid in spite of the error. A missing key may come
 * from defaults, and null may switch a default off.
 */
function isOfDefaults(config: unknown, path: Path, message: string): boolean {
  const [top, , key, ...inner] = path
  if (top !== 'integrations' || key === undefined || key === 'id') return false
  if (inner.some((one) => typeof one === 'number')) return false
  const written = path.reduce((value: unknown, one) => Reflect.get(Object(value), one), config)
  return written === null || message.startsWith('is missing')
}

const examples = Object.entries({
  designSample,
  everyOption,
  ownFieldsAndRules,
  customers,
  sourceA,
  sourceB,
}).map(([name, yaml]) => [name, parse(yaml) as unknown] as const)

/**
 * Values of every kind. Most of these values are invalid for nearly every key, and a few are valid for some
 * keys.
 */
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

/** Returns a copy of a value in which the value at one path is changed. */
function changedAt(value: unknown, path: Path, change: (parent: Mapping, key: string) => void): unknown {
  const copy: unknown = structuredClone(value)
  const parent = path.slice(0, -1).reduce((inner, key) => Reflect.get(Object(inner), key), copy)
  change(parent as Mapping, String(path.at(-1)))
  return copy
}

const judgements = (config: unknown) => [acceptsInCommand(config), acceptsInEditor(config)]

describe('an editor that uses the schema agrees with the command', () => {
  test.each(examples)(
    'the command, and an editor with the JSON Schema, both accept the configuration %s',
    (_name, config) => {
      expect(judgements(config)).toStrictEqual([true, true])
      expect(configSchema.safeParse(asRead(config)).error).toBeUndefined()
    },
  )

  test.each(examples.slice(0, 4))(
    'the command, and an editor with the JSON Schema, agree if any value is replaced by another value in %s',
    (_name, config) => {
      const tried = { accepted: 0, refused: 0 }
      const apart: unknown[] = []
      for (const path of placesIn(config)) {
        for (const value of values) {
          const changed = changedAt(config, path, (parent, key) => Object.assign(parent, { [key]: value }))
          const [command, editor] = judgements(changed)
          tried[command ? 'accepted' : 'refused'] += 1
          if (command !== editor) apart.push({ path: path.join('.'), value, command, editor })
        }
      }
      expect(apart).toStrictEqual([])
      expect(tried.accepted).toBeGreaterThan(50)
      expect(tried.refused).toBeGreaterThan(300)
    },
  )

  test.each(examples.slice(0, 4))(
    'the command, and an editor with the JSON Schema, agree if any key is removed from, or added to, %s',
    (_name, config) => {
      const places = placesIn(config)
      const apart = places.flatMap((path) => {
        const without = changedAt(config, path, (parent, key) => Reflect.deleteProperty(parent, key))
        const beside = changedAt(config, path, (parent) => Object.assign(parent, { colour: 'red' }))
        return [without, beside]
          .map(judgements)
          .filter(([command, editor]) => command !== editor)
          .map(([command, editor]) => ({ path: path.join('.'), command, editor }))
      })
      expect(apart).toStrictEqual([])
    },
  )

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
    expect(judgements(parse(withIntegration(line)))).toStrictEqual([isAccepted, isAccepted]),
  )

  test.each([null, [], 'text', 5])(
    'the command, and an editor with the JSON Schema, both refuse %j as a configuration',
    (config) => expect(judgements(config)).toStrictEqual([false, false]),
  )
})

test.each([
  [true, 'id: acme'],
  [true, '{id: acme, source: {timeZone: null}, schedule: null}'],
  [true, '[{id: acme}, {id: expo, platform: {type: jsonl}}]'],
  [false, 'source: {type: a}'],
  [false, '{id: acme, removals: {maxShare: 2}}'],
  [false, '{id: acme, colour: red}'],
  [false, '[]'],
  [false, 'integrations: [{id: acme}]'],
])('the schema for files with integrations accepts this text (true or false): %s %s', (isAccepted, text) => {
  expect(ofIntegrationFile(parse(text))).toBe(isAccepted)
})
