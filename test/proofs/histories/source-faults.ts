import type { Random } from '../../harness/random.ts'
import { type Reply, textReply } from '../../harness/reply.ts'
import { ID_ANSWERS, PLAIN_A, PLAIN_B, pageOf, skipOf, type WireB } from '../../harness/source-answers.ts'
import type { Asked, Play, Served } from '../../harness/source-server.ts'
import { declare, type Tally } from '../../harness/tally.ts'
import { NEEDED, type ReadSource } from '../model/model-run.ts'
import type { Reading } from './model-history.ts'
import type { Settings } from './settings.ts'
import { elementsOf, type World } from './world.ts'

/** The source during one run: the records that can be read, and the answers that it sends. */
export interface ServedReading {
  readonly reading: Reading
  readonly served: Served
  readonly play: Play
}

/** A fault of a source: which part of a resource can still be read, and how the source answers. */
interface Fault {
  readonly name: string
  readonly weight: number
  readonly isReadable: boolean
  readonly isProved: boolean
  /**
   * Returns a function that answers each request. @param hidden number of records that Source B includes in
   * its total but does not send
   */
  play(type: 'a' | 'b', hidden: number): (asked: Asked) => Reply
}

const passing = { weight: 2, isReadable: true, isProved: true }
const failing = { weight: 1, isReadable: false, isProved: false }

const always = (reply: Reply) => () => () => reply
const tooMany = { ...textReply('', 429), headers: { 'Retry-After': '2' } }

const FAULTS: readonly Fault[] = [
  { ...passing, name: 'a 500 that passes', play: () => times(2, textReply('', 500)) },
  { ...passing, name: 'a 429 that passes', play: () => times(1, tooMany) },
  { ...failing, name: 'a resource that is refused', play: always(textReply('', 403)) },
  { ...failing, name: 'a 500 that stays', play: always(textReply('', 500)) },
  {
    ...failing,
    name: 'an object where a list is due',
    play: (type) => () => textReply(type === 'a' ? '{"Message":"no"}' : '{"message":"no"}'),
  },
  {
    ...failing,
    name: 'an answer that is cut short',
    play: () => (asked) => ({ ...asked.honest, body: asked.honest.body.subarray(0, -2) }),
  },
  {
    weight: 7,
    isReadable: true,
    isProved: false,
    name: 'a read that is not proved',
    play: (type, hidden) => (type === 'a' ? movesOn : (asked) => declaresMore(asked, hidden)),
  },
]

for (const { name } of FAULTS) declare(`source fault: ${name}`)

/** Each page after the first begins with another record than the last record of the page before. */
function movesOn({ url, honest }: Asked): Reply {
  return skipOf(url) === 0 ? honest : textReply('[{"Id":"moved on"}]')
}

/** The total includes records that are never sent; the pages of these records are empty. */
function declaresMore({ url, honest }: Asked, hidden: number): Reply {
  const { _meta: meta, items } = JSON.parse(honest.body.toString())
  const page = pageOf(url)
  const _meta = { ...meta, currentPage: page, totalCount: meta.totalCount + hidden }
  return textReply(JSON.stringify({ items: page > meta.pageCount ? [] : items, _meta }))
}

function times(count: number, reply: Reply): (asked: Asked) => Reply {
  let left = count
  return ({ honest }) => {
    left -= 1
    return left < 0 ? honest : reply
  }
}

/**
 * Serves the records of a world correctly, or sometimes with a fault.
 *
 * @param zoneOf returns the time zone with which a resource was last read. A record that a run does not see
 * keeps values read with that time zone, which the model does not cover
 */
export function serveWorld(
  world: World,
  settings: Settings,
  random: Random,
  tally: Tally,
  { share, zoneOf }: { readonly share: number; readonly zoneOf: (resource: string) => string | undefined },
): ServedReading {
  const { type, clock } = world.vocabulary
  const elements = elementsOf(world)
  const wire = { cap: random.pick([5, 9, 1000]), ids: random.pick(ID_ANSWERS) }
  const needed = [...new Set(settings.content.flatMap((content) => NEEDED[type][content]))]
  // Resources with few records get no fault, since no record would be missing.
  const spoilable = needed.filter((name) => (elements[name]?.length ?? 0) > 2)
  const fault = random.chance(share) && spoilable.length > 0 ? random.weighted(FAULTS) : null
  const resource = fault === null ? '' : random.pick(spoilable)
  const isOfAnotherZone = resource === clock && zoneOf(resource) !== settings.timeZone
  if (fault === null || (isOfAnotherZone && !fault.isProved && fault.isReadable)) {
    return reading(world, settings, elements, elements, wire, { isReadable: true, unproved: [] })
  }
  tally.count(`source fault: ${fault.name}`)
  const list = elements[resource] ?? []
  const hidden = type === 'b' && !fault.isProved && fault.isReadable ? 1 + random.below(list.length - 1) : 0
  const served = { ...elements, [resource]: list.slice(0, list.length - hidden) }
  const isCut = type === 'a' && !fault.isProved && fault.isReadable
  const seen = isCut ? Math.min(list.length, wire.cap) : list.length - hidden
  const read = { ...elements, [resource]: list.slice(0, seen) }
  const proof = { isReadable: fault.isReadable, unproved: fault.isProved ? [] : [resource] }
  const play = fault.play(type, hidden)
  return reading(world, settings, read, served, wire, proof, (asked) =>
    asked.resource === resource ? play(asked) : asked.honest,
  )
}

function reading(
  { vocabulary: { type } }: World,
  { timeZone, content, removals, maxShare, maxStatedShare, minCount, blackout, massUpdate, onHold }: Settings,
  read: ReadSource['elements'],
  served: ReadSource['elements'],
  wire: Pick<WireB, 'cap' | 'ids'>,
  { isReadable, unproved }: { readonly isReadable: boolean; readonly unproved: readonly string[] },
  play: Play = ({ honest }) => honest,
): ServedReading {
  const common = { content, removals, maxShare, maxStatedShare, minCount, blackout, massUpdate, onHold }
  const source: ReadSource = { type, options: { timeZone }, elements: read, uncertified: unproved, ...common }
  const each = <Wire>(plain: Wire) =>
    Object.fromEntries(
      Object.entries(served).map(([name, elements]) => [name, { elements, wire: { ...plain, ...wire } }]),
    )
  return {
    reading: { source, isReadable },
    served: type === 'a' ? { type, resources: each(PLAIN_A) } : { type, resources: each(PLAIN_B) },
    play,
  }
}
