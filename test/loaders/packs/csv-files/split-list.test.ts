import fc from 'fast-check'
import { expect, test } from 'vitest'
import { joinList, splitList } from '../../../../loaders/packs/csv-files/csv.ts'

test.each([
  ['101; 102', ['101', '102']],
  ['a\\; b', ['a; b']],
  ['a\\\\; b', ['a\\', 'b']],
  ['a; ', ['a', '']],
])('the cell %j is the list %j', (cell, list) => {
  expect(splitList(cell)).toEqual(list)
})

test('splitting a joined list gives the list again, whatever its texts are', () => {
  const element = fc.string({ unit: fc.constantFrom('\\', ';', ' ', '\n', 'a', 'é') })
  fc.assert(
    fc.property(fc.array(element, { minLength: 1 }), (list) => {
      expect(splitList(joinList(list))).toEqual(list)
    }),
  )
})
