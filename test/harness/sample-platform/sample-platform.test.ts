import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import type { SamplePlatform } from './start.ts'
import { usePlatforms } from './use-platform.ts'

// A platform that takes more than the contract allows, or forgets, would let faults of a sender pass.
const platforms = usePlatforms()
let platform: SamplePlatform

beforeEach(async () => {
  platform = await platforms.start({ pageSize: 2 })
})

interface Answer {
  readonly status: number
  readonly body: {
    readonly error?: string
    readonly results?: readonly object[]
    readonly items?: readonly { readonly uniqueId: string }[]
    readonly next?: string | null
  }
}

async function ask(path: string, init: RequestInit = {}, token = platform.token): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, ...init.headers }
  const response = await fetch(`${platform.url}${path}`, { ...init, headers })
  return { status: response.status, body: (await response.json()) as Answer['body'] }
}

function post(batch: unknown, key: string = randomUUID()): Promise<Answer> {
  const body = typeof batch === 'string' ? batch : JSON.stringify(batch)
  const path = `/v1/events/${platform.eventId}/batches`
  return ask(path, { method: 'POST', body, headers: { 'idempotency-key': key } })
}

const RUN = (number: number) => `01900000-0000-7000-8000-00000000000${number}`

const batchOf = (operations: readonly object[], more: object = {}) => ({
  ...{ contract: '1.0', integration: 'summit', run: RUN(1), planHash: 'a'.repeat(64), fence: 1 },
  ...{ phase: 'upserts', operations },
  ...more,
})
const removals = (operations: readonly object[], more: object = {}) =>
  batchOf(operations, { phase: 'removals', ...more })

const session = (seq: number, uniqueId: string, more: object = {}) => {
  const times = { startTime: '2031-03-10T09:00:00Z', endTime: '2031-03-10T10:00:00Z' }
  const fields = { name: `Session ${uniqueId}`, ...times, ...more }
  return { seq, op: 'upsert', content: 'agenda', uniqueId, fields }
}
const removal = (seq: number, uniqueId: string) => {
  return { seq, op: 'remove', content: 'agenda', uniqueId, reason: 'cancelled' }
}

async function effects(): Promise<readonly string[]> {
  const { ledger } = await platform.control('ledger')
  return ledger.map(({ uniqueId, effect }) => `${uniqueId} ${effect}`)
}

describe('a request that breaks the contract has no effect', () => {
  const valid = session(1, 'S1')
  test.each([
    ['a byte order mark', `\ufeff${JSON.stringify(batchOf([valid]))}`],
    ['an unknown field of an item', batchOf([session(1, 'S1', { room: 'A' })])],
    ['an empty text', batchOf([session(1, 'S1', { location: '' })])],
    ['a required field that is null', batchOf([session(1, 'S1', { name: null })])],
    ['a local time', batchOf([session(1, 'S1', { startTime: '2031-03-10T09:00:00' })])],
    ['a password beside a session', batchOf([{ ...valid, password: 'secret-1' }])],
    ['a run that is no UUIDv7', batchOf([valid], { run: '01900000-0000-4000-8000-000000000001' })],
    ['no operations', batchOf([])],
    ['half a character', batchOf([session(1, 'S\ud83d')])],
    ['one seq twice', batchOf([valid, session(1, 'S2')])],
    ['a removal among upserts', batchOf([valid, removal(2, 'S1')])],
    ['an upsert among removals', removals([removal(1, 'S1'), session(2, 'S1')])],
  ])('%s', async (_, batch) => {
    expect((await post(batch)).status).toBe(400)
    expect(await effects()).toEqual([])
  })

  test('another token, another event, no key', async () => {
    const events = `/v1/events/${platform.eventId}`
    expect((await ask(`${events}/items?content=agenda`, {}, 'other')).status).toBe(401)
    expect((await ask('/v1/events/other/items?content=agenda')).status).toBe(404)
    expect((await ask(`${events}/batches`, { method: 'POST', body: '{}' })).status).toBe(400)
    expect((await ask(`${events}/items?content=agenda&limit=5`)).status).toBe(400)
  })
})

