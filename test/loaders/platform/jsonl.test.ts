import { createHash } from 'node:crypto'
import { createReadStream, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { jsonlTarget } from '../../../loaders/platform/jsonl.ts'
import type { Operation, Outbox } from '../../../loaders/platform/target.ts'
import { useFolder } from '../../support/folder.ts'

const folder = useFolder()
const HEADER = {
  contract: '1.0',
  integration: 'summit',
  run: '01a1fda0-0000-7000-8000-000000000001',
  planHash: 'ab',
}
const OPERATIONS: readonly Operation[] = [
  { seq: 1, op: 'upsert', content: 'agenda', uniqueId: 'S1', fields: { name: 'Ü\u0085\u2028\u2029"\n' } },
  { seq: 2, op: 'remove', content: 'attendees', uniqueId: '9', reason: 'cancelled' },
]

/**
 * Makes an outbox (the interface from which a target reads its operations) for a target that writes a file.
 * Methods that this target does not use are missing.
 */
function outboxOf(
  operations: () => AsyncIterable<Operation>,
): Outbox & { readonly acknowledged: () => number } {
  let acknowledged = 0
  const never = () => {
    throw new Error('not for a file')
  }
  return {
    operations,
    async acknowledgeAll() {
      acknowledged += 1
    },
    nextBatch: never,
    record: never,
    refuse: never,
    withholdRemovalsAfterRejections: never,
    acknowledged: () => acknowledged,
  }
}

const given = (operations: readonly Operation[]) =>
  outboxOf(async function* () {
    yield* operations
  })

// The lines are written as the contract of the platform describes them.
const LINES = [
  '{"type":"header","contract":"1.0","integration":"summit","run":"01a1fda0-0000-7000-8000-000000000001","planHash":"ab"}\n',
  '{"seq":1,"op":"upsert","content":"agenda","uniqueId":"S1","fields":{"name":"Ü\\u0085\\u2028\\u2029\\"\\n"}}\n',
  '{"seq":2,"op":"remove","content":"attendees","uniqueId":"9","reason":"cancelled"}\n',
]
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

test('the file has a header, one line per operation, and a trailer with a hash [spec 9.3]', async () => {
  const path = join(folder(), 'run')
  await jsonlTarget(path, 'private').apply(HEADER, given(OPERATIONS))
  expect(readdirSync(path)).toEqual(['operations.jsonl'])
  expect(readFileSync(join(path, 'operations.jsonl'), 'utf8')).toBe(
    `${LINES.join('')}{"type":"trailer","operations":2,"sha256":"${sha256(LINES.join(''))}"}\n`,
  )
})

test('every common way of splitting a text into lines finds one line per operation, with unchanged texts', async () => {
  await jsonlTarget(folder(), 'private').apply(HEADER, given(OPERATIONS))
  const path = join(folder(), 'operations.jsonl')
  const read: unknown[] = []
  for await (const line of createInterface({ input: createReadStream(path) })) read.push(JSON.parse(line))
  expect(read.slice(1, -1)).toEqual(OPERATIONS)
  // Python's `splitlines` ends a line at each of these characters.
  const text = readFileSync(path, 'utf8')
  const ends = '\n\v\f\r\u001c\u001d\u001e\u0085\u2028\u2029'
  expect([...text].filter((character) => ends.includes(character))).toEqual(
    Array(LINES.length + 1).fill('\n'),
  )
})

test('a plan without changes has a header and a trailer', async () => {
  await jsonlTarget(folder(), 'private').apply(HEADER, given([]))
  expect(readFileSync(join(folder(), 'operations.jsonl'), 'utf8')).toBe(
    `${LINES[0]}{"type":"trailer","operations":0,"sha256":"${sha256(LINES[0] ?? '')}"}\n`,
  )
})

test('if reading the operations fails halfway, no file remains and no operation is acknowledged', async () => {
  const breaking = outboxOf(async function* () {
    yield* OPERATIONS
    throw new Error('the database went away')
  })
  await expect(jsonlTarget(folder(), 'private').apply(HEADER, breaking)).rejects.toThrow(
    'the database went away',
  )
  expect(readdirSync(folder())).toEqual([])
  expect(breaking.acknowledged()).toBe(0)
})
