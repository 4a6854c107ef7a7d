import { type Json, obj } from '../../harness/json.ts'
import type { Random } from '../../harness/random.ts'

/** A record without its id. */
export type Fields = Readonly<Record<string, Json>>
export type Records = ReadonlyMap<string, Fields>

/** A world: the records of a source, and which fields or records the source currently hides or has lost. */
export interface World {
  readonly vocabulary: Vocabulary
  readonly records: Readonly<Record<string, Records>>
  /** Removed records, which may return unchanged later. */
  readonly gone: Readonly<Record<string, Records>>
  /** Fields that the source hides, each as resource and key, for example `Users Company`. */
  readonly hidden: ReadonlySet<string>
  /** Resources that the source serves as empty lists. */
  readonly emptied: ReadonlySet<string>
  /** Resources that contain a record without an id. */
  readonly idless: ReadonlySet<string>
  /** Resources whose first record is served twice. */
  readonly repeated: ReadonlySet<string>
  /** Number in the id of the next new record. */
  readonly next: number
}

/** The resources and keys of a source. */
export interface Vocabulary {
  readonly type: 'a' | 'b'
  readonly idKey: string
  readonly people: string
  /** Keys of a person's first and last name. */
  readonly names: readonly [string, string]
  /** Key of a person's e-mail address. */
  readonly address: string
  readonly sessions: string
  /** Resource whose records contain the times of sessions, without a UTC offset. */
  readonly clock: string
  /** Fields that may change independently: resource, key, and if an item requires the field. */
  readonly texts: readonly Text[]
  /** Fields that decide which records are synced, each with resource and key. */
  readonly deciding: readonly (readonly [resource: string, key: string])[]
  /**
   * Field values by which a record asks for the removal of its item (`go`), and values that end this request
   * (`stay`).
   */
  readonly leaving: readonly { readonly resource: string; readonly go: Fields; readonly stay: Fields }[]
  makePerson(world: World, random: Random, number: number): Fields
  makeSession(world: World, random: Random, number: number): Fields
  /** The records of the lookup resources, by resource and id. */
  readonly lookups: Readonly<Record<string, Records>>
  /** Changes the time in a record of the resource `clock`. */
  moved(fields: Fields, random: Random): Fields
  /** Changes references between records; some references lead to missing records. */
  relink(world: World, random: Random): World
  /** Renames a type that decides which records are synced, or restores the type's first name. */
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

/** Returns the world with some records of a resource changed. */
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
