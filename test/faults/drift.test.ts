import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dropIncomingTable } from '../../loaders/staging/incoming.ts'
import type { Database } from '../../sql/database.ts'
import { readAttendees, sendJson, serve } from '../pipeline/extract/support.ts'
import { openEngine } from '../support/engines.ts'
import { type Change, changesOf, type Drift, driftsOf } from './drifts.ts'
import { arrayOf, envelopeOf, PAGE_CAP, sliceOfA } from './honest.ts'
import { type Asked, jsonReply } from './reply.ts'

let database: Database
beforeAll(async () => {
  database = await openEngine('pglite')
})
afterAll(() => database.close())

const COUNT = 7
const before = Array.from({ length: COUNT }, (_, index) => index + 1)

type Answer = (asked: Asked) => string

const answersOf: Readonly<Record<string, Answer>> = {
  'A, pages that overlap': (asked) => arrayOf(sliceOfA(asked)),
  'A, next links': (asked) => {
    const elements = sliceOfA(asked)
    const next = new URL(asked.url)
    const skip = Number(next.searchParams.get('$skip')) + elements.length
    next.searchParams.set('$skip', String(skip))
    const link = skip < asked.list.length ? `,"@odata.nextLink":${JSON.stringify(next.href)}` : ''
    return `{"value":${arrayOf(elements)}${link}}`
  },
  'B, totals': (asked) => envelopeOf(asked),
  'B, no totals': (asked) => {
    const page = Number(asked.url.searchParams.get('page'))
    const items = asked.list.slice((page - 1) * asked.cap, page * asked.cap)
    return `{"items":${arrayOf(items)}}`
  },
}

interface Read {
  readonly certified: boolean
  readonly ids: readonly number[]
  readonly after: readonly number[]
}

/** Each drift is played once, whatever is asked of it. */
const known = new Map<string, Promise<Read>>()

function read(form: string, drift: Drift): Promise<Read> {
  const key = `${form}: ${drift.change.name} before request ${drift.request}`
  const reading = known.get(key) ?? readWhile(form, drift)
  known.set(key, reading)
  return reading
}

/** Reads a list that changes before a request. @returns what was read, and whether that is proved to be all */
async function readWhile(form: string, { change, request }: Drift): Promise<Read> {
  const type = form.startsWith('A') ? 'a' : 'b'
  const answer = answersOf[form]
  let list: readonly number[] = before
  let requests = 0
  const server = await serve((incoming, response) => {
    if (incoming.method === 'POST') {
      sendJson(response, { access_token: 't', type: 'bearer', expires_at: '2099-01-01 00:00:00' })
      return
    }
    requests += 1
    if (requests === request) list = change.apply(list)
    const url = new URL(incoming.url ?? '', server.url)
    const texts = list.map((id) => JSON.stringify({ Id: id, id }))
    const asked = {
      type,
      url,
      list: texts,
      cap: PAGE_CAP,
      resource: '',
      page: 1,
      plays: 0,
      nowMs: 0,
    } as const
    response.end(answer?.({ ...asked, outside: '' }) ?? JSON.stringify(jsonReply(null)))
  })
  const keys = { apiKey: 'env:API_KEY', authenticationSecret: 'env:AUTHENTICATION_SECRET' }
  const source = { type, url: server.url, eventId: '77', ...(type === 'b' ? keys : {}) }
  try {
    const { reading, ids } = await readAttendees(database, source)
    await dropIncomingTable(database.kysely, reading.incoming)
    return {
      certified: reading.certified,
      ids: ids.map(Number),
      after: change.apply(before),
    }
  } finally {
    await server.close()
  }
}

/** Records that were there all the time and that a read which is proved complete has missed. */
async function missedBy(form: string, drift: Drift): Promise<readonly number[]> {
  const { certified, ids, after } = await read(form, drift)
  if (!certified) return []
  return before.filter((id) => after.includes(id) && !ids.includes(id))
}

async function lossesOf(form: string, changes: readonly Change[]): Promise<readonly string[]> {
  const losses: string[] = []
  for (const drift of driftsOf(changes, requestsOf(form))) {
    const missed = await missedBy(form, drift)
    if (missed.length > 0)
      losses.push(`${drift.change.name} before request ${drift.request}: misses ${missed}`)
  }
  return losses
}

/** Requests that an undisturbed read takes. */
function requestsOf(form: string): number {
  if (form === 'A, pages that overlap') return Math.ceil((COUNT - 1) / (PAGE_CAP - 1)) + 1
  const pages = Math.ceil(COUNT / PAGE_CAP)
  // An empty page at the end, and after each page but the first the one before it once more.
  return form === 'B, no totals' ? 2 * pages + 1 : pages
}

const { deletions, insertions, pairs } = changesOf(COUNT)

describe('a read that is proved complete misses no record that was there all the time', () => {
  test.each([
    ['A, pages that overlap', 'a deletion', deletions],
    ['A, pages that overlap', 'an insertion', insertions],
    ['A, pages that overlap', 'a deletion and an insertion at once', pairs],
    ['A, next links', 'a deletion', deletions],
    ['A, next links', 'an insertion', insertions],
    ['A, next links', 'a deletion and an insertion at once', pairs],
    ['B, totals', 'a deletion', deletions],
    ['B, totals', 'an insertion', insertions],
    ['B, no totals', 'a deletion', deletions],
    ['B, no totals', 'an insertion', insertions],
    ['B, no totals', 'a deletion and an insertion at once', pairs],
  ] as const)('%s: %s at every place, before every request', async (form, _, changes) => {
    expect(await lossesOf(form, changes)).toEqual([])
  })
})

describe('what was read is the list of before or of after', () => {
  test.each([
    ['A, pages that overlap', [...deletions, ...insertions, ...pairs]],
    ['B, totals', [...deletions, ...insertions]],
  ] as const)('%s', async (form, changes) => {
    for (const drift of driftsOf(changes, requestsOf(form))) {
      const { certified, ids, after } = await read(form, drift)
      const isSnapshot = [before, after].some((list) => String(list) === String(ids))
      expect(certified && isSnapshot, `${drift.change.name} before request ${drift.request}: ${ids}`).toBe(
        true,
      )
    }
  })
})

test('the limit of Source B: a deletion and an insertion between the same two pages keep the total, and a record is missed', async () => {
  const losses = await lossesOf('B, totals', pairs)
  // What stood first on the next page has moved to the page that was read already. No answer of Source B shows it.
  expect(losses).toContain('deletion at 0 and insertion at 7 before request 2: misses 4')
  // It is always one that moved forward over a border of pages: what moves backward is read twice, and nothing is missed.
  for (const loss of losses)
    expect(loss).toMatch(/^deletion at (\d) and insertion at (\d) before request [23]: misses [47]$/)
})
