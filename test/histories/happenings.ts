import type { Random } from '../model/random.ts'
import { declare, type Tally } from '../model/tally.ts'
import {
  addPeople,
  addSessions,
  changed,
  idsOf,
  type Records,
  recordsOf,
  type Text,
  type World,
  withRecords,
} from './world.ts'

/** Something that happens at a source between two runs; null where it cannot happen in this world. */
interface Happening {
  readonly weight: number
  happen(world: World, random: Random): World | null
}

/** Shares that pass a guard by themselves, and not twice within a day. */
const FEW = [0.05, 0.12, 0.17]

const HAPPENINGS: Readonly<Record<string, Happening>> = {
  'people appear': { weight: 6, happen: (world, random) => addPeople(world, random, 1 + random.below(4)) },
  'sessions appear': {
    weight: 4,
    happen: (world, random) => addSessions(world, random, 1 + random.below(3)),
  },
  'records change': { weight: 8, happen: changeSome },
  'one field of all records changes': { weight: 2, happen: changeAll },
  'records lose what is required': { weight: 2, happen: loseRequired },
  'few people go': {
    weight: 7,
    happen: (world, random) => go(world, world.vocabulary.people, random, random.pick(FEW), 1),
  },
  'many people go': {
    weight: 3,
    happen: (world, random) => go(world, world.vocabulary.people, random, 0.4, 6),
  },
  'few sessions go': {
    weight: 4,
    happen: (world, random) => go(world, world.vocabulary.sessions, random, random.pick(FEW), 1),
  },
  'many sessions go': {
    weight: 2,
    happen: (world, random) => go(world, world.vocabulary.sessions, random, 0.5, 3),
  },
  'records of a lookup go': { weight: 1, happen: (world, random) => goFromLookup(world, random) },
  'records return as they were': { weight: 6, happen: returnSome },
  'records ask to be removed': { weight: 4, happen: (world, random) => ask(world, random, 'go') },
  'records ask to be there again': { weight: 3, happen: (world, random) => ask(world, random, 'stay') },
  'a slot moves': { weight: 3, happen: moveSlots },
  'links change, some to nothing': {
    weight: 4,
    happen: (world, random) => world.vocabulary.relink(world, random),
  },
  'a field vanishes from all records': { weight: 3, happen: hideField },
  'a field is seen again': { weight: 6, happen: showField },
  'a resource is empty': { weight: 2.5, happen: (world, random) => empty(world, random) },
  'a resource is there again': { weight: 8, happen: (world, random) => refill(world, random) },
  'a record comes without an id': {
    weight: 3,
    happen: (world, random) => toggle(world, random, 'idless', true),
  },
  'records without an id are gone': {
    weight: 5,
    happen: (world, random) => toggle(world, random, 'idless', false),
  },
  'an id comes twice': { weight: 1, happen: (world, random) => toggle(world, random, 'repeated', true) },
  'no id comes twice any more': {
    weight: 8,
    happen: (world, random) => toggle(world, random, 'repeated', false),
  },
  'a type is named anew': {
    weight: 2,
    happen: (world, random) => world.vocabulary.renameType(world, random.chance(0.4)),
  },
}

for (const name of Object.keys(HAPPENINGS)) declare(`source: ${name}`)
declare('source: nothing happens')

/** Lets something happen, or nothing. */
export function happenings(world: World, random: Random, tally: Tally): World {
  const count = random.pick([0, 1, 1, 1, 2, 2, 3])
  let after = world
  for (let left = count; left > 0; left -= 1) after = oneOf(after, random, tally)
  if (after === world) tally.count('source: nothing happens')
  return after
}

function oneOf(world: World, random: Random, tally: Tally): World {
  const all = Object.entries(HAPPENINGS)
  const total = all.reduce((sum, [, { weight }]) => sum + weight, 0)
  for (;;) {
    let rest = random.next() * total
    const [name, { happen }] = all.find(([, { weight }]) => {
      rest -= weight
      return rest < 0
    }) ?? ['', { happen: () => null }]
    const after = happen(world, random)
    if (after === null) continue
    tally.count(`source: ${name}`)
    return after
  }
}

/** Everything that was hidden or lost is there again: as a source is that somebody has mended. */
export function mended(world: World): World {
  return {
    ...world.vocabulary.renameType(world, true),
    hidden: new Set(),
    emptied: new Set(),
    idless: new Set(),
    repeated: new Set(),
  }
}

function textsOf(world: World, isRequired?: boolean): readonly Text[] {
  return world.vocabulary.texts.filter((text) => isRequired === undefined || text.isRequired === isRequired)
}

