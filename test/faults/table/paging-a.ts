import { type Fault, fatal, fault, moving } from '../fault.ts'
import { arrayOf, sliceOfA } from '../honest.ts'
import { type Asked, placeOf, type Reply, textReply } from '../reply.ts'

/** `$top`: as many elements as this may have been cut from more. */
const TOP = 1000

const fillers = arrayOf(Array.from({ length: TOP }, (_, index) => `{"Id":${900_000 + index}}`))

function linksTo(address: (asked: Asked) => string): Fault['play'] {
  return (_, asked) =>
    textReply(`{"value":${arrayOf(sliceOfA(asked))},"@odata.nextLink":${JSON.stringify(address(asked))}}`)
}

/** Links as a real source gives them, to the last page. */
function linked(_: Reply, asked: Asked): Reply {
  const elements = sliceOfA(asked)
  const end = placeOf(asked) + elements.length
  const next = new URL(asked.url)
  next.searchParams.set('$skip', String(end))
  const link = end < asked.list.length ? `,"odata.nextLink":${JSON.stringify(next.href)}` : ''
  return textReply(`{"value":${arrayOf(elements)}${link}}`)
}

/** Source: spec-gaps, "OData v3 style": pages overlap by one, else the source moved and the resource is read anew. */
export const pagingFaultsOfA: readonly Fault[] = [
  ...moving({
    kind: 'A: a page comes again',
    name: 'A: the page before comes again',
    fromPage: 2,
    play: (_, asked) => textReply(arrayOf(sliceOfA(asked, Math.max(0, placeOf(asked) - asked.cap + 1)))),
    says: /the source moved in each of 3 readings/,
  }),
  ...moving({
    kind: 'A: a page lacks its overlap',
    fromPage: 2,
    play: (_, asked) => textReply(arrayOf(sliceOfA(asked, placeOf(asked) + 1))),
    says: /the source moved in each of 3 readings/,
  }),
  ...moving({
    kind: 'A: an empty page in the middle',
    fromPage: 2,
    play: () => textReply('[]'),
    says: /the source moved in each of 3 readings: the last element read is gone/,
  }),
  ...moving({
    kind: 'A: a page comes again',
    name: 'A: the first page comes again',
    fromPage: 2,
    // Whoever skips beyond every end learns that $skip counts.
    play: (honest, asked) => (placeOf(asked) > 1000 ? honest : textReply(arrayOf(sliceOfA(asked, 0)))),
    says: /the source moved in each of 3 readings/,
  }),
  fault({
    kind: 'A: $skip is ignored on a short answer',
    name: 'A: $skip is ignored on a short answer',
    isOfAllPages: true,
    plays: 'always',
    expected: 'recovered',
    play: (_, asked) => textReply(arrayOf(asked.list)),
  }),
  fault({
    kind: 'A: $skip is ignored on a full answer',
    name: 'A: $skip is ignored on a full answer',
    isOfAllPages: true,
    plays: 'always',
    expected: 'failed',
    play: () => textReply(fillers),
    says: /the source ignores \$skip, so its answer may be cut short/,
  }),
  fault({
    kind: 'A: pages of another size',
    name: 'A: pages shorter than the first',
    plays: 'always',
    expected: 'recovered',
    fromPage: 2,
    play: (_, asked) => textReply(arrayOf(sliceOfA({ ...asked, cap: asked.cap - 1 }))),
  }),
  fault({
    kind: 'A: pages of another size',
    name: 'A: one page longer than the first',
    plays: 'once',
    expected: 'recovered',
    play: (_, asked) => textReply(arrayOf(sliceOfA({ ...asked, cap: asked.cap + 2 }))),
  }),
  fault({
    kind: 'A: next links to the end',
    name: 'A: next links to the end',
    plays: 'always',
    expected: 'recovered',
    play: linked,
  }),
  fault({
    kind: 'A: next links in a circle',
    name: 'A: next links in a circle',
    plays: 'always',
    expected: 'failed',
    play: linksTo(({ url }) => url.href),
    says: /the next link leads to a page that was read before/,
  }),
  ...(
    [
      ['another host', ({ outside, url }: Asked) => `${outside}${url.pathname}?$skip=3`],
      ['another resource', ({ url }: Asked) => new URL('Elsewhere?$skip=3', url).href],
      ['above source.url', ({ url }: Asked) => `${url.origin}/elsewhere?$skip=3`],
      ['a file', () => 'file:///etc/passwd'],
      ['no address', () => 'http://['],
    ] as const
  ).map(([name, address]) =>
    fatal({
      kind: 'A: a next link outside',
      name: `A: a next link to ${name}`,
      play: linksTo(address),
      says: /the next link leads to another resource or another host/,
    }),
  ),
].map((row) => ({ ...row, sources: ['a'] }))
