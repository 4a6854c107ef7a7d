import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  attendee,
  expectToBe,
  post,
  RUN_2,
  removal,
  removals,
  session,
  speaker,
  statuses,
  upserts,
} from './talk.ts'
import { usePlatforms } from './use-platform.ts'

const platforms = usePlatforms()

test('an upsert creates, updates or changes nothing; a removal of what is not there changes nothing', async () => {
  const platform = await platforms.start()
  const first = await post(platform, upserts([session(1, 'S1', { location: 'A' }), session(3, 'S2')]))
  expectToBe('results', first.body)
  expect(statuses(first)).toEqual([
    [1, 'created'],
    [3, 'created'],
  ])
  // The same fields in another order are the same.
  const same = session(1, 'S2')
  const turned = { ...same, fields: Object.fromEntries(Object.entries(same.fields).reverse()) }
  const next = { run: RUN_2, fence: 2 }
  const second = await post(platform, upserts([turned, session(2, 'S1', { subFilters: ['b', 'a'] })], next))
  expect(statuses(second)).toEqual([
    [1, 'unchanged'],
    [2, 'updated'],
  ])
  // A field that was not sent has no value any more, and the order of a list counts.
  const { items } = await platform.control('state')
  expect(items.agenda.map(({ fields }) => fields)).toEqual([
    { ...session(0, 'S1').fields, subFilters: ['b', 'a'] },
    same.fields,
  ])
  const third = await post(
    platform,
    removals([removal(1, 'agenda', 'S1'), removal(2, 'speakers', 'S2'), removal(3, 'agenda', 'S1')], next),
  )
  expect(statuses(third)).toEqual([
    [1, 'removed'],
    [2, 'unchanged'],
    [3, 'unchanged'],
  ])
  const { ledger } = await platform.control('ledger')
  expect(ledger.map(({ n, seq, uniqueId, effect }) => [n, seq, uniqueId, effect])).toEqual([
    [1, 1, 'S1', 'created'],
    [2, 3, 'S2', 'created'],
    [3, 1, 'S2', 'unchanged'],
    [4, 2, 'S1', 'updated'],
    [5, 1, 'S1', 'removed'],
    [6, 2, 'S2', 'unchanged'],
    [7, 3, 'S1', 'unchanged'],
  ])
})

test('operations on one item take effect in their order within a batch', async () => {
  const platform = await platforms.start()
  const twice = await post(platform, upserts([session(1, 'S1'), session(2, 'S1', { location: 'B' })]))
  expect(statuses(twice)).toEqual([
    [1, 'created'],
    [2, 'updated'],
  ])
  expect((await platform.control('state')).items.agenda[0]?.fields.location).toBe('B')
})

test('a repeated key with equal bytes has the same answer and no new effect, a newer run notwithstanding', async () => {
  const platform = await platforms.start()
  const batch = upserts([session(1, 'S1')])
  const first = await post(platform, batch, { key: 'k1' })
  await post(platform, upserts([session(1, 'S1', { location: 'B' })], { run: RUN_2, fence: 2 }))
  const again = await post(platform, batch, { key: 'k1' })
  expect([again.status, again.body]).toEqual([200, first.body])
  expect((await platform.control('ledger')).ledger.length).toBe(2)
  expect((await platform.control('state')).items.agenda[0]?.fields.location).toBe('B')
})

test('one key at once in many requests takes effect once', async () => {
  const platform = await platforms.start()
  const batch = upserts([session(1, 'S1'), session(2, 'S2')])
  const answers = await Promise.all(Array.from({ length: 8 }, () => post(platform, batch, { key: 'k1' })))
  expect(new Set(answers.map((answer) => JSON.stringify(statuses(answer))))).toEqual(
    new Set(['[[1,"created"],[2,"created"]]']),
  )
  expect((await platform.control('ledger')).ledger.length).toBe(2)
})

test('a key that comes with other bytes is refused, also where its first batch was refused', async () => {
  const platform = await platforms.start()
  await post(platform, upserts([session(1, 'S1')]), { key: 'k1' })
  const other = await post(platform, upserts([session(1, 'S2')]), { key: 'k1' })
  expect([other.status, other.body]).toEqual([409, { error: 'key_reused' }])
  expect((await post(platform, upserts([]), { key: 'k2' })).status).toBe(400)
  expect((await post(platform, upserts([session(1, 'S3')]), { key: 'k2' })).body.error).toBe('key_reused')
  expect((await platform.control('ledger')).ledger.map(({ uniqueId }) => uniqueId)).toEqual(['S1'])
  // What differs may be a space: the bytes count, not what they mean.
  const spaced = `${JSON.stringify(upserts([session(1, 'S1')]))} `
  expect((await post(platform, spaced, { key: 'k1' })).status).toBe(409)
})