function changeSome(world: World, random: Random): World {
  const { resource, key } = random.pick(textsOf(world))
  const ids = random.some(idsOf(world, resource), random.pick([0.05, 0.2, 0.4]))
  return changed(world, resource, ids, (fields) => ({ ...fields, [key]: `changed ${random.below(1000)}` }))
}

function changeAll(world: World, random: Random): World {
  const { resource, key } = random.pick(textsOf(world, false))
  const value = `of all ${random.below(1000)}`
  return changed(world, resource, idsOf(world, resource), (fields) => ({ ...fields, [key]: value }))
}

function loseRequired(world: World, random: Random): World {
  const { resource, key } = random.pick(textsOf(world, true))
  const ids = random.some(idsOf(world, resource), random.pick([0.05, 0.3]))
  return changed(world, resource, ids, (fields) => ({ ...fields, [key]: null }))
}

function go(world: World, resource: string, random: Random, share: number, least: number): World | null {
  const ids = random.shuffled(idsOf(world, resource))
  // A source that has next to nothing left would make every later run alike.
  if (ids.length < 8) return null
  const going = new Set(ids.slice(0, Math.max(least, Math.floor(ids.length * share))))
  const [left, gone] = parted(recordsOf(world, resource), (id) => going.has(id))
  const before = world.gone[resource] ?? new Map()
  return {
    ...withRecords(world, resource, left),
    gone: { ...world.gone, [resource]: new Map([...before, ...gone]) },
  }
}

function goFromLookup(world: World, random: Random): World | null {
  const resource = random.pick(Object.keys(world.vocabulary.lookups))
  const [id] = random.shuffled(idsOf(world, resource))
  if (id === undefined) return null
  const [left, gone] = parted(recordsOf(world, resource), (each) => each === id)
  const before = world.gone[resource] ?? new Map()
  return {
    ...withRecords(world, resource, left),
    gone: { ...world.gone, [resource]: new Map([...before, ...gone]) },
  }
}

function parted(records: Records, isOther: (id: string) => boolean): readonly [Records, Records] {
  const entries = [...records]
  return [new Map(entries.filter(([id]) => !isOther(id))), new Map(entries.filter(([id]) => isOther(id)))]
}

function returnSome(world: World, random: Random): World | null {
  const resources = Object.keys(world.gone).filter((name) => (world.gone[name]?.size ?? 0) > 0)
  if (resources.length === 0) return null
  const resource = random.pick(resources)
  const all = random.chance(0.5)
  const [still, back] = parted(world.gone[resource] ?? new Map(), () => all || random.chance(0.5))
  return {
    ...withRecords(world, resource, new Map([...recordsOf(world, resource), ...back])),
    gone: { ...world.gone, [resource]: still },
  }
}

function ask(world: World, random: Random, what: 'go' | 'stay'): World {
  const { resource, ...asked } = random.pick(world.vocabulary.leaving)
  const ids = random.some(idsOf(world, resource), what === 'go' ? 0.1 : 0.5)
  return changed(world, resource, ids, (fields) => ({ ...fields, ...asked[what] }))
}

function moveSlots(world: World, random: Random): World {
  const { clock, moved } = world.vocabulary
  const ids = random.some(idsOf(world, clock), 0.3)
  return changed(world, clock, ids, (fields) => moved(fields, random))
}

function hideField(world: World, random: Random): World {
  const { resource, key } = random.pick(textsOf(world))
  return { ...world, hidden: new Set([...world.hidden, `${resource} ${key}`]) }
}

function showField(world: World, random: Random): World | null {
  if (world.hidden.size === 0) return null
  const shown = random.pick([...world.hidden])
  return { ...world, hidden: new Set([...world.hidden].filter((name) => name !== shown)) }
}

function empty(world: World, random: Random): World {
  return { ...world, emptied: new Set([...world.emptied, random.pick(Object.keys(world.records))]) }
}

function refill(world: World, random: Random): World | null {
  if (world.emptied.size === 0) return null
  const back = random.pick([...world.emptied])
  return { ...world, emptied: new Set([...world.emptied].filter((name) => name !== back)) }
}

/** Not where times stand: a record that is not seen keeps what was read of it under the time zone of then. */
function toggle(world: World, random: Random, what: 'idless' | 'repeated', isOn: boolean): World | null {
  if (!isOn) return world[what].size === 0 ? null : { ...world, [what]: new Set() }
  const { people, sessions, clock } = world.vocabulary
  const resource = random.pick([people, people, sessions].filter((name) => name !== clock))
  return { ...world, [what]: new Set([...world[what], resource]) }
}
