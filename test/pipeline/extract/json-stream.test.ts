import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Envelope, MAX_NESTING, readElements } from '../../../pipeline/extract/resource/json-stream.ts'
import { LargeRecord } from '../../../pipeline/extract/resource/large-record.ts'
import { REPORT_IT, ReadError } from '../../../pipeline/http/read-error.ts'
import type { Json } from '../../../transforms/rules/values.ts'
import { failureOf } from './support.ts'

const MANY = 1_000_000

const NOT_THE_API =
  ': check that source.url is the address of the API and not a web page, then check source.eventId'

async function* inChunks(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? bytes.length
    yield bytes.subarray(at, at + size)
    at += size
  }
}

interface ReadOptions {
  readonly sizes?: readonly number[]
  readonly cap?: number
  readonly list?: string | null
}

async function read(
  body: string | Uint8Array,
  { sizes = [65_536], cap = MANY, list = null }: ReadOptions = {},
): Promise<{ readonly elements: readonly (Json | LargeRecord)[]; readonly envelope: Envelope }> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const reader = readElements(inChunks(bytes, sizes), cap, list)
  const elements: (Json | LargeRecord)[] = []
  for (;;) {
    const next = await reader.next()
    if (next.done) return { elements, envelope: next.value }
    elements.push(...next.value)
  }
}

/**
 * Reads the elements and returns them as JSON text, in which all digits of numbers and own keys `__proto__`
 * are visible.
 */
async function readAsText(body: string | Uint8Array, sizes?: readonly number[]): Promise<string> {
  return JSON.stringify((await read(body, sizes === undefined ? {} : { sizes })).elements)
}

async function failedRead(body: string | Uint8Array, cap?: number): Promise<ReadError> {
  const error = await failureOf(read(body, cap === undefined ? {} : { cap }))
  expect(error).toBeInstanceOf(ReadError)
  return error as ReadError
}

describe('an answer with a list', () => {
  test.each([
    ['a bare array', '[{"Id":1},2,"three",null]', 'array'],
    ['a value envelope', '{"value":[{"Id":1},2,"three",null]}', 'value'],
    ['an items envelope', '{"items":[{"Id":1},2,"three",null]}', 'items'],
    ['items keyed by id', '{"items":{"1":{"Id":1},"2":2,"x":"three","":null}}', 'items'],
  ])('the list in an answer is read if the answer has the form of %s', async (_, body, form) => {
    const { elements, envelope } = await read(body)
    expect(elements).toEqual([{ Id: 1 }, 2, 'three', null])
    expect(envelope).toEqual({ form, members: {} })
  })

  test.each(['[]', ' [ \n] ', '{"value":[]}', '{"items":[]}', '{"items":{}}'])(
    'an answer with an empty list is not an error: %s',
    async (body) => {
      expect((await read(body)).elements).toEqual([])
    },
  )

  test('keys within elements are not mistaken for keys of the object around the list', async () => {
    expect(await readAsText('{"items":[{"items":[1],"value":[2]}]}')).toBe('[{"items":[1],"value":[2]}]')
    expect(await readAsText('{"items":{"items":{"value":[2]}}}')).toBe('[{"value":[2]}]')
  })

  test('a member __proto__ beside the list adds nothing to the members that were read', async () => {
    const { envelope } = await read('{"__proto__":{"polluted":1},"items":[]}')
    expect((envelope.members as { polluted?: number }).polluted).toBeUndefined()
  })

  test('a byte order mark at the start of an answer is ignored', async () => {
    expect(await readAsText('\ufeff[1]')).toBe('[1]')
    expect(await readAsText('\ufeff[1]', [1])).toBe('[1]')
  })

  test('a long text that spans many chunks is read completely', async () => {
    const text = `["${'abc\\n😀\\u0041"'.repeat(20_000).replaceAll('"', '\\"')}"]`
    expect(await readAsText(text, [1000])).toBe(JSON.stringify(JSON.parse(text)))
  })
})

