import { expect, test } from 'vitest'
import { addressForms, addressKey } from '../../../transforms/rules/addresses.ts'

test.each<[name: string, address: string, key: string]>([
  ['blanks and case', ' Ada@People.Example\n', 'ada@people.example'],
  ['NFD', 'Zoe\u0308@people.example', 'zoë@people.example'],
  ['capital letters in NFD', 'ZOE\u0308@people.example', 'zoë@people.example'],
  ['a domain in Unicode', 'ada@Bücher.example', 'ada@bücher.example'],
  ['a domain in NFD', 'ada@bu\u0308cher.example', 'ada@bücher.example'],
  ['a domain in punycode', 'ada@XN--Bcher-Kva.example', 'ada@bücher.example'],
  ['a domain in both', 'ada@bücher.xn--mnchen-3ya.example', 'ada@bücher.münchen.example'],
  ['a domain with the dot of East Asia', 'ada@例え\u3002テスト', 'ada@例え.テスト'],
  ['a local part that looks like punycode', 'xn--bcher-kva@people.example', 'xn--bcher-kva@people.example'],
  ['what only looks like punycode', 'ada@xn--a', 'ada@xn--a'],
  ['what can be no domain', 'ada@bücher example', 'ada@bücher example'],
  ['what is longer than a domain', `ada@${'ü'.repeat(400_000)}`, `ada@${'ü'.repeat(400_000)}`],
  ['an address in quotation marks', '"a@ü"@people.example', '"a@ü"@people.example'],
  ['no address', ' 4711-Ü ', '4711-ü'],
])('addresses are compared without %s', (_, address, key) => {
  expect(addressKey(address)).toBe(key)
  // Applying `addressKey` to its own result changes nothing.
  expect(addressKey(key)).toBe(key)
})

test('addresses are different if the local part differs in the width of characters or in ligatures', () => {
  expect(addressKey('ﬁ@people.example')).not.toBe(addressKey('fi@people.example'))
})

test('an address is looked up with both forms of its domain: Unicode and punycode', () => {
  expect(addressForms('Ada@xn--bcher-kva.example')).toEqual([
    'ada@bücher.example',
    'ada@xn--bcher-kva.example',
  ])
  expect(addressForms('ada@people.example')).toEqual(['ada@people.example'])
})
