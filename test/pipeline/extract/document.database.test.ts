import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pathOfWideNumber, toDocument } from '../../../pipeline/extract/resource/to-incoming.ts'
import type { Database } from '../../../sql/database.ts'
import type { Json } from '../../../transforms/rules/values.ts'
import { engines, openEngine } from '../../support/engines.ts'

const raw = (digits: string): Json => JSON.rawJSON(digits)
const widePath = (record: Json) => pathOfWideNumber(record, toDocument(record))

describe('a record as JSON text', () => {
  test.each<[string, Json, string]>([
    ['is as received', { b: 'é😀\n', a: [1, null, true] }, '{"b":"é😀\\n","a":[1,null,true]}'],
    ['keeps the digits of numbers', [raw('1.0'), raw('99999999999999999')], '[1.0,99999999999999999]'],
    ['loses U+0000', { text: 'a\0b', list: ['\0'] }, '{"text":"ab","list":[""]}'],
    ['loses U+0000 in keys', { 'a\0b': { '\0': 1 } }, '{"ab":{"":1}}'],
    ['has U+FFFD for a lone high surrogate', ['a\ud800b'], '["a\ufffdb"]'],
    ['has U+FFFD for a lone surrogate in a key', { 'k\udfff': '\ud83d' }, '{"k\ufffd":"\ufffd"}'],
    ['joins a pair that U+0000 split', ['\ud83d\0\ude00'], '["😀"]'],
    [
      'keeps a backslash and what follows',
      ['\\u0000', '\\ud800', '\\\\u0000'],
      String.raw`["\\u0000","\\ud800","\\\\u0000"]`,
    ],
    ['keeps numbers beside what it replaces', ['\0', raw('1e3'), 7], '["",1e3,7]'],
    ['keeps an own key __proto__', JSON.parse('{"__proto__":{"a":"\\u0000"}}'), '{"__proto__":{"a":""}}'],
    ['may be any value', 'a\0', '"a"'],
  ])('%s', (_, record, text) => {
    expect(toDocument(record)).toBe(text)
  })
})

describe('a number that the database cannot hold', () => {
  test.each<[Json, string]>([
    [raw('1e131072'), '$'],
    [{ a: { b: [1, raw('1E-16384')] } }, '$.a.b[1]'],
    [[{ x: 1 }, { y: raw('-7.5e+999999') }], '$[1].y'],
    [{ long: raw('1'.repeat(131_073)) }, '$.long'],
    [{ long: raw(`0.${'1'.repeat(16_384)}`) }, '$.long'],
    [{ first: raw('1e999999'), second: raw('1e999999') }, '$.first'],
    [{ zeros: Array(200).fill(raw('1e100000')) }, '$.zeros[167]'],
  ])('is found, and its path is returned: case %#', (record, path) => {
    expect(widePath(record)).toBe(path)
  })

  test.each([['a\0\ud800'], ['u1@people.example'], ['+49 30 1234567'], ['4711'], ['Ada Lovelace'], ['']])(
    'the path to a number that the database cannot hold has * instead of a key that may contain personal data: %j',
    (key) => {
      expect(widePath({ [key]: { Weight_kg: raw('1e999999') } })).toBe('$.*.Weight_kg')
    },
  )

  test.each<[Json]>([
    [{ a: raw('1e131071'), b: raw('1e-16383'), c: raw('9'.repeat(131_072)), d: 1e300 }],
    [{ text: '1e9999', more: `x${'1'.repeat(2000)}` }],
    [{ '1e9999': 'a key' }],
    [{ padded: raw('1e0000000007') }],
    [{ text: '1e9999', two: raw(`${'1'.repeat(600)}.${'1'.repeat(600)}`) }],
    [null],
  ])('is not found in a record that the database can hold: case %#', (record) => {
    expect(widePath(record)).toBeNull()
  })
})

