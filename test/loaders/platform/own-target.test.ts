import { describe, expect, test } from 'vitest'
import { type ListedItem, ownReader } from '../../../loaders/platform/own-target.ts'

function readerOf(items: readonly ListedItem[], total: unknown = items.length) {
  return ownReader('Example', {
    send: async () => [],
    async *list() {
      yield* items
    },
    count: async () => total as number,
  })
}

async function readAll(items: readonly ListedItem[]) {
  const read = []
  for await (const page of readerOf(items).itemsOf('attendees')) read.push(...page.items)
  return read
}

const item = (uniqueId: string, fields: ListedItem['fields'] = { firstName: 'Ada' }) => ({ uniqueId, fields })

describe('the items that a target lists', () => {
  test('fields without a value are left out, as in the items that are sent', async () => {
    const fields = { firstName: 'Ada', company: '', title: null, phone: undefined, personalAgenda: [] }
    expect(await readAll([item('1', fields)])).toEqual([
      { content: 'attendees', uniqueId: '1', fields: { firstName: 'Ada' } },
    ])
  })

  test('the first page has one item, so that `check` needs only the first answer of the platform', async () => {
    const items = Array.from({ length: 2500 }, (_, index) => item(String(index)))
    const lengths = []
    for await (const page of readerOf(items).itemsOf('attendees')) lengths.push(page.items.length)
    expect(lengths).toEqual([1, 1000, 1000, 499])
  })

  test('custom fields keep flags and numbers', async () => {
    const custom = { vip: true, seats: 2, diet: 'none' }
    expect(await readAll([item('1', { custom })])).toMatchObject([{ fields: { custom } }])
  })

  test('more items than fit into one page are all read', async () => {
    expect(await readAll(Array.from({ length: 2001 }, (_, index) => item(String(index))))).toHaveLength(2001)
  })

  test.each<[string, readonly ListedItem[], RegExp]>([
    ['an item that is listed twice', [item('Ada'), item('Ada')], /returned an item of attendees twice/],
    ['an empty unique ID', [item('')], /whose uniqueId is not a usable text/],
    ['a field of another content', [item('1', { imageUrl: 'x' })], /with "imageUrl", which is not a field/],
    [
      'a key that may be a value',
      [item('1', { 'ada@example.org': 'x' })],
      /with a key, which is not a field/,
    ],
    ['a value that is not a text', [item('1', { firstName: 7 })], /whose firstName is not a text/],
  ])('%s stops the reading, and the message contains no value of a person', async (_, items, message) => {
    const reading = readAll(items)
    await expect(reading).rejects.toThrow(message)
    await expect(reading).rejects.not.toThrow(/Ada|ada@/)
  })

  test.each([null, -1, 1.5, '2'])('%s is not accepted as the number of items', async (total) => {
    await expect(readerOf([], total).stateOf('attendees')).rejects.toThrow(
      /`count` of Example did not return a number of attendees/,
    )
  })
})