test('a lower fence is refused with the highest one, for its integration alone; an equal one is taken of the same run', async () => {
  const platform = await platforms.start()
  await post(platform, upserts([session(1, 'S1')], { fence: 5 }))
  const stale = await post(platform, upserts([session(1, 'S2')], { fence: 4 }))
  expect([stale.status, stale.body]).toEqual([409, { error: 'stale_fence', fence: 5 }])
  expectToBe('refusal', stale.body)
  expect((await post(platform, upserts([session(2, 'S2')], { fence: 5 }))).status).toBe(200)
  const other = await post(platform, upserts([session(1, 'S3')], { fence: 5, run: RUN_2 }))
  expect([other.status, other.body]).toEqual([409, { error: 'stale_fence', fence: 5 }])
  expect((await post(platform, upserts([session(1, 'S3')], { integration: 'expo' }))).status).toBe(200)
  expect((await platform.control('state')).fences).toEqual({ summit: 5, expo: 1 })
})

test('a batch that was refused does not raise the fence', async () => {
  const platform = await platforms.start()
  await platform.control('faults', { fault: 'refuseBatch', uniqueId: 'S1' })
  expect((await post(platform, upserts([session(1, 'S1')], { fence: 9 }))).status).toBe(422)
  expect((await post(platform, upserts([session(1, 'S1')], { fence: 1 }))).status).toBe(200)
})

test('upserts after the first removal of their run are refused whole; those of the next run are taken', async () => {
  const platform = await platforms.start()
  await post(platform, removals([removal(2, 'agenda', 'S1')]))
  const late = await post(platform, upserts([session(1, 'S1')]))
  expect([late.status, late.body]).toEqual([422, { error: 'upserts_after_removals' }])
  expect((await post(platform, upserts([session(1, 'S1')], { run: RUN_2, fence: 2 }))).status).toBe(200)
})

test('a password is used for a creation alone, and stored as a salted hash', async () => {
  const platform = await platforms.start()
  const password = 'correct horse'
  await post(platform, upserts([attendee(1, '1', { password }), attendee(2, '2', { password })]))
  const changed = { firstName: 'Bram', lastName: 'Carrow', emailAddress: 'bram@example.org' }
  await post(
    platform,
    upserts([attendee(3, '1', { fields: changed, password: 'another one' }), attendee(4, '3')]),
  )
  const matches = async (uniqueId: string, tried: string) =>
    (await platform.control('password', { uniqueId, password: tried })).matches
  expect(await matches('1', password)).toBe(true)
  expect(await matches('1', 'another one')).toBe(false)
  expect(await matches('3', password)).toBe(false)

  const { ledger } = await platform.control('ledger')
  expect(ledger.map(({ effect, passwordGiven }) => [effect, passwordGiven])).toEqual([
    ['created', true],
    ['created', true],
    ['updated', true],
    ['created', false],
  ])
  const { items } = await platform.control('state')
  expect(items.attendees.map(({ hasPassword }) => hasPassword)).toEqual([true, true, false])
  const journal = readFileSync(join(platforms.folder(), 'journal.jsonl'), 'utf8')
  expect(journal).not.toMatch(/correct horse|another one/)
  const hashes = [...journal.matchAll(/"passwordHash":"([^"]+)"/g)].map(([, hash]) => hash)
  expect(new Set(hashes).size).toBe(2)
})

test('references may lead to items that come later; those that lead nowhere are told', async () => {
  const platform = await platforms.start()
  await post(
    platform,
    upserts([
      { ...attendee(1, '1'), fields: { ...attendee(1, '1').fields, personalAgenda: ['S1', 'S9'] } },
      speaker(2, 'P1', { sessionIds: ['S1'], attendeeId: '8' }),
    ]),
  )
  const missing = async () =>
    (await platform.control('dangling')).dangling.map((one) => Object.values(one).join(' '))
  expect(await missing()).toEqual([
    'speakers P1 sessionIds S1',
    'speakers P1 attendeeId 8',
    'attendees 1 personalAgenda S1',
    'attendees 1 personalAgenda S9',
  ])
  await post(platform, upserts([session(3, 'S1', { speakerIds: ['P1', 'P2'] })]))
  expect(await missing()).toEqual([
    'agenda S1 speakerIds P2',
    'speakers P1 attendeeId 8',
    'attendees 1 personalAgenda S9',
  ])
})
