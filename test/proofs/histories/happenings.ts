import type { Random } from '../../harness/random.ts'
import { declare, type Tally } from '../../harness/tally.ts'
import {
  addPeople,
  addSessions,
  changed,
  type Fields,
  idsOf,
  type Records,
  recordsOf,
  type Text,
  type World,
  withRecords,
} from './world.ts'

/**
 * A function that changes the records of a source between two runs. Returns null if the change is impossible
 * with these records.
 */
type Happen = (world: World, random: Random) => World | null

/** Fractions of records to remove. A guard accepts one such removal, but not two within a day. */
const FEW = [0.05, 0.12, 0.17]

const HAPPENINGS: Readonly<Record<string, readonly [weight: number, happen: Happen]>> = {
  'people appear': [6, (world, random) => addPeople(world, random, 1 + random.below(4))],
  'sessions appear': [4, (world, random) => addSessions(world, random, 1 + random.below(3))],
  'records change': [8, changeSome],
  'one field of all records changes': [2, changeAll],
  'records lose what is required': [2, loseRequired],
  'few people go': [7, (world, random) => go(world, world.vocabulary.people, random, random.pick(FEW), 1)],
  'many people go': [3, (world, random) => go(world, world.vocabulary.people, random, 0.4, 6)],
  'few sessions go': [
    4,
    (world, random) => go(world, world.vocabulary.sessions, random, random.pick(FEW), 1),
  ],
  'many sessions go': [2, (world, random) => go(world, world.vocabulary.sessions, random, 0.5, 3)],
  'records of a lookup go': [1, goFromLookup],
  'records return as they were': [6, returnSome],
  'records ask to be removed': [4, (world, random) => ask(world, random, 'go')],
  'records ask to be there again': [3, (world, random) => ask(world, random, 'stay')],
  'people exchange addresses': [4, exchangeAddresses],
  'a person is booked again': [4, bookAgain],
  'registrations change hands': [4, handOver],
  'a slot moves': [3, moveSlots],
  'links change, some to nothing': [4, (world, random) => world.vocabulary.relink(world, random)],
  'a field vanishes from all records': [3, hideField],
  'a field that decides vanishes from all records': [5, hideDeciding],
  'all records ask to be removed': [3, askAll],
  'a field is seen again': [6, showField],
  'a resource is empty': [2.5, empty],
  'a resource is there again': [8, refill],
  'a record comes without an id': [3, (world, random) => begin(world, random, 'idless')],
  'records without an id are gone': [5, (world) => end(world, 'idless')],
  'an id comes twice': [1, (world, random) => begin(world, random, 'repeated')],
  'no id comes twice any more': [8, (world) => end(world, 'repeated')],
  'a type is named again': [2, (world, random) => world.vocabulary.renameType(world, random.chance(0.4))],
}

const ALL = Object.entries(HAPPENINGS).map(([name, [weight, happen]]) => ({ name, weight, happen }))
for (const { name } of ALL) declare(`source: ${name}`)
declare('source: nothing happens')

export function happenings(world: World, random: Random, tally: Tally): World {
  const count = random.pick([0, 1, 1, 1, 2, 2, 3])
  let after = world
  for (let left = count; left > 0; left -= 1) after = oneOf(after, random, tally)
  if (after === world) tally.count('source: nothing happens')
  return after
}

function oneOf(world: World, random: Random, tally: Tally): World {
  for (;;) {
    const { name, happen } = random.weighted(ALL)
    const after = happen(world, random)
    if (after === null) continue
    tally.count(`source: ${name}`)
    return after
  }
}

/** Returns the source with all hidden fields and all lost records restored. */
export function recovered(world: World): World {
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
  // Each e-mail address must belong to one person only, so the new address contains the old address.
  const isOfPerson = [...world.vocabulary.names, world.vocabulary.address].includes(key)
  const end = (fields: Fields) => (key === world.vocabulary.address ? ` ${fields[key]}` : '')
  return changed(world, resource, ids, (fields) => ({
    ...fields,
    [key]: `${isOfPerson ? unlike(random) : `changed ${random.below(1000)}`}${end(fields)}`.slice(-60),
  }))
}

/** Makes a word that nobody could take for a typo of another word: transforms/RULES.md#r76. */
function unlike(random: Random): string {
  return Array.from({ length: 10 }, () => random.pick([...'bcdfghjklmnpqrstvwxz'])).join('')
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
  // If few records are left, none is removed: with a nearly empty source all later runs would be alike.
  if (ids.length < 8) return null
  return gone(world, resource, ids.slice(0, Math.max(least, Math.floor(ids.length * share))))
}

