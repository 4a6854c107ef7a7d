import { expect, test } from 'vitest'
import { addressesIn, isPersonalId, type KnownPerson } from '../../../transforms/rules/personal-ids.ts'

const CASES: readonly (readonly [why: string, id: string, known: KnownPerson, isPersonal: boolean])[] = [
  ['an id of the source', 'u1', {}, false],
  ['a login that is not the address', 'ada', { addresses: ['ada@people.example'] }, false],
  ['an id that looks like an address', 'ada@people.example', {}, true],
  ['the address of a person without an id', 'ada-no-at', { lacksOwnId: true }, true],
  ['a login that is the address', 'ada-no-at', { addresses: [null, 'ada-no-at'] }, true],
  ['a login that is another spelling of the address', 'ada-no-at', { addresses: [' Ada-No-At '] }, true],
  ['a login that was the address before', 'ada-no-at', { addresses: ['ada-no-at', 'a@b.example'] }, true],
]

test.each(CASES)('%s: %s', (_, id, known, isPersonal) => {
  expect(isPersonalId(id, known)).toBe(isPersonal)
})

test('the addresses of an item are those before and after a change', () => {
  expect(addressesIn({ emailAddress: 'a@x.example' }, null, { emailAddress: 'b@x.example' }, {})).toEqual([
    'a@x.example',
    'b@x.example',
  ])
})
