import { expect, test } from 'vitest'
import type { SamplePlatform } from '../../../../pipeline/demo/sample-platform/start.ts'
import { attendee, expectToBe, get, post, RUN_2, removal, removals, session, upserts } from './talk.ts'
import { usePlatforms } from './use-platform.ts'

const platforms = usePlatforms()

async function page(platform: SamplePlatform, content: string, cursor: string | null = null) {
  const more = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
  const { body } = await get(platform, `/v1/events/sample-event/items?content=${content}${more}`)
  expectToBe('items', body)
  const ids = (body.items ?? []).map(({ uniqueId }) => uniqueId)
  return { body, ids, next: body.next ?? null }
}

test('items come page by page in the order of their bytes, each once', async () => {
  const platform = await platforms.start({ pageSize: 2 })
  // In UTF-16 units, 😀 would come before ﬀ.
  const ids = ['ﬀ', 'b', '10', '😀', 'B', '9', 'é']
  await post(platform, upserts(ids.map((id, index) => session(index + 1, id))))
  const read: (readonly string[])[] = []
  let cursor: string | null = null
  do {
    const one = await page(platform, 'agenda', cursor)
    read.push(one.ids)
    cursor = one.next
  } while (cursor !== null)
  expect(read).toEqual([['10', '9'], ['B', 'b'], ['é', 'ﬀ'], ['😀']])
})

test('the last page has no next one, a full last page included, and no items are one empty page', async () => {
  const platform = await platforms.start({ pageSize: 2 })
  expect((await page(platform, 'agenda')).body).toEqual({ items: [], next: null, fence: 0, total: 0 })
  await post(platform, upserts([session(1, 'S1'), session(2, 'S2')], { fence: 7 }))
  const { body } = await page(platform, 'agenda')
  expect(body).toEqual({
    items: ['S1', 'S2'].map((uniqueId) => ({ uniqueId, fields: session(0, uniqueId).fields })),
    next: null,
    fence: 7,
    total: 2,
  })
  expect((await page(platform, 'speakers')).ids).toEqual([])
})

test('an item that stands throughout is given once, whatever comes and goes meanwhile', async () => {
  const platform = await platforms.start({ pageSize: 2 })
  await post(platform, upserts(['b', 'd', 'f', 'h'].map((id, index) => session(index + 1, id))))
  const first = await page(platform, 'agenda')
  await post(platform, upserts([session(5, 'a'), session(6, 'c')]))
  expect((await page(platform, 'agenda')).ids).toEqual(['a', 'b'])
  // The item that the cursor stands on goes too.
  await post(platform, removals([removal(7, 'agenda', 'b'), removal(8, 'agenda', 'd')]))
  const second = await page(platform, 'agenda', first.next)
  expect([first.ids, second.ids, second.next]).toEqual([['b', 'd'], ['f', 'h'], null])
  expect((await page(platform, 'agenda')).ids).toEqual(['a', 'c'])
})

test('fields are those that were sent last, without the password', async () => {
  const platform = await platforms.start()
  await post(platform, upserts([attendee(1, '1', { password: 'secret-1' })]))
  const fields = {
    firstName: 'Bram',
    lastName: 'Carrow',
    emailAddress: 'b@example.org',
    personalAgenda: ['S1'],
  }
  await post(platform, upserts([attendee(1, '1', { fields })], { run: RUN_2, fence: 2 }))
  expect((await page(platform, 'attendees')).body.items).toEqual([{ uniqueId: '1', fields }])
})

test('a page has 100 items unless told', async () => {
  const platform = await platforms.start()
  await post(
    platform,
    upserts(Array.from({ length: 101 }, (_, index) => session(index + 1, String(index + 1000)))),
  )
  const first = await page(platform, 'agenda')
  expect(first.ids.length).toBe(100)
  expect((await page(platform, 'agenda', first.next)).ids).toEqual(['1100'])
})