describe('an answer without a readable list is a failed read', () => {
  test.each([
    ['{"Message":"No such event for ada@example.com"}', '"Message"'],
    ['{"error":{"code":7,"text":"ada@example.com"}}', '"error"'],
    ['{"items":null}', '"items"'],
    ['{"value":"ada@example.com"}', '"value"'],
    ['{"value":{"1":{"id":1}}}', '"value"'],
    ['{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}', '"a", "b", "c", "d", "e"'],
  ])('the error for the answer %s names keys but never values [R16]', async (body, keys) => {
    const error = await failedRead(body)
    expect(error).toMatchObject({
      message: `an object where an array is due: ${keys}${NOT_THE_API}`,
      retryable: false,
    })
  })

  test('an answer that is an empty object fails the read', async () => {
    expect((await failedRead('{}')).message).toBe(`an empty object${NOT_THE_API}`)
  })

  test.each(['k'.repeat(1000), 'ada@example.com', 'secret key', 'u7'])(
    'the error does not repeat a key that is not a plain name: %s',
    async (key) => {
      const error = await failedRead(JSON.stringify({ [key]: 1 }))
      expect(error.message).toBe(`an object where an array is due: a key that is no plain name${NOT_THE_API}`)
    },
  )

  test.each(['null', 'true', '7', '-1.5e3', '"text"', ' false '])(
    'an answer that is a single value fails the read: %s',
    async (body) => {
      const error = await failedRead(body)
      expect(error).toMatchObject({
        message: `a single value where an array is due${NOT_THE_API}`,
        retryable: false,
      })
    },
  )

  test.each([
    '{"items":[1],"items":[2]}',
    '{"value":[1],"items":[2]}',
    '{"items":{"1":1},"value":[]}',
    '{"items":[],"items":[]}',
  ])('an answer with two lists fails the read: %s', async (body) => {
    expect((await failedRead(body)).message).toBe('two lists of elements in one answer')
  })

  test.each(['', ' ', '\n\t', '\ufeff'])(
    'an empty answer fails the read, which may be retried: %j',
    async (body) => {
      const error = await failedRead(body)
      expect(error).toMatchObject({ message: `the answer is empty${NOT_THE_API}`, retryable: true })
    },
  )

  test.each(['<!DOCTYPE html><html></html>', '\n <?xml version="1.0"?><a/>'])(
    'an answer that is a web page may come from a proxy, so the read may be retried: %j',
    async (body) => {
      const message = `the answer is not JSON but a web page${NOT_THE_API}`
      expect(await failedRead(body)).toMatchObject({ message, retryable: true })
    },
  )

  // test/suites/json-test-suite.suite.ts tests each form of broken JSON.
  test.each([
    ...[
      '[1,]',
      '[1 2]',
      '{"items":[1],}',
      '{items:[1]}',
      '[01]',
      '[NaN]',
      '[{"a":-Infinity}]',
      '[undefined]',
    ],
    ...["['a']", '["a\nb"]', '["\\x"]', '["\\u12"]', '[1}', '{"items":[1}]', '[1]//', '[1]]'],
  ])(
    'complete but malformed JSON is not retried, because the source would send it again: %j',
    async (body) => {
      for (const sizes of [[65_536], [1]]) {
        expect(await failureOf(read(body, { sizes }))).toMatchObject({
          message: `the answer is not JSON: ${REPORT_IT}`,
          retryable: false,
        })
      }
    },
  )

  test.each(['OK', 'a,b', '\ufeff\ufeff[]', 'nul'])(
    'an answer that is not JSON fails the read: %j',
    async (body) => {
      const error = await failedRead(body)
      expect(error.message).toMatch(/^the answer (is not JSON|was cut)/)
    },
  )

  test.each(['x', '[]', '{}', ',', ']', '}', '1', '"', '\0', '\ufeff', 'null'])(
    'an answer in which %j follows the JSON fails the read',
    async (rest) => {
      for (const body of ['[{"id":1}]', '{"items":[{"id":1}],"x":1}']) {
        for (const blank of ['', ' \n']) await failedRead(body + blank + rest)
      }
    },
  )

  test.each([
    ['a bare array', '[{"id":1,"n":"é😀\\u00e9"},[true,false,null,-1.5e3,""],"x"]'],
    ['an envelope', '{"a":{"b":[1]},"items":[{"id":1,"n":"é😀\\u00e9"}],"_meta":{"n":1}}'],
  ])('%s that is cut at any byte fails the read, which may be retried', async (_, body) => {
    const bytes = Buffer.from(body)
    expect((await read(bytes)).elements.length).toBeGreaterThan(0)
    for (let end = 0; end < bytes.length; end += 1) {
      for (const sizes of [[65_536], [1]]) {
        const error = await failureOf(read(bytes.subarray(0, end), { sizes }))
        expect(error, `cut at ${end}`).toBeInstanceOf(ReadError)
        expect((error as ReadError).retryable, `cut at ${end}`).toBe(true)
        const says = end === 0 ? 'the answer is empty' : 'the answer was cut: it ends within its JSON'
        expect((error as ReadError).what, `cut at ${end}`).toBe(says)
      }
    }
  })

  test.each([
    ['a byte that starts no character', [0x5b, 0x22, 0xff, 0x22, 0x5d]],
    ['a surrogate in three bytes', [0x5b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x5d]],
    ['an overlong form', [0x5b, 0x22, 0xc0, 0x80, 0x22, 0x5d]],
    ['Latin-1', [...Buffer.from('[{"Title":"Caf\u00e9"}]', 'latin1')]],
    ['Windows-1252', [0x5b, 0x22, 0x80, 0x22, 0x5d]],
  ])(
    'text that is not UTF-8 is not retried, because the source would send it again: %s',
    async (_, bytes) => {
      for (const sizes of [[100], [1]]) {
        expect(await failureOf(read(Uint8Array.from(bytes), { sizes }))).toMatchObject({
          message: `the answer is not UTF-8: JSON must be UTF-8; ${REPORT_IT}`,
          retryable: false,
        })
      }
    },
  )

  const utf16 = (text: string) => Buffer.from(text, 'utf16le')
  test.each([
    ['little-endian with a byte order mark', utf16('\ufeff[{"Id":1}]')],
    ['big-endian with a byte order mark', utf16('\ufeff[{"Id":1}]').swap16()],
    ['little-endian without a byte order mark', utf16('[{"Id":1}]')],
    ['big-endian without a byte order mark', utf16('[{"Id":1}]').swap16()],
  ])('the error for an answer in UTF-16 names UTF-16: %s', async (_, bytes) => {
    for (const sizes of [[100], [1]]) {
      expect(await failureOf(read(bytes, { sizes }))).toMatchObject({
        what: 'the answer is not UTF-8 but UTF-16',
        retryable: false,
      })
    }
  })

  test('an answer that ends within a character is reported as cut', async () => {
    const error = await failedRead(Uint8Array.from([0x5b, 0x22, 0xe2, 0x82]))
    expect(error).toMatchObject({ what: 'the answer was cut: it ends within its JSON', retryable: true })
  })

  test('an error that occurs while the body is received is passed on unchanged', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('[{"id":1},')
      throw new ReadError('the connection broke off', { retryable: true })
    }
    const reader = readElements(broken(), MANY)
    expect((await reader.next()).value).toEqual([{ id: 1 }])
    await expect(reader.next()).rejects.toThrow('the connection broke off')
  })
})

