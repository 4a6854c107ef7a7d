import { expect, test } from 'vitest'
import { readElements } from '../../../pipeline/extract/resource/json-stream.ts'
import { toIncomingOf } from '../../../pipeline/extract/resource/to-incoming.ts'
import { readableResources } from '../../../pipeline/sources/contract/read-record.ts'
import type { Json } from '../../../transforms/rules/values.ts'
import { transformA } from '../../../transforms/source-a/index.ts'
import { transformB } from '../../../transforms/source-b/index.ts'

const SIZE = 4_194_304
const CHUNK = 65_536

/**
 * Returns the longest processor time, in milliseconds, during which the reading of an answer blocks the event
 * loop.
 */
async function standstillMs(answer: Buffer, take: (record: never) => unknown): Promise<number> {
  let longest = 0
  let from = process.threadCpuUsage()
  async function* chunks() {
    for (let at = 0; at < answer.length; at += CHUNK) {
      const { user, system } = process.threadCpuUsage(from)
      longest = Math.max(longest, (user + system) / 1000)
      await new Promise(setImmediate)
      from = process.threadCpuUsage()
      yield answer.subarray(at, at + CHUNK)
    }
  }
  for await (const elements of readElements(chunks(), 2 * SIZE)) {
    for (const element of elements) take(element as never)
  }
  const { user, system } = process.threadCpuUsage(from)
  return Math.max(longest, (user + system) / 1000)
}

/** Custom fields that a customer could configure, the same for speakers and attendees. */
const OWN_FIELDS = {
  words: { name: 'words', from: 'Words', as: 'text' },
  tags: { name: 'tags', from: 'Tags', as: 'list' },
  inner: { name: 'inner', from: 'Tags.Inner', as: 'number' },
  page: { name: 'page', from: 'Page', as: 'url' },
} as const
const custom = { speakers: OWN_FIELDS, attendees: OWN_FIELDS }
/** All resources that have more fields than an id and a name. */
const resources = [transformA, transformB]
  .flatMap((transform) => readableResources(transform, { timeZone: 'UTC', fields: {} }, custom))
  .filter(({ keys }) => keys.length > 2)

const UNITS = [
  ...[' ', '\0', '\ud800', '@', '@ ', ':00', '+0000', '-', '.', '/', 'a.', ', ', '|;', '1,', '\\', '\n'],
  ...['http://', ' http://a', '9', '0000-00-00', '[', '{"a":', '%2e%2e/'],
]
const list = (count: number, make: (index: number) => Json) =>
  Array.from({ length: count }, (_, index) => make(index))

/**
 * Functions that make hostile values of every kind. Each value is slow for some rule, and has about `size`
 * characters of JSON.
 */
const HOSTILE_VALUES: readonly (readonly [name: string, make: (size: number) => Json])[] = [
  ...UNITS.flatMap((unit) => {
    const text = (size: number) => unit.repeat(Math.ceil(size / unit.length))
    return [
      [`${JSON.stringify(unit)} again and again`, text] as const,
      [`x and ${JSON.stringify(unit)} again and again`, (size: number) => `x${text(size)}x`] as const,
      [`a time in ${JSON.stringify(unit)}`, (size: number) => ({ EventTime: text(size) })] as const,
    ]
  }),
  ['ids', (size) => list(size / 8, (index) => `i${index}`)],
  ['ids as text', (size) => list(size / 8, (index) => `i${index}`).join()],
  ['objects with ids', (size) => list(size / 16, (index) => ({ Id: index, id: index }))],
  [
    'many spellings of id',
    (size) =>
      Object.fromEntries(list(size / 16, String).map((n) => [`id${' '.repeat(Number(n) % 2)}${n}`, null])),
  ],
  ['numbers just short of the limit', (size) => list(size / 1000, () => JSON.rawJSON('9'.repeat(999)))],
  ['a number beyond the limit', (size) => JSON.rawJSON('9'.repeat(size))],
  ['a number as digits in text', (size) => `${'9'.repeat(999)} `.repeat(size / 1000)],
]

test.each(resources.map((resource) => [resource.table, resource] as const))(
  'a record of 4 MiB for %s never blocks the event loop for more than 200 ms',
  { timeout: 300_000 },
  async (_, resource) => {
    const toRow = toIncomingOf(resource)
    const makeRecord = (make: (size: number) => Json, size: number) => {
      const value = make(size / resource.keys.length)
      return Object.fromEntries(resource.keys.map((key) => [key, value]))
    }
    const slow: string[] = []
    for (const [name, make] of HOSTILE_VALUES) {
      // JSON escapes can make the record longer than `SIZE`. If the record is longer than `SIZE`, it is made
      // again from shorter values.
      let record = makeRecord(make, SIZE)
      const length = JSON.stringify(record).length
      if (length > SIZE) record = makeRecord(make, (SIZE * SIZE) / length)
      const answer = Buffer.from(`[${JSON.stringify(record)}]`)
      // Other work on the machine may have slowed down one try. A rule that blocks the event loop is slow in
      // every try.
      for (let tries = 1; ; tries += 1) {
        const ms = await standstillMs(answer, toRow)
        if (ms <= 200) break
        if (tries < 3) continue
        slow.push(`${name}: ${ms} ms`)
        break
      }
    }
    expect(slow).toEqual([])
  },
)
