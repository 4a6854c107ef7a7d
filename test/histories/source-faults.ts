import { NEEDED, type ReadSource } from '../model/model-run.ts'
import type { Random } from '../model/random.ts'
import type { Served, Spoil, SpoiltAnswer } from '../model/serve.ts'
import { declare, type Tally } from '../model/tally.ts'
import type { WireA, WireB } from '../model/wire-shapes.ts'
import type { Reading } from './model-history.ts'
import type { Settings } from './settings.ts'
import { elementsOf, type World } from './world.ts'

/** The source of one run: what is read of it, and what it serves. */
export interface ServedReading {
  readonly reading: Reading
  readonly served: Served
  readonly spoil: Spoil
}

/** A way to misbehave: what of a resource is still read, and what is answered instead. */
interface Fault {
  readonly weight: number
  readonly isReadable: boolean
  readonly isProved: boolean
  /** Elements that are seen of so many, on pages of that length. */
  seen(count: number, cap: number): number
  spoil(type: 'a' | 'b', hidden: number): (url: URL, body: string) => SpoiltAnswer | null
}

const all = (count: number) => count
const passing = { weight: 2, isReadable: true, isProved: true, seen: all }
const failing = { weight: 1, isReadable: false, isProved: false, seen: all }

const FAULTS: Readonly<Record<string, Fault>> = {
  'a 500 that passes': { ...passing, spoil: () => times(2, { status: 500, body: '' }) },
  'a 429 that passes': {
    ...passing,
    spoil: () => times(1, { status: 429, body: '', headers: { 'Retry-After': '2' } }),
  },
  'a resource that is refused': { ...failing, spoil: () => () => ({ status: 403, body: '' }) },
  'a 500 that stays': { ...failing, spoil: () => () => ({ status: 500, body: '' }) },
  'an object where a list is due': {
    ...failing,
    spoil: (type) => () => ({ status: 200, body: type === 'a' ? '{"Message":"no"}' : '{"message":"no"}' }),
  },
  'an answer that is cut short': {
    ...failing,
    spoil: () => (_, body) => ({ status: 200, body: body.slice(0, -2) }),
  },
  'a read that is not proved': {
    weight: 7,
    isReadable: true,
    isProved: false,
    seen: (count, cap) => Math.min(count, cap),
    spoil: (type, hidden) => (type === 'a' ? movesOn : declaresMore(hidden)),
  },
}

for (const name of Object.keys(FAULTS)) declare(`source fault: ${name}`)

/** Each page but the first begins with another record than the page before ended with. */
function movesOn(url: URL): SpoiltAnswer | null {
  return Number(url.searchParams.get('$skip') ?? 0) === 0
    ? null
    : { status: 200, body: '[{"Id":"moved on"}]' }
}

/** The total counts records that never come. */
function declaresMore(hidden: number): (url: URL, body: string) => SpoiltAnswer {
  return (_, body) => {
    const page = JSON.parse(body)
    page._meta.totalCount += hidden
    return { status: 200, body: JSON.stringify(page) }
  }
}

function times(count: number, answer: SpoiltAnswer): () => SpoiltAnswer | null {
  let left = count
  return () => {
    left -= 1
    return left < 0 ? null : answer
  }
}

const WIRE_A: Omit<WireA, 'cap'> = {
  paging: 'skip',
  wrapped: false,
  nextKey: '@odata.nextLink',
  nextIs: 'absolute',
  style: 'plain',
}
const WIRE_B: Omit<WireB, 'cap'> = { itemsAs: 'list', style: 'plain' }

/**
 * Serves a world as it is, or at times with a fault.
 *
 * @param zoneOf time zone under which a resource was read last: a record that is not seen keeps what was read of it
 * then, which the model does not follow
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
  const cap = random.pick([5, 9, 1000])
  const needed = [...new Set(settings.content.flatMap((content) => NEEDED[type][content]))]
  // Of fewer than two records nothing is ever missed.
  const spoilable = needed.filter((name) => (elements[name]?.length ?? 0) > 2)
  const fault = random.chance(share) && spoilable.length > 0 ? drawFault(random) : null
  const resource = fault === null ? '' : random.pick(spoilable)
  const isOfAnotherZone = resource === clock && zoneOf(resource) !== settings.timeZone
  if (fault === null || (isOfAnotherZone && !fault.isProved && fault.isReadable)) {
    return reading(world, settings, elements, elements, cap, { isReadable: true, unproved: [] }, () => null)
  }
  tally.count(`source fault: ${fault.name}`)
  const list = elements[resource] ?? []
  const hidden = type === 'b' && !fault.isProved && fault.isReadable ? 1 + random.below(list.length - 1) : 0
  const served = { ...elements, [resource]: list.slice(0, list.length - hidden) }
  const seen = type === 'a' ? fault.seen(list.length, cap) : list.length - hidden
  const spoil = fault.spoil(type, hidden)
  const read = { ...elements, [resource]: list.slice(0, seen) }
  const proof = { isReadable: fault.isReadable, unproved: fault.isProved ? [] : [resource] }
  return reading(world, settings, read, served, cap, proof, (name, url, body) =>
    name === resource ? spoil(url, body) : null,
  )
}

function drawFault(random: Random): (Fault & { readonly name: string }) | null {
  const list = Object.entries(FAULTS)
  let rest = random.next() * list.reduce((sum, [, { weight }]) => sum + weight, 0)
  for (const [name, fault] of list) {
    rest -= fault.weight
    if (rest < 0) return { name, ...fault }
  }
  return null
}

function reading(
  { vocabulary: { type } }: World,
  { timeZone, content, removals, maxShare, minCount, blackout, massUpdate, onHold }: Settings,
  read: ReadSource['elements'],
  served: ReadSource['elements'],
  cap: number,
  { isReadable, unproved }: { readonly isReadable: boolean; readonly unproved: readonly string[] },
  spoil: Spoil,
): ServedReading {
  const common = { content, removals, maxShare, minCount, blackout, massUpdate, onHold }
  const source: ReadSource = { type, options: { timeZone }, elements: read, uncertified: unproved, ...common }
  const each = <Wire>(wire: Wire) =>
    Object.fromEntries(
      Object.entries(served).map(([name, elements]) => [name, { elements, wire: { ...wire, cap } }]),
    )
  return {
    reading: { source, isReadable },
    served: type === 'a' ? { type, resources: each(WIRE_A) } : { type, resources: each(WIRE_B) },
    spoil,
  }
}
