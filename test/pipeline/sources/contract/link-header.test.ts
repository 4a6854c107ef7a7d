import { expect, test } from 'vitest'
import { linksOf } from '../../../../pipeline/sources/contract/link-header.ts'

test.each([
  ['</x?page=2>; rel="next"', ['/x?page=2']],
  ['</x?page=2>; rel=next', ['/x?page=2']],
  ['</x?page=2>;REL=NEXT', ['/x?page=2']],
  ['</x?page=2> ; rel = "next" ; title="a"', ['/x?page=2']],
  ['</x?page=2>; rel="last next"', ['/x?page=2']],
  ['</x?page=2>; title="a, b; rel=prev"; rel="next"', ['/x?page=2']],
  ['</x?page=2>; title="a \\" >; <b>"; rel="next"', ['/x?page=2']],
  ['</x?page=2>; crossorigin; rel=next', ['/x?page=2']],
  ['</x?a=1,2;b=3>; rel=next, </y>; rel=last', ['/x?a=1,2;b=3']],
  ['</y>; rel=first, </x>; rel=next', ['/x']],
  ['</y>; rel=self,</x>;rel="next",</z>;rel="next"', ['/x', '/z']],
  ["</x>; rel='next'", ['/x']],
  // If a link has several `rel` parameters, only the first parameter is used.
  ['</x>; rel=prev; rel=next', []],
  ['</x>; rel=nextish, </y>; title="rel=next", </z>; x-rel=next', []],
  ['rel=next', []],
  ['<', []],
  ['', []],
])('the Link header %s has the next links %j', (header, targets) => {
  expect(linksOf(header, 'next')).toEqual(targets)
})