function goFromLookup(world: World, random: Random): World | null {
  const resource = random.pick(Object.keys(world.vocabulary.lookups))
  const [id] = random.shuffled(idsOf(world, resource))
  return id === undefined ? null : gone(world, resource, [id])
}

function gone(world: World, resource: string, ids: readonly string[]): World {
  const [left, going] = parted(recordsOf(world, resource), (id) => ids.includes(id))
  const before = world.gone[resource] ?? new Map()
  return {
    ...withRecords(world, resource, left),
    gone: { ...world.gone, [resource]: new Map([...before, ...going]) },
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

/** Exchanges e-mail addresses in a circle of two or three people. */
function exchangeAddresses(world: World, random: Random): World | null {
  const { people, address } = world.vocabulary
  const ids = random.shuffled(idsOf(world, people)).slice(0, 2 + random.below(2))
  const of = ids.map((id) => recordsOf(world, people).get(id)?.[address] ?? null)
  if (ids.length < 2) return null
  const rotated = new Map(ids.map((id, place) => [id, of[(place + 1) % ids.length] ?? null]))
  return [...rotated].reduce(
    (after, [id, value]) => changed(after, people, [id], (fields) => ({ ...fields, [address]: value })),
    world,
  )
}

/**
 * Gives some records another name and address, as if the ids now belonged to other people. If many records
 * change, it looks as if the source had reassigned its ids.
 */
function handOver(world: World, random: Random): World {
  const { people, names, address } = world.vocabulary
  const [firstName, lastName] = names
  const ids = random.shuffled(idsOf(world, people)).slice(0, random.pick([1, 1, 2, 6]))
  return changed(world, people, ids, (fields) => {
    const others = NEW_PEOPLE.filter(([, last]) => last !== fields[lastName])
    const [first, last] = random.pick(others)
    return {
      ...fields,
      [firstName]: first,
      [lastName]: last,
      [address]: `h${100 + random.below(900)}@people.example`,
    }
  })
}

/** Names for new people. The names occur neither twice nor among the existing people. */
const NEW_PEOPLE = [
  ['Hiroshi', 'Tanaka'],
  ['Olga', 'Smirnova'],
  ['Kofi', 'Mensah'],
  ['Beatriz', 'Quintero'],
] as const

/**
 * Removes a person's record, or changes it so that it asks for its removal. Adds another record with the
 * e-mail address of that person.
 */
function bookAgain(world: World, random: Random): World | null {
  const { people, address, leaving } = world.vocabulary
  const [id] = random.shuffled(idsOf(world, people))
  if (id === undefined) return null
  const value = recordsOf(world, people).get(id)?.[address] ?? null
  const asked = leaving.find(({ resource }) => resource === people)
  const without =
    asked !== undefined && random.chance(0.5)
      ? changed(world, people, [id], (fields) => ({ ...fields, ...asked.go }))
      : gone(world, people, [id])
  const more = addPeople(without, random, 1)
  const added = idsOf(more, people).at(-1)
  return added === undefined
    ? null
    : changed(more, people, [added], (fields) => ({ ...fields, [address]: value }))
}

/** Returns the records with a different e-mail address for each person. */
export function withOwnAddresses(world: World): World {
  const { people, address } = world.vocabulary
  const seen = new Set<string>()
  const shared = [...recordsOf(world, people)].flatMap(([id, fields]) => {
    const value = String(fields[address]).toLowerCase()
    if (!seen.has(value)) {
      seen.add(value)
      return []
    }
    return [id]
  })
  return shared.reduce(
    (after, id) =>
      changed(after, people, [id], (fields) => ({ ...fields, [address]: `own-${id}@own.example` })),
    world,
  )
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

function hideDeciding(world: World, random: Random): World {
  const [resource, key] = random.pick(world.vocabulary.deciding)
  return { ...world, hidden: new Set([...world.hidden, `${resource} ${key}`]) }
}

/**
 * Changes all records of a resource so that they ask for their removal. Real sources do so if a zero date
 * gets a new form, or if a type is renamed.
 */
function askAll(world: World, random: Random): World {
  const { resource, go } = random.pick(world.vocabulary.leaving)
  return changed(world, resource, idsOf(world, resource), (fields) => ({ ...fields, ...go }))
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

/**
 * Makes a record without an id, or a repeated id. The resource with the times is left out: its unseen records
 * keep the times of an earlier time zone, which the model does not cover.
 */
function begin(world: World, random: Random, what: 'idless' | 'repeated'): World {
  const { people, sessions, clock } = world.vocabulary
  const resource = random.pick([people, people, sessions].filter((name) => name !== clock))
  return { ...world, [what]: new Set([...world[what], resource]) }
}

function end(world: World, what: 'idless' | 'repeated'): World | null {
  return world[what].size === 0 ? null : { ...world, [what]: new Set() }
}