describe('an answer with several lists', () => {
  const big = `[${'{"id":7,"error":"x"},'.repeat(20_000)}0]`

  test('the named list is read with its counts and errors, and other lists of any size are skipped', async () => {
    const body = `{"links":${big},"errors":["x"],"a":[1],"count":3,"total":5,"pages":2,"name":"y","meta":{"hasMore":true},"more":${big}}`
    const { elements, envelope } = await read(body, { list: 'a', cap: 100_000 })
    expect(elements).toEqual([1])
    expect(envelope).toEqual({
      form: 'list',
      members: { errors: ['x'], count: 3, total: 5, pages: 2, meta: { hasMore: true } },
    })
  })
})

describe('limits', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

  test(`a record may be nested at most ${MAX_NESTING} levels deep`, async () => {
    expect(await readAsText(`[${nested(MAX_NESTING)}]`)).toBe(`[${nested(MAX_NESTING)}]`)
    const error = await failedRead(`[${nested(MAX_NESTING + 1)}]`)
    expect(error).toMatchObject({
      message: `a record is nested deeper than ${MAX_NESTING} levels`,
      retryable: false,
    })
  })

  test.each([
    ['brackets', '['.repeat(5_000_000)],
    ['objects', '[{"a":'.repeat(1_000_000)],
    ['objects around the elements', '{"a":'.repeat(1_000_000)],
    ['brackets around the elements', `{"a":${'['.repeat(5_000_000)}`],
    ['closed brackets', `[${nested(2_500_000)}]`],
  ])('five megabytes of %s are refused before a tenth of them is read', async (_, body) => {
    let bytes = 0
    async function* counted() {
      for await (const chunk of inChunks(Buffer.from(body), [65_536])) {
        bytes += chunk.length
        yield chunk
      }
    }
    const error = await failureOf(readElements(counted(), MANY).next())
    expect(error).toMatchObject({ message: expect.stringMatching(/nested deeper/), retryable: false })
    expect(bytes).toBeLessThan(500_000)
  })

  const LONG = 'x'.repeat(300_000)
  const b = 'x'.repeat(2000)

  test.each<[string, string, object]>([
    ['a long text', `{"id":1,"b":"${LONG}"}`, { id: 1, b }],
    ['an id after a long text', `{"b":"${LONG}","n":null,"id":"7"}`, { b, n: null, id: '7' }],
    [
      'a text in a list of objects',
      `{"id":1,"l":[{"id":2,"b":"${LONG}"}],"c":true}`,
      { id: 1, l: [], c: true },
    ],
    [
      'a text of escapes',
      `{"id":1,"b":"${'\\u0041'.repeat(50_000)}","c":""}`,
      { id: 1, b: 'A'.repeat(2000), c: '' },
    ],
    [
      'a text of quotes',
      `{"id":1,"b":"${'\\"{'.repeat(100_000)}","c":1.5}`,
      { id: 1, b: '"{'.repeat(1000), c: 1.5 },
    ],
    ['many elements', `{"id":1,"l":[${'1,'.repeat(150_000)}1]}`, { id: 1, l: [] }],
    ['a record that is only a list', `[[${'1,'.repeat(150_000)}1]]`, {}],
    ['a record that is only a text', `"${LONG}"`, {}],
    [
      'a long number with its id',
      `{"id":12345678901234567890,"b":"${LONG}"}`,
      { id: '12345678901234567890', b },
    ],
  ])(
    'a record above the limit keeps shortened members, and the other records are complete: %s [R51]',
    async (_, record, kept) => {
      for (const [before, after] of [
        ['[', ']'],
        ['{"value":[', '],"x":1}'],
        ['{"items":{"a":', '}}'],
      ] as const) {
        const key = before.endsWith(':') ? ['"b":', '"c":'] : ['', '']
        const body = `${before}{"id":0},${key[0]}${record},${key[1]}{"id":9}${after}`
        for (const sizes of [[65_536], [4096], [10_007, 3]]) {
          const { elements } = await read(body, { sizes, cap: 100_000 })
          expect(elements).toHaveLength(3)
          expect([elements[0], elements[2]]).toEqual([{ id: 0 }, { id: 9 }])
          const [, large] = elements
          expect(large).toBeInstanceOf(LargeRecord)
          expect((large as LargeRecord).members).toEqual(kept)
        }
      }
    },
  )

  test('a record above the size limit fails the read if it is cut or malformed', async () => {
    for (const end of ['', '"', '"}', '"]', '"}}', '"},x]']) {
      expect((await failedRead(`[{"id":1,"b":"${LONG}${end}`, 100_000)).message).toMatch(
        /^the answer (is not JSON|was cut)/,
      )
    }
  })

  test.each([
    ['a number', `[${'1'.repeat(300_000)}]`],
    ['a fraction', `[0.${'1'.repeat(300_000)}]`],
    ['a key', `[{"${'x'.repeat(300_000)}":1}]`],
    ['a member beside the elements', `{"a":"${'x'.repeat(300_000)}","items":[]}`],
    ['blanks', `[${' '.repeat(300_000)}1]`],
    ['blanks after the end', `[]${' '.repeat(300_000)}`],
    ['a member after the elements', `{"items":[1],"a":"${'x'.repeat(300_000)}"}`],
  ])(
    'a key, a number or text around the list fails the read if it is above the size limit: %s',
    async (_, body) => {
      const error = await failedRead(body, 100_000)
      expect(error).toMatchObject({
        message:
          'a record is larger than http.maxRecordBytes (100000): raise the limit if records may be that large',
        retryable: false,
      })
      expect((await read(body, { cap: 1_000_000 })).envelope).toBeDefined()
    },
  )

  test('many records together may be larger than the limit of one record', async () => {
    const body = JSON.stringify(Array.from({ length: 500 }, (_, id) => ({ id, text: 'x'.repeat(1000) })))
    expect((await read(body, { cap: 100_000 })).elements).toHaveLength(500)
  })
})

