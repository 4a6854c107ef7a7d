import { type Json, obj } from '../../harness/json.ts'
import type { Random } from '../../harness/random.ts'

/** A record but for its id. */
export type Fields = Readonly<Record<string, Json>>
export type Records = ReadonlyMap<string, Fields>

/** Describes what a source holds, and what it would hold if nobody had hidden or lost anything. */
export interface World {
  readonly vocabulary: Vocabulary
  readonly records: Readonly<Record<string, Records>>
  /** Records that went and may return as they were. */
  readonly gone: Readonly<Record<string, Records>>
  /** Fields that nobody may see, as `Users Company`. */
  readonly hidden: ReadonlySet<string>
  /** Resources that look empty. */
  readonly emptied: ReadonlySet<string>
  /** Resources with a record that has no id. */
  readonly idless: ReadonlySet<string>
  /** Resources whose first record is given twice. */
  readonly repeated: ReadonlySet<string>
  /** Number of the next record. */
  readonly next: number
}

/** How a source calls things. */
export interface Vocabulary {
  readonly type: 'a' | 'b'
  readonly idKey: string
  readonly people: string
  /** Keys of a person's first and last name. */
  readonly names: readonly [string, string]
  /** Key of a person's e-mail address. */
  readonly address: string
  readonly sessions: string
  /** Resource whose records hold the times of sessions, without an offset. */
  readonly clock: string
  /** Fields that may change by themselves: resource and key, and whether an item needs them. */
  readonly texts: readonly Text[]
  /** Fields that decide which records are synced: resource and key. */
  readonly deciding: readonly (readonly [resource: string, key: string])[]
  /** How a record says itself that its item is to go, and how it takes that back. */
  readonly leaving: readonly { readonly resource: string; readonly go: Fields; readonly stay: Fields }[]
  makePerson(world: World, random: Random, number: number): Fields
  makeSession(world: World, random: Random, number: number): Fields
  /** The other records, by resource and id. */
  readonly lookups: Readonly<Record<string, Records>>
  /** A time of the clock resource, moved. */
  moved(fields: Fields, random: Random): Fields
  /** Other links between records than before, some of them to nothing. */
  relink(world: World, random: Random): World
  /** A type of records by which some are synced and others not, named otherwise or as at first. */
  renameType(world: World, isAsAtFirst: boolean): World
}

export interface Text {
  readonly resource: string
  readonly key: string
  readonly isRequired: boolean
}

export function makeWorld(vocabulary: Vocabulary, random: Random, people: number, sessions: number): World {
  const empty: World = {
    vocabulary,
    records: { ...vocabulary.lookups, [vocabulary.people]: new Map(), [vocabulary.sessions]: new Map() },
    gone: {},
    hidden: new Set(),
    emptied: new Set(),
    idless: new Set(),
    repeated: new Set(),
    next: 1,
  }
  const peopled = addPeople(empty, random, people)
  return vocabulary.relink(addSessions(peopled, random, sessions), random)
}

export function addPeople(world: World, random: Random, count: number): World {
  const { people, makePerson } = world.vocabulary
  return add(world, people, 'p', count, (number) => makePerson(world, random, number))
}

export function addSessions(world: World, random: Random, count: number): World {
  const { sessions, makeSession } = world.vocabulary
  return add(world, sessions, 's', count, (number) => makeSession(world, random, number))
}

function add(
  world: World,
  resource: string,
  prefix: string,
  count: number,
  make: (number: number) => Fields,
): World {
  const numbers = Array.from({ length: count }, (_, index) => world.next + index)
  const added = numbers.map((number) => [`${prefix}${number}`, make(number)] as const)
  const held = new Map([...recordsOf(world, resource), ...added])
  return { ...withRecords(world, resource, held), next: world.next + count }
}

export function recordsOf(world: World, resource: string): Records {
  return world.records[resource] ?? new Map()
}

export function withRecords(world: World, resource: string, records: Records): World {
  return { ...world, records: { ...world.records, [resource]: records } }
}

/** The records of a resource with some of them changed; the keys of the changes are ids. */
export function changed(
  world: World,
  resource: string,
  ids: readonly string[],
  change: (fields: Fields) => Fields,
): World {
  const records = new Map(recordsOf(world, resource))
  for (const id of ids) {
    const fields = records.get(id)
    if (fields !== undefined) records.set(id, change(fields))
  }
  return withRecords(world, resource, records)
}

export function idsOf(world: World, resource: string): readonly string[] {
  return [...recordsOf(world, resource).keys()]
}

export function elementsOf(world: World): Readonly<Record<string, readonly Json[]>> {
  return Object.fromEntries(
    Object.keys(world.records).map((resource) => [resource, elementsOfResource(world, resource)]),
  )
}

function elementsOfResource(world: World, resource: string): readonly Json[] {
  if (world.emptied.has(resource)) return []
  const { idKey } = world.vocabulary
  const shown = [...recordsOf(world, resource)].map(([id, fields]) =>
    obj({ [idKey]: id, ...visible(world, resource, fields) }),
  )
  const twice = world.repeated.has(resource) ? shown.slice(0, 1) : []
  const idless = world.idless.has(resource) ? [obj({ [idKey]: null, Note: 'of no id' })] : []
  return [...twice, ...shown, ...idless]
}

function visible(world: World, resource: string, fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      world.hidden.has(`${resource} ${key}`) ? null : value,
    ]),
  )
}
