import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SamplePlatform, startSamplePlatform } from '../../../../pipeline/demo/sample-platform/start.ts'
import { attendee, expectToBe, get, post, removal, removals, session, speaker, upserts } from './talk.ts'

const storage = mkdtempSync(join(tmpdir(), 'event-sync-test-'))
let platform: SamplePlatform
beforeAll(async () => {
  platform = await startSamplePlatform({ storage, maxBodyBytes: 20_000 })
})
afterAll(async () => {
  await platform.close()
  rmSync(storage, { recursive: true })
})

const valid = session(1, 'S1')
const { reason: _, ...withoutReason } = removal(1, 'agenda', 'S1')
const { planHash: __, ...withoutPlanHash } = upserts([valid])

test.each([
  ['no JSON', '{"contract":'],
  [
    'bytes that are no UTF-8',
    Buffer.from(JSON.stringify(upserts([session(1, 'S1', { location: '\u00ff' })])), 'latin1'),
  ],
  ['a byte order mark', `\ufeff${JSON.stringify(upserts([valid]))}`],
  ['an empty body', ''],
  ['a list', [upserts([valid])]],
  ['an unknown field of the batch', upserts([valid], { dryRun: true })],
  ['a batch without its plan hash', withoutPlanHash],
  ['another contract', upserts([valid], { contract: '1.1' })],
  ['an integration in capitals', upserts([valid], { integration: 'Summit' })],
  ['a run that is no UUIDv7', upserts([valid], { run: '01900000-0000-4000-8000-000000000001' })],
  ['fence 0', upserts([valid], { fence: 0 })],
  ['a fence as text', upserts([valid], { fence: '1' })],
  ['no operations', upserts([])],
  ['an unknown field of an operation', upserts([{ ...valid, note: '' }])],
  ['an unknown field of an item', upserts([session(1, 'S1', { room: 'A' })])],
  ['a field of another content', upserts([speaker(1, 'P1', { emailAddress: 'iris@example.org' })])],
  ['a required field that is null', upserts([session(1, 'S1', { name: null })])],
  ['a required field that is missing', upserts([{ ...attendee(1, '1'), fields: { firstName: 'Bram' } }])],
  ['an empty text', upserts([session(1, 'S1', { location: '' })])],
  ['an empty list', upserts([session(1, 'S1', { speakerIds: [] })])],
  ['a local time', upserts([session(1, 'S1', { startTime: '2031-03-10T09:00:00' })])],
  ['another filter group', upserts([session(1, 'S1', { filterGroup: 'Kinds' })])],
  ['a password of a speaker', upserts([{ ...speaker(1, 'P1'), password: 'secret-1' }])],
  ['a password that is too short', upserts([attendee(1, '1', { password: '12345' })])],
  ['an empty unique ID', upserts([session(1, '')])],
  ['a unique ID that is half a character', upserts([session(1, 'S\ud83d')])],
  ['an unknown content', removals([removal(1, 'rooms', '1')])],
  ['a removal without a reason', removals([withoutReason])],
  ['one seq twice', upserts([session(1, 'S1'), session(1, 'S2')])],
  ['descending seqs', upserts([session(2, 'S1'), session(1, 'S2')])],
  ['a removal among upserts', upserts([valid, removal(2, 'agenda', 'S1')])],
  ['an upsert among removals', removals([removal(1, 'agenda', 'S1'), session(2, 'S1')])],
])('%s is refused with 400 and without an effect', async (_what, body) => {
  const answer = await post(platform, body)
  expect([answer.status, answer.body]).toEqual([400, { error: 'invalid' }])
  expectToBe('refusal', answer.body)
  expect((await platform.control('ledger')).ledger).toEqual([])
})

test.each([
  ['another token', { token: 'other' }, 401, 'unauthorized'],
  ['another event', { eventId: 'other' }, 404, 'not_found'],
  ['an event that is no text', { eventId: '%ff' }, 404, 'not_found'],
  ['no key', { key: null }, 400, 'invalid'],
  ['an empty key', { key: '' }, 400, 'invalid'],
  ['a query', { query: '?dryRun=true' }, 400, 'invalid'],
])('%s is refused', async (_what, sent, status, error) => {
  const answer = await post(platform, upserts([valid]), sent)
  expect([answer.status, answer.body]).toEqual([status, { error }])
  expectToBe('refusal', answer.body)
  expect((await platform.control('ledger')).ledger).toEqual([])
})

test('a body of the longest size is taken, one byte more is too large', async () => {
  const text = JSON.stringify(upserts([valid]))
  const filled = text + ' '.repeat(20_000 - text.length)
  expect((await post(platform, `${filled} `)).body).toEqual({ error: 'too_large' })
  expect((await post(platform, `${filled} `)).status).toBe(413)
  // Refused for its seqs, hence read: this file's storage stays empty.
  const taken = JSON.stringify(upserts([valid, valid]))
  expect((await post(platform, taken + ' '.repeat(20_000 - taken.length))).status).toBe(400)
})

test('a body of many times the longest size gets its answer too', async () => {
  expect((await post(platform, 'x'.repeat(8_000_000))).status).toBe(413)
})

test.each([
  ['/v1/events/sample-event/items', 400],
  ['/v1/events/sample-event/items?content=rooms', 400],
  ['/v1/events/sample-event/items?content=agenda&content=speakers', 400],
  ['/v1/events/sample-event/items?content=agenda&limit=5', 400],
  ['/v1/events/sample-event/items?content=agenda&cursor=', 400],
  ['/v1/events/sample-event/items?content=agenda&cursor=no!cursor', 400],
  ['/v1/events/other/items?content=agenda', 404],
  ['/v1/events/sample-event', 404],
  ['/', 404],
  ['/control/other', 404],
  ['/v1/events/sample-event/batches', 405],
])('GET %s is answered with %i', async (path, status) => {
  const answer = await get(platform, path)
  expect(answer.status).toBe(status)
  expectToBe('refusal', answer.body)
})

test('what it says on standard error names places and rules, and no value of a person', async () => {
  await post(platform, upserts([attendee(1, 'person-7'), attendee(1, 'person-8')]))
  await post(platform, upserts([attendee(1, '1', { fields: { firstName: 'Zephyrine', emailAddress: 5 } })]))
  await expect.poll(() => platform.errors.join('\n')).toContain('operations.0: fields.lastName')
  const said = platform.errors.join('\n')
  expect(said).toContain('operations.1.seq: not above the one before')
  expect(said).not.toMatch(/person-|Zephyrine|bram@/)
})

test('the control endpoints want the token too', async () => {
  expect((await get(platform, '/control/state', 'other')).status).toBe(401)
  expect((await get(platform, '/control/state')).status).toBe(200)
})