test('a repeated key with equal bytes has the same answer and no new effect, also after a new start; others are refused', async () => {
  const batch = batchOf([session(1, 'S1')])
  const first = await post(batch, 'k1')
  await post(batchOf([session(1, 'S1', { location: 'B' })], { run: RUN(2), fence: 2 }))
  await post(batchOf([]), 'refused')
  await platform.close()
  platform = await platforms.start()
  expect((await post(batch, 'k1')).body).toEqual(first.body)
  for (const key of ['k1', 'refused'])
    expect((await post(`${JSON.stringify(batch)} `, key)).body.error).toBe('key_reused')
  expect(await effects()).toEqual(['S1 created', 'S1 updated'])
})

test('a lower fence is refused, for its integration alone, and an equal one of another run; a refusal raises none', async () => {
  await platform.control('faults', { fault: 'refuseBatch', uniqueId: 'S0' })
  expect((await post(batchOf([session(1, 'S0')], { fence: 9 }))).status).toBe(422)
  await post(batchOf([session(1, 'S1')], { fence: 5 }))
  const stale = { error: 'stale_fence', fence: 5 }
  expect((await post(batchOf([session(1, 'S2')], { fence: 4 }))).body).toEqual(stale)
  expect((await post(batchOf([session(1, 'S2')], { fence: 5, run: RUN(2) }))).body).toEqual(stale)
  expect((await post(batchOf([session(1, 'S3')], { integration: 'expo' }))).status).toBe(200)
  expect(await effects()).toEqual(['S1 created', 'S3 created'])
})

test('upserts after the first removal of their run are refused whole', async () => {
  await post(removals([removal(2, 'S1')]))
  expect((await post(batchOf([session(1, 'S1')]))).body.error).toBe('upserts_after_removals')
  expect((await post(batchOf([session(1, 'S1')], { run: RUN(2), fence: 2 }))).status).toBe(200)
})

test('operations take effect in their order, and the ledger tells what they did', async () => {
  const fields = Object.fromEntries(Object.entries(session(1, 'S1').fields).reverse())
  await post(
    batchOf([session(1, 'S1'), { ...session(2, 'S1'), fields }, session(3, 'S1', { location: 'B' })]),
  )
  await post(removals([removal(4, 'S1'), removal(5, 'S1')]))
  const done = ['created', 'unchanged', 'updated', 'removed', 'unchanged']
  expect(await effects()).toEqual(done.map((effect) => `S1 ${effect}`))
  expect((await platform.control('state')).items.agenda).toEqual([])
})

test('items come page by page in the order of their bytes; one that stands throughout comes once', async () => {
  const page = async (cursor = '') => {
    const { body } = await ask(`/v1/events/${platform.eventId}/items?content=agenda${cursor}`)
    return { ids: body.items?.map(({ uniqueId }) => uniqueId), next: `&cursor=${body.next}` }
  }
  // In UTF-16 units, 😀 would come before ﬀ.
  await post(batchOf(['ﬀ', 'b', '9', '😀'].map((id, index) => session(index + 1, id))))
  const first = await page()
  await post(batchOf([session(5, 'a')]))
  await post(removals([removal(6, 'b')]))
  const second = await page(first.next)
  expect([first.ids, second.ids, second.next]).toEqual([['9', 'b'], ['ﬀ', '😀'], '&cursor=null'])
})

test('references that lead nowhere are told', async () => {
  const person = { firstName: 'Iris', lastName: 'Carrow', sessionIds: ['S1'], attendeeId: '8' }
  const speaker = { seq: 2, op: 'upsert', content: 'speakers', uniqueId: 'P1', fields: person }
  await post(batchOf([session(1, 'S1', { speakerIds: ['P1', 'P2'] }), speaker]))
  const { dangling } = await platform.control('dangling')
  expect(dangling.map((one) => Object.values(one).join(' '))).toEqual([
    'agenda S1 speakerIds P2',
    'speakers P1 attendeeId 8',
  ])
})

test('a password is used for a creation alone, and not stored as it is', async () => {
  const fields = { firstName: 'Bram', lastName: 'Ellery', emailAddress: 'bram@example.org' }
  const attendee = { op: 'upsert', content: 'attendees', uniqueId: '1', fields }
  await post(batchOf([{ seq: 1, ...attendee, password: 'correct horse' }]))
  await post(batchOf([{ seq: 2, ...attendee, password: 'another one' }]))
  const opens = async (password: string) =>
    (await platform.control('password', { uniqueId: '1', password })).matches
  expect([await opens('correct horse'), await opens('another one')]).toEqual([true, false])
  expect(JSON.stringify(await platform.control('state'))).not.toContain('horse')
})