// Makes any UTF-16 text, including lone surrogates, NUL, quotes and backslashes.
const hostileText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.constantFrom('\0', '\ud800', '\udfff', '"', '\\', '\\u0000', 'é', '😀', '\n', 'a'))
    .map((list) => list.join('')),
  fc.constantFrom('__proto__', 'items', 'value', '', 'constructor'),
)
const hostileJson = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    hostileText,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 5 }),
    fc
      .array(fc.tuple(hostileText, tie('value')), { maxLength: 5 })
      .map((entries) => Object.fromEntries(entries)),
  ),
})).value
const chunkSizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 })

describe('any JSON in any chunks', () => {
  test('any list is read exactly as it was written, whatever the size of the chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(hostileJson, { maxLength: 4 }),
        fc.constantFrom(undefined, 1, '\t'),
        chunkSizes,
        async (values, indent, sizes) => {
          const body = JSON.stringify(values, null, indent)
          // The expected text is not computed with JSON.parse: JSON.parse of Node 24 reads the key `"` as
          // `\\` if it expects the key `\\`.
          expect(await readAsText(body, sizes)).toBe(JSON.stringify(values))
        },
      ),
      { numRuns: 400 },
    )
  })

  test('an object is read with its members and the list in it, whatever the size of the chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(hostileJson, { maxLength: 3 }),
        fc.tuple(hostileJson, hostileJson),
        chunkSizes,
        async (values, [before, after], sizes) => {
          const body = JSON.stringify({ before, items: values, after })
          const { elements, envelope } = await read(body, { sizes })
          expect(JSON.stringify(elements)).toBe(JSON.stringify(values))
          expect(JSON.stringify(envelope.members)).toBe(JSON.stringify({ before, after }))
        },
      ),
      { numRuns: 200 },
    )
  })

  test('every number keeps its digits', async () => {
    const digits = fc.stringMatching(/^-?(0|[1-9]\d{0,30})(\.\d{1,30})?([eE][+-]?\d{1,5})?$/)
    await fc.assert(
      fc.asyncProperty(fc.array(digits, { minLength: 1 }), chunkSizes, async (numbers, sizes) => {
        expect(await readAsText(`[${numbers.join(',')}]`, sizes)).toBe(`[${numbers.join(',')}]`)
      }),
      { numRuns: 200 },
    )
  })
})
