import { type Fault, fault, moving } from '../fault.ts'
import { envelopeOf } from '../honest.ts'
import { type Asked, placeOf, textReply } from '../reply.ts'

const MOVED = /the source moved in each of 3 readings/

/** Records keyed by their ids, in the order of the source. */
function keyed({ list, cap, ...asked }: Asked): string {
  const first = (placeOf(asked) - 1) * cap
  const items = list
    .slice(first, first + cap)
    .map((text) => `${JSON.stringify(String(JSON.parse(text).id))}:${text}`)
  return envelopeOf({ ...asked, list, cap }, { items: `{${items.join(',')}}` })
}

/** Source: spec-gaps, "Envelope"; a read that ends where the total is met, the same on every page. */
export const pagingFaultsOfB: readonly Fault[] = [
  ...moving({
    kind: 'B: the total changes or goes away',
    name: 'B: the total changes',
    fromPage: 2,
    play: (_, asked) => textReply(envelopeOf(asked, { totalCount: asked.list.length + 1 + asked.plays })),
    says: MOVED,
  }),
  ...moving({
    kind: 'B: the total changes or goes away',
    name: 'B: the total goes away',
    fromPage: 2,
    play: (_, asked) => textReply(envelopeOf(asked, { totalCount: null })),
    says: MOVED,
  }),
  ...moving({
    kind: 'B: the page before comes again, and says so',
    fromPage: 2,
    play: (_, asked) => textReply(envelopeOf(asked, { page: placeOf(asked) - 1 })),
    says: MOVED,
  }),
  ...moving({
    kind: 'B: an empty page in the middle',
    fromPage: 2,
    play: (_, asked) => textReply(envelopeOf(asked, { items: '[]', currentPage: placeOf(asked) })),
    says: MOVED,
  }),
  fault({
    kind: 'B: the page before comes again under its own number',
    name: 'B: the page before comes again under its own number',
    plays: 'once',
    expected: 'failed',
    fromPage: 2,
    play: (_, asked) =>
      textReply(envelopeOf(asked, { page: placeOf(asked) - 1, currentPage: placeOf(asked) })),
    says: /the page before came again, so the end is not known/,
  }),
  fault({
    kind: 'B: the total is never met',
    name: 'B: the total is never met, and the pages beyond are empty',
    plays: 'always',
    expected: 'uncertified',
    play: (_, asked) => {
      const isBeyond = (placeOf(asked) - 1) * asked.cap >= asked.list.length
      const beyond = isBeyond ? { items: '[]', currentPage: placeOf(asked) } : {}
      return textReply(envelopeOf(asked, { ...beyond, totalCount: asked.list.length + asked.cap + 1 }))
    },
    says: MOVED,
  }),
  fault({
    kind: 'B: the total is never met',
    name: 'B: the total is never met, and past the end the last page comes again',
    plays: 'always',
    expected: 'uncertified',
    play: (_, asked) => textReply(envelopeOf(asked, { totalCount: asked.list.length + asked.cap + 1 })),
    says: MOVED,
  }),
  fault({
    kind: 'B: fewer are declared than come',
    name: 'B: fewer are declared than come',
    plays: 'always',
    expected: 'uncertified',
    // One less than the first two pages hold, so that the third is not asked for.
    play: (_, asked) =>
      textReply(envelopeOf(asked, { totalCount: Math.min(asked.list.length, 2 * asked.cap) - 1 })),
    says: MOVED,
  }),
  fault({
    kind: 'B: another spelling',
    name: 'B: items keyed by id',
    plays: 'always',
    expected: 'recovered',
    play: (_, asked) => textReply(keyed(asked)),
  }),
  fault({
    kind: 'B: another spelling',
    name: 'B: the total as text',
    plays: 'always',
    expected: 'recovered',
    play: (_, asked) => textReply(envelopeOf(asked, { totalCount: String(asked.list.length) })),
  }),
].map((row) => ({ ...row, sources: ['b'] }))
