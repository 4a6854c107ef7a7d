import { type Fault, fatal, fault } from '../fault.ts'
import { type Asked, textReply } from '../reply.ts'

/** A redirect is followed three times at most, and only below `source.url`: credentials go with it. */
const says = /answered 30\d: a redirect is followed three times at most, and only below source\.url; check/

function leadsTo(address: (asked: Asked) => string, status = 302): Fault['play'] {
  return (_, asked) => ({ ...textReply('', status), headers: { Location: address(asked) } })
}

/** The same request, with one parameter more that the source knows nothing of. */
function again({ url }: Asked): string {
  const next = new URL(url)
  next.searchParams.set('via', String(viaOf(url) + 1))
  return next.href
}

const viaOf = (url: URL) => Number(url.searchParams.get('via') ?? 0)

export const redirectFaults: readonly Fault[] = [
  fault({
    kind: 'a redirect within',
    name: 'a redirect within, followed',
    plays: 'once',
    expected: 'recovered',
    play: leadsTo(again, 307),
  }),
  fault({
    kind: 'a redirect within',
    name: 'three redirects within, of every page',
    plays: 'always',
    expected: 'recovered',
    play: (honest, asked) => (viaOf(asked.url) < 3 ? leadsTo(again, 308)(honest, asked) : honest),
  }),
  fault({
    kind: 'a redirect loop',
    name: 'a redirect loop',
    plays: 'always',
    expected: 'failed',
    atToken: 'failed',
    play: leadsTo(({ url }) => url.href),
    says,
  }),
  ...(
    [
      ['to another host', ({ outside, url }: Asked) => outside + url.pathname],
      ['with a user name', ({ url }: Asked) => url.href.replace('//', '//mary:x@')],
      ['above source.url', ({ url }: Asked) => `${url.origin}/elsewhere`],
      ['to a file', () => 'file:///etc/passwd'],
      ['to no address', () => 'http://['],
    ] as const
  ).map(([name, address]) =>
    fatal({
      kind: 'a redirect outside',
      name: `a redirect ${name}`,
      atToken: 'failed',
      play: leadsTo(address),
      says,
    }),
  ),
]
