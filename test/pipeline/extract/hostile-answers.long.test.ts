import { execFile } from 'node:child_process'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { serve } from '../../harness/loopback.ts'
import type { ReadAlone } from './read-alone.ts'

const run = promisify(execFile)
const READ_ALONE = fileURLToPath(new URL('./read-alone.ts', import.meta.url))

/** Yields a text repeated `count` times, in pieces of about 64 KiB. */
function* times(count: number, text: string): Generator<string> {
  const inPiece = Math.ceil(65_536 / text.length)
  const piece = text.repeat(inPiece)
  for (let left = count; left > 0; left -= inPiece) yield left >= inPiece ? piece : text.repeat(left)
}

function* join(...parts: readonly (string | Iterable<string>)[]): Generator<string> {
  for (const part of parts) yield* typeof part === 'string' ? [part] : part
}

/**
 * Reads the answers one after the other in a child process with a small heap. The function throws an error if
 * the child process crashes or hangs.
 */
async function readAlone(
  answers: readonly Iterable<string | Uint8Array>[],
  heapMegabytes: number,
  http = {},
  headers = {},
): Promise<readonly ReadAlone[]> {
  const server = await serve((request, response) => {
    const answer = answers[Number((request.url ?? '').slice(1))] ?? []
    response.writeHead(200, headers)
    Readable.from(answer).pipe(response)
  })
  try {
    // A small young generation of the heap keeps garbage that is not yet collected out of the measured peak.
    const heap = [`--max-old-space-size=${heapMegabytes}`, '--max-semi-space-size=4']
    const args = [...heap, READ_ALONE, server.url, String(answers.length), JSON.stringify(http)]
    const { stdout } = await run(process.execPath, args, { timeout: 100_000, killSignal: 'SIGKILL' })
    return stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  } finally {
    await server.close()
  }
}

const MILLION = 1_000_000
const TOO_DEEP = 'a record is nested deeper than 64 levels'
const TOO_LARGE =
  'a record is larger than http.maxRecordBytes (4194304): raise the limit if records may be that large'

/**
 * Answers that must be refused, each with its message. The limit of each kind of token is tested in
 * test/pipeline/extract/json-stream.test.ts.
 */
const refused: readonly (readonly [string, Iterable<string>, string])[] = [
  ['five million objects within a record', join('{"items":[', times(5 * MILLION, '{"a":')), TOO_DEEP],
  [
    'five million lists after the elements',
    join('{"items":[{"Id":1}],"a":', times(5 * MILLION, '[')),
    TOO_DEEP,
  ],
  ['a key of a hundred megabytes', join('[{"', times(100 * MILLION, 'x'), '":1}]'), TOO_LARGE],
  ['a number of ten million digits', join('[', times(10 * MILLION, '1'), ']'), TOO_LARGE],
  ['a hundred million blanks', times(100 * MILLION, ' '), TOO_LARGE],
]

/**
 * Answers of two records. The first record of each answer is too large, so the reader must skip it, whatever
 * it contains.
 */
const passedOver: readonly (readonly [string, Iterable<string>])[] = [
  ['a text of a hundred megabytes', join('[{"Id":7,"b":"', times(100 * MILLION, 'x'), '"},{"Id":8}]')],
  [
    'a text of sixteen million escapes',
    join('[{"Id":7,"b":"', times(16 * MILLION, '\\u0041'), '"},{"Id":8}]'),
  ],
  ['ten million members', join('[{', times(10 * MILLION, '"a":1,'), '"Id":7},{"Id":8}]')],
  ['ten million values', join('[{"Id":7,"b":[', times(10 * MILLION, '1,'), '1]},{"Id":8}]')],
]

describe('an answer that would exhaust memory or time is refused within 10 s and with little memory', () => {
  let reads: readonly ReadAlone[] = []
  beforeAll(async () => {
    reads = await readAlone(
      refused.map(([, answer]) => answer),
      64,
    )
  })

  test.each(refused.map(([name, , failure], index) => [name, failure, index] as const))(
    '%s: %s',
    (_, failure, index) => {
      expect(reads[index]).toMatchObject({ failure })
      expect(reads[index]?.ms).toBeLessThan(10_000)
    },
  )

  test('reading all answers that are refused, one after the other, takes less than 250 MB, half of it for Node itself', () => {
    expect(reads).toHaveLength(refused.length)
    expect(reads.at(-1)?.peakBytes).toBeLessThan(250_000_000)
  })

  test('a small answer that unpacks to a gigabyte is refused too', async () => {
    const head = gzipSync('["')
    const letters = gzipSync('x'.repeat(16 * 1024 * 1024))
    const bomb = Buffer.concat([head, ...Array.from({ length: 64 }, () => letters)])
    expect(bomb.length).toBeLessThan(2_000_000)
    const [read] = await readAlone(
      [[bomb]],
      64,
      { maxResponseBytes: 100_000 },
      { 'Content-Encoding': 'gzip' },
    )
    expect(read).toMatchObject({
      failure:
        'the answer is larger than http.maxResponseBytes (100000): check source.url, or raise the limit',
    })
    expect(read?.ms).toBeLessThan(10_000)
    expect(read?.peakBytes).toBeLessThan(250_000_000)
  })
})

test('a record that would exhaust memory is quarantined and the next record is read, both with little memory [R51]', async () => {
  const reads = await readAlone(
    passedOver.map(([, answer]) => answer),
    64,
  )
  expect(reads.map(({ elements, faults }) => ({ elements, faults }))).toEqual(
    passedOver.map(() => ({ elements: 2, faults: ['$: larger than http.maxRecordBytes (4194304)'] })),
  )
  expect(reads.at(-1)?.peakBytes).toBeLessThan(250_000_000)
})

describe('a large but allowed answer is read, in time proportional to its length', () => {
  const WIDE = '$.n: a number that the database cannot hold'

  test('a number of a million digits is quarantined, and a text of ten million characters is read', async () => {
    const number = join('[{"Id":1,"n":', times(MILLION, '1'), '}]')
    const text = join('[{"Id":1,"n":"', times(10 * MILLION, 'x'), '"}]')
    const reads = await readAlone([number, text], 1024, { maxRecordBytes: 512 * 1024 * 1024 })
    expect(reads).toMatchObject([
      { elements: 1, faults: [WIDE] },
      { elements: 1, faults: [] },
    ])
    for (const { ms } of reads) expect(ms).toBeLessThan(10_000)
  })

  test('a hundred thousand records are read without keeping them in memory', async () => {
    const answer = join('[', times(99_999, '{"Id":7,"Biography":"xxxxxxxxxxxxxxxxxxx"},'), '{"Id":7}]')
    const [read] = await readAlone([answer], 64)
    expect(read).toMatchObject({ elements: 100_000, faults: [] })
    expect(read?.peakBytes).toBeLessThan(250_000_000)
  })
})
