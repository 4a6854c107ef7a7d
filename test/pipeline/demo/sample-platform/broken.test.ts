import { expect, test } from 'vitest'
import type { FaultName } from '../../../../pipeline/demo/sample-platform/faults.ts'
import { attendee, post, RUN_2, session, statuses, upserts } from './talk.ts'
import { usePlatforms } from './use-platform.ts'

const platforms = usePlatforms()
const batch = upserts([session(1, 'S1'), session(2, 'S2'), session(3, 'S3')])

async function broken(fault: FaultName) {
  const platform = await platforms.start()
  await post(platform, upserts([session(1, 'S1')]))
  await platform.control('faults', { fault })
  const stored = async () => (await platform.control('state')).items.agenda.map(({ uniqueId }) => uniqueId)
  return { platform, stored }
}

test('forgetsKeys: a repeated key has its effects again, and may come with other bytes', async () => {
  const { platform } = await broken('forgetsKeys')
  const create = upserts([attendee(4, '1')])
  expect(statuses(await post(platform, create, { key: 'k1' }))).toEqual([[4, 'created']])
  expect(statuses(await post(platform, create, { key: 'k1' }))).toEqual([[4, 'unchanged']])
  expect((await post(platform, batch, { key: 'k1' })).status).toBe(200)
  expect((await platform.control('ledger')).ledger.length).toBe(6)
})

test('losesOneOperation: all are acknowledged and one is not stored, not even after a new start', async () => {
  const { platform, stored } = await broken('losesOneOperation')
  expect(statuses(await post(platform, batch, { key: 'k1' }))).toEqual([
    [1, 'unchanged'],
    [2, 'created'],
    [3, 'created'],
  ])
  expect(await stored()).toEqual(['S1', 'S3'])
  await platform.kill('SIGKILL')
  const next = await platforms.start()
  expect(statuses(await post(next, batch, { key: 'k1' }))[1]).toEqual([2, 'created'])
  expect((await next.control('state')).items.agenda.length).toBe(2)
})

test('acknowledgesWithoutStoring: all are acknowledged and nothing is stored', async () => {
  const { platform, stored } = await broken('acknowledgesWithoutStoring')
  expect(statuses(await post(platform, batch, { key: 'k1' })).length).toBe(3)
  expect(await stored()).toEqual(['S1'])
  expect((await platform.control('state')).keys).toBe(1)
})

test('ignoresFences: an older run overwrites what a newer one wrote', async () => {
  const { platform, stored } = await broken('ignoresFences')
  await post(platform, upserts([session(1, 'S1', { location: 'new' })], { run: RUN_2, fence: 2 }))
  expect((await post(platform, batch)).status).toBe(200)
  expect(await stored()).toEqual(['S1', 'S2', 'S3'])
  expect((await platform.control('state')).fences).toEqual({ summit: 2 })
})

test.each([
  ['swapsTwoResults', ['1 created', '2 unchanged', '3 created']],
  ['omitsAResult', ['1 unchanged', '2 created']],
  ['repeatsAResult', ['1 unchanged', '2 created', '3 created', '1 unchanged']],
  ['addsAResult', ['1 unchanged', '2 created', '3 created', '4 unchanged']],
] as const)('%s: everything is stored and the results are wrong', async (fault, results) => {
  const { platform, stored } = await broken(fault)
  const answer = await post(platform, batch, { key: 'k1' })
  expect(statuses(answer).map((result) => result.join(' '))).toEqual(results)
  expect(await stored()).toEqual(['S1', 'S2', 'S3'])
  // Only the reply was wrong: what stands for the key is right.
  await platform.control('faults', [])
  expect(statuses(await post(platform, batch, { key: 'k1' })).map((result) => result.join(' '))).toEqual([
    '1 unchanged',
    '2 created',
    '3 created',
  ])
})