describe.each(engines)('written documents load into jsonb on %s', (engine) => {
  let database: Database
  beforeAll(async () => {
    database = await openEngine(engine)
  })
  afterAll(() => database.close())

  async function load(document: string): Promise<string> {
    const { rows } = await sql<{ doc: string }>`
      select cast(cast(${document} as text) as jsonb)::text as doc`.execute(database.kysely)
    return rows[0]?.doc ?? ''
  }

  test('the largest accepted numbers can be loaded into jsonb', async () => {
    const record = [
      raw('1e131071'),
      raw('-1e-16383'),
      raw('9'.repeat(131_072)),
      raw(`${'1'.repeat(999)}.${'1'.repeat(999)}e-1000`),
    ]
    expect(widePath(record)).toBeNull()
    await expect(load(toDocument(record))).resolves.toMatch(/^\[1000/)
  })

  const fragment = fc.constantFrom(
    ...['\0', '\ud800', '\udc00', '\udfff', '\\', '"', 'u0000', '😀', '\u2028', 'é'],
  )
  const text = fc.oneof(
    fc.array(fragment, { maxLength: 6 }).map((list) => list.join('')),
    fc.string({ unit: 'binary', maxLength: 8 }),
  )
  const { record } = fc.letrec<{ record: Json }>((tie) => ({
    record: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.constant(null),
      fc.boolean(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.array(tie('record'), { maxLength: 4 }),
      fc.array(fc.tuple(text, tie('record')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
    ),
  }))

  test('any text can be loaded into jsonb in any place, and only unsupported characters change [R56]', async () => {
    await fc.assert(
      fc.asyncProperty(record, async (value) => {
        const document = toDocument(value)
        // Skips documents that JSON.parse of Node 24 reads wrongly: it confuses a key with an earlier key
        // that ends in a backslash. The product does not use JSON.parse for these documents.
        fc.pre(!document.includes('\\\\"'))
        const stored = JSON.parse(await load(document))
        expect(textsOf(stored)).toEqual(textsOf(asStorable(value)))
      }),
      { numRuns: 300 },
    )
  })

  test('every number that is not refused can be loaded into jsonb', async () => {
    const orNothing = (part: fc.Arbitrary<string>) => fc.oneof(fc.constant(''), part)
    const length = fc.integer({ min: 1, max: 1200 })
    const exponent = fc.tuple(
      fc.constantFrom('e', 'E', 'e+', 'e-', 'e000'),
      fc.integer({ min: 0, max: 140_000 }),
    )
    const digits = fc.tuple(
      fc.constantFrom('', '-'),
      length.map((count) => '7'.repeat(count)),
      orNothing(length.map((count) => `.${'3'.repeat(count)}`)),
      orNothing(exponent.map((parts) => parts.join(''))),
    )
    await fc.assert(
      fc.asyncProperty(digits, text, async (parts, beside) => {
        const value = { beside, number: raw(parts.join('')) }
        if (widePath(value) === null) await expect(load(toDocument(value))).resolves.not.toBe('')
      }),
      { numRuns: 200 },
    )
  })
})

/**
 * Computes the value that must be stored, without code of the product: it drops U+0000, then replaces each
 * lone surrogate by U+FFFD.
 */
function asStorable(value: unknown): unknown {
  if (typeof value === 'string') {
    return [...value.split('\0').join('')]
      .map((character) => (/^[\ud800-\udfff]$/.test(character) ? '\ufffd' : character))
      .join('')
  }
  if (Array.isArray(value)) return value.map(asStorable)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [asStorable(key) as string, asStorable(member)]),
  )
}

/**
 * Returns the sorted texts and keys of a value, because jsonb keeps neither the order of keys nor all digits
 * of a double.
 */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [`text ${value}`]
  if (Array.isArray(value)) return value.flatMap(textsOf)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value)
    .flatMap(([key, member]) => [`key ${key}`, ...textsOf(member)])
    .sort()
}
