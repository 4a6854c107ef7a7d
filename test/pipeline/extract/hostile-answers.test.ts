import { execFile } from 'node:child_process'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ReadAlone } from './read-alone.ts'
import { answerReader } from './read-answer.ts'
import { serve } from './support.ts'

const run = promisify(execFile)
const READ_ALONE = fileURLToPath(new URL('./read-alone.ts', import.meta.url))

/** A text so many times, in pieces. */
function* times(count: number, text: string): Generator<string> {
  const inPiece = Math.ceil(65_536 / text.length)
  const piece = text.repeat(inPiece)
  for (let left = count; left > 0; left -= inPiece) yield left >= inPiece ? piece : text.repeat(left)
}

function* join(...parts: readonly (string | Iterable<string>)[]): Generator<string> {
  for (const part of parts) yield* typeof part === 'string' ? [part] : part
}

/** Reads these answers in one process with a small heap, which a crash or a hang ends. */
async function readAlone(
  answers: readonly Iterable<string>[],
  heapMegabytes: number,
  http = {},
): Promise<readonly ReadAlone[]> {
  const server = await serve((request, response) => {
    const answer = answers[Number((request.url ?? '').slice(1))] ?? []
    Readable.from(answer).pipe(response)
  })
  try {
    // A small young generation too, so that the peak shows what is held and not what waits to be collected.
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
const TOO_LARGE = 'a record is larger than http.maxRecordBytes (4194304)'

const refused: readonly (readonly [string, Iterable<string>, string])[] = [
  ['five million lists in each other', times(5 * MILLION, '['), TOO_DEEP],
  ['five million objects in each other', times(5 * MILLION, '{"a":'), TOO_DEEP],
  ['such lists within a record', join('[{"a":1,"b":', times(5 * MILLION, '[')), TOO_DEEP],
  ['such objects within a record', join('{"items":[', times(5 * MILLION, '{"a":')), TOO_DEEP],
  ['such objects in items keyed by id', join('{"items":', times(5 * MILLION, '{"a":')), TOO_DEEP],
  ['such lists before the elements', join('{"a":', times(5 * MILLION, '[')), TOO_DEEP],
  ['such lists after the elements', join('{"items":[{"Id":1}],"a":', times(5 * MILLION, '[')), TOO_DEEP],
  ['a text of a hundred megabytes', join('[{"Id":"', times(100 * MILLION, 'x'), '"}]'), TOO_LARGE],
  ['such a text of escapes', join('[{"Id":"', times(16 * MILLION, '\\u0041'), '"}]'), TOO_LARGE],
  ['such a text beside the elements', join('{"a":"', times(100 * MILLION, 'x'), '","items":[]}'), TOO_LARGE],
  ['such a text after the elements', join('{"items":[],"a":"', times(100 * MILLION, 'x'), '"}'), TOO_LARGE],
  ['such a key', join('[{"', times(100 * MILLION, 'x'), '":1}]'), TOO_LARGE],
  ['such a text alone', join('"', times(100 * MILLION, 'x'), '"'), TOO_LARGE],
  ['a number of ten million digits', join('[', times(10 * MILLION, '1'), ']'), TOO_LARGE],
  ['such a fraction', join('[0.', times(10 * MILLION, '1'), ']'), TOO_LARGE],
  ['such an exponent', join('[1e', times(10 * MILLION, '9'), ']'), TOO_LARGE],
  ['a hundred million blanks', times(100 * MILLION, ' '), TOO_LARGE],
  ['such blanks after the end', join('[]', times(100 * MILLION, '\n')), TOO_LARGE],
  ['a record of ten million members', join('[{', times(10 * MILLION, '"a":1,'), '"b":1}]'), TOO_LARGE],
  ['a record of ten million elements', join('[[', times(10 * MILLION, '1,'), '1]]'), TOO_LARGE],
  ['so many members around the elements', join('{', times(10 * MILLION, '"a":1,'), '"items":[]}'), TOO_LARGE],
]

describe('an answer that would exhaust its reader is refused, soon and in little memory', () => {
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

  test('all of them one after the other take less than 250 MB, of which Node alone takes half', () => {
    expect(reads).toHaveLength(refused.length)
    expect(reads.at(-1)?.peakBytes).toBeLessThan(250_000_000)
  })
})

describe('what is large but allowed is read, in time that grows with its length alone', () => {
  const WIDE = '$.n: a number that the database cannot hold'

  test('a number of ten million digits, and a text of fifty million characters', async () => {
    const number = join('[{"Id":1,"n":', times(10 * MILLION, '1'), '}]')
    const text = join('[{"Id":1,"n":"', times(50 * MILLION, 'x'), '"}]')
    const reads = await readAlone([number, text], 1024, { maxRecordBytes: 512 * 1024 * 1024 })
    expect(reads).toMatchObject([
      { elements: 1, faults: [WIDE] },
      { elements: 1, faults: [] },
    ])
    for (const { ms } of reads) expect(ms).toBeLessThan(10_000)
  })

  test('a hundred thousand records, of which none is kept', async () => {
    const answer = join('[', times(99_999, '{"Id":7,"Biography":"xxxxxxxxxxxxxxxxxxx"},'), '{"Id":7}]')
    const [read] = await readAlone([answer], 64)
    expect(read).toMatchObject({ elements: 100_000, faults: [] })
    expect(read?.peakBytes).toBeLessThan(250_000_000)
  })
})

const NO_ID = '$.Id: no id'
test.each<[string, string, string | null, readonly string[]]>([
  ['one that makes no prototype', '[{"Id":1,"__proto__":{"Id":2,"FirstName":"x"}}]', '1', []],
  ['one that is none', '[{"__proto__":{"Id":2}}]', null, [NO_ID]],
  ['names of methods', '[{"Id":1,"constructor":{"prototype":{"Id":2}},"toString":1,"valueOf":2}]', '1', []],
  ['nothing but such', '[{"constructor":1,"hasOwnProperty":2}]', null, [NO_ID]],
  ['around the elements', '{"__proto__":{"items":[1]},"constructor":[1],"items":[{"Id":1}]}', '1', []],
  ['as the ids of items', '{"items":{"__proto__":{"Id":1}}}', '1', []],
  ['twice the same: the last counts', '[{"Id":1,"Id":2}]', '2', []],
])('keys that mean something to JavaScript are keys like others: %s', async (_, body, id, faults) => {
  const server = await serve((__, response) => response.end(body))
  const found: string[] = []
  const ids: (string | null)[] = []
  try {
    const read = answerReader(server.url, {}, ({ sourceId, fault, doc }) => {
      ids.push(sourceId)
      // Kept among what was received, and not as the prototype of its record.
      if (doc !== null && body.startsWith('[{"Id":1,"__proto__"')) expect(`[${doc}]`).toBe(body)
      if (fault !== null) found.push(`${fault.path}: ${fault.message}`)
    })
    await read('')
  } finally {
    await server.close()
  }
  expect([ids, found]).toEqual([[id], faults])
  expect(Object.keys(Object.prototype)).toEqual([])
})
