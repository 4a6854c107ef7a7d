import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { itemsSchema } from './contract.ts'
import type { SamplePlatform } from './start.ts'
import { usePlatforms } from './use-platform.ts'

// If the sample platform accepted more than the contract allows, or lost data, faults of the product would
// remain unnoticed. These tests check the sample platform itself.
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
const attendee = (seq: number, more: object = {}) => {
  const fields = { firstName: 'Iris', lastName: 'Carrow', emailAddress: 'iris@people.example' }
  return { seq, op: 'upsert', content: 'attendees', uniqueId: 'P1', fields, ...more }
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
    ['storeEncryptedPassword without a password', batchOf([attendee(1, { storeEncryptedPassword: true })])],
    [
      'storeEncryptedPassword that is false',
      batchOf([attendee(1, { password: 'secret-1', storeEncryptedPassword: false })]),
    ],
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

  test('requests with a wrong token, a wrong event or without an idempotency key are refused', async () => {
    const events = `/v1/events/${platform.eventId}`
    expect((await ask(`${events}/items?content=agenda`, {}, 'other')).status).toBe(401)
    expect((await ask('/v1/events/other/items?content=agenda')).status).toBe(404)
    expect((await ask(`${events}/batches`, { method: 'POST', body: '{}' })).status).toBe(400)
    expect((await ask(`${events}/items?content=agenda&limit=5`)).status).toBe(400)
  })
})

test('two attendees may have the same address within a batch, but not after the batch', async () => {
  platform = await platforms.start({ uniqueAddresses: true })
  const at = (seq: number, uniqueId: string, name: string) => {
    const fields = { firstName: 'Iris', lastName: 'Carrow', emailAddress: `${name}@people.example` }
    return attendee(seq, { uniqueId, fields })
  }
  const statuses = async (operations: readonly object[], more: object = {}) =>
    (await post(batchOf(operations, more))).body.results
  const created = { status: 'created' }
  const taken = { status: 'failed', code: 'email_taken', retryable: false }
  expect(await statuses([at(1, 'P1', 'a'), at(2, 'P2', 'b'), at(3, 'P3', 'A')])).toMatchObject([
    created,
    created,
    taken,
  ])
  const updated = { status: 'updated' }
  expect(await statuses([at(4, 'P1', 'b'), at(5, 'P2', 'a')])).toMatchObject([updated, updated])
  // P2 cannot get the address of P1, so P2 keeps its own address. Therefore P4 cannot get P2's address
  // either.
  expect(await statuses([at(6, 'P2', 'b'), at(7, 'P4', 'a')])).toMatchObject([taken, taken])
})

test('items are listed page by page in byte order, each item that is never removed once', async () => {
  const page = async (cursor = '') => {
    const { body } = await ask(`/v1/events/${platform.eventId}/items?content=agenda${cursor}`)
    return { ids: body.items?.map(({ uniqueId }) => uniqueId), next: `&cursor=${body.next}` }
  }
  // In the order of UTF-16 units, 😀 would come before ﬀ.
  await post(batchOf(['ﬀ', 'b', '9', '😀'].map((id, index) => session(index + 1, id))))
  const first = await page()
  await post(batchOf([session(5, 'a')]))
  await post(removals([removal(6, 'b')]))
  const second = await page(first.next)
  expect([first.ids, second.ids, second.next]).toEqual([['9', 'b'], ['ﬀ', '😀'], '&cursor=null'])
})

test('an operation with a password may also contain storeEncryptedPassword [R72]', async () => {
  const given = { password: 'secret-1', storeEncryptedPassword: true }
  expect((await post(batchOf([attendee(1, given)]))).status).toBe(200)
  const { ledger } = await platform.control('ledger')
  expect(ledger).toMatchObject([{ passwordGiven: true, storeEncryptedPassword: true }])
})

test('the list of items matches the published schema, also with custom fields of every kind', async () => {
  const custom = { level: 'expert', credits: 1.5, open: false, topics: ['data', 'people'] }
  await post(batchOf([session(1, 'S1', { custom, speakerIds: ['P1'] })]))
  const { body } = await ask(`/v1/events/${platform.eventId}/items?content=agenda`)
  expect(body.items).toMatchObject([{ fields: { custom } }])
  expect(itemsSchema.safeParse(body).error).toBeUndefined()
  const withNested = { ...body, items: [{ uniqueId: 'S1', fields: { custom: { level: {} } } }] }
  expect(itemsSchema.safeParse(withNested).success).toBe(false)
})

test('the platform reports references to items that do not exist', async () => {
  const person = { firstName: 'Iris', lastName: 'Carrow', sessionIds: ['S1'], attendeeId: '8' }
  const speaker = { seq: 2, op: 'upsert', content: 'speakers', uniqueId: 'P1', fields: person }
  await post(batchOf([session(1, 'S1', { speakerIds: ['P1', 'P2'] }), speaker]))
  const { dangling } = await platform.control('dangling')
  expect(dangling.map((one) => Object.values(one).join(' '))).toEqual([
    'agenda S1 speakerIds P2',
    'speakers P1 attendeeId 8',
  ])
})
