import type { Draw } from '../../harness/draw.ts'
import type { Json, JsonObject } from '../../harness/json.ts'
import { declare } from '../../harness/tally.ts'
import { MAX_ID_BYTES, makeIds, noId, noObject, spellId } from './id-traps.ts'

export type Fields = Readonly<Record<string, Json | undefined>>

/** One element of a resource: its fields under their usual names, and the JSON that the source sends. */
export interface Element {
  /** The fields of the element; null if the element is not an object. */
  readonly fields: Fields | null
  readonly json: Json
}

export type Resources = Readonly<Record<string, readonly Element[]>>

export interface Maker {
  readonly resource: string
  readonly prefix: string
  readonly idKey: string
  make(draw: Draw): Fields
  /** Returns field values by which a record asks for the removal of its item. */
  leave?(draw: Draw): Fields
  /** Returns the object that the source sends, with a random spelling of its keys. */
  spell(draw: Draw, fields: Fields): JsonObject
}

function toElement(draw: Draw, maker: Maker, fields: Fields): Element {
  return { fields, json: maker.spell(draw, fields) }
}

function ofId(draw: Draw, maker: Maker, id: string): Element {
  return toElement(draw, maker, { [maker.idKey]: spellId(draw, id), ...maker.make(draw) })
}

declare('records: an id stands twice')
declare('records: shuffled in a later version')
declare('records: gone in a later version')
declare('records: added in a later version')
declare('records: changed in a later version')
declare('records: a resource is emptied in a later version')
declare('records: a field is hidden in a later version')
declare('records: a field has one new value in a later version')
declare('records: a resource is empty')

/**
 * Sometimes removes the e-mail address of a user without an id. Without the address, nothing identifies the
 * user.
 */
function withoutEmail({ random }: Draw, fields: Fields): Fields {
  return 'EmailAddress' in fields && random.chance(0.4) ? { ...fields, EmailAddress: null } : fields
}

/** Makes elements that repeat ids, have no id or are not objects. */
function oddElements(draw: Draw, maker: Maker, ids: readonly string[]): readonly Element[] {
  const { random, tally } = draw
  const repeated = random.some(ids, 0.06).map((id) => ofId(draw, maker, id))
  tally.count('records: an id stands twice', repeated.length)
  // Only some resources get records without an id: if a resource has such a record, none of its missing
  // records is considered as removed.
  const idless = random.chance(0.4)
    ? Array.from({ length: 1 + random.below(5) }, () =>
        toElement(draw, maker, { [maker.idKey]: noId(draw), ...withoutEmail(draw, maker.make(draw)) }),
      )
    : []
  const odd = random.chance(0.4) ? [{ fields: null, json: noObject(draw) }] : []
  return [...repeated, ...idless, ...odd]
}

declare('records: an id stands twice, with the same values')

/** Repeats some elements with the same values, as a list does that moves between two pages. */
function equalElements({ random, tally }: Draw, elements: readonly Element[]): readonly Element[] {
  const repeated = random.some(elements, 0.003)
  tally.count('records: an id stands twice, with the same values', repeated.length)
  return repeated
}

function makeElements(draw: Draw, maker: Maker, ids: readonly string[]): readonly Element[] {
  if (draw.random.chance(0.06)) {
    draw.tally.count('records: a resource is empty')
    return []
  }
  const elements = ids.map((id) => ofId(draw, maker, id))
  return draw.random.shuffled([
    ...elements,
    ...equalElements(draw, elements),
    ...oddElements(draw, maker, ids),
  ])
}

/**
 * Makes the first version of each resource: elements with these ids, and unusual elements (repeated, without
 * an id, not an object).
 */
export function makeResources(
  draw: Draw,
  makers: readonly Maker[],
  ids: Readonly<Record<string, readonly string[]>>,
): Resources {
  return Object.fromEntries(
    makers.map((maker) => [maker.resource, makeElements(draw, maker, ids[maker.resource] ?? [])]),
  )
}

/** Makes a later version of each resource, as `changeElements` describes. */
export function changeResources(
  draw: Draw,
  makers: readonly Maker[],
  before: Resources,
  dropsAllOdd: boolean,
): Resources {
  return Object.fromEntries(
    makers.map((maker) => [
      maker.resource,
      changeElements(draw, maker, before[maker.resource] ?? [], dropsAllOdd),
    ]),
  )
}

declare('records: addresses are signed again in a later version')

/** Returns the same records with a new signature in each signed URL. */
export function signedAgain({ tally }: Draw, resources: Resources): Resources {
  tally.count('records: addresses are signed again in a later version')
  const text = JSON.stringify(resources).replaceAll(/\b(sig)=0/gi, '$1=1')
  return JSON.parse(text)
}

/**
 * Makes a later version of a resource. Most elements are unchanged; some are changed, removed or new.
 * Sometimes the order differs.
 *
 * @param dropsAllOdd true if all records without an id must be removed. With such records, records that a
 * later run does not see could still count as present. Records that are not seen keep the fields that were
 * read with earlier options, which the model does not cover.
 */
function changeElements(
  draw: Draw,
  maker: Maker,
  before: readonly Element[],
  dropsAllOdd: boolean,
): readonly Element[] {
  const { random, tally } = draw
  if (before.length > 0 && random.chance(0.04)) {
    tally.count('records: a resource is emptied in a later version')
    return []
  }
  // Records without an id are sometimes removed. While a resource has a record without an id, none of its
  // missing records is considered as removed.
  const dropsOdd = random.chance(0.6) || dropsAllOdd
  const kept = before.filter(({ fields, json }) => {
    if (dropsOdd && (fields === null || !hasId(fields[maker.idKey]))) return false
    const goes = random.chance(0.1)
    if (goes && json !== null) tally.count('records: gone in a later version')
    return !goes
  })
  const changed = kept.map((element) => {
    if (element.fields === null) return element
    if (maker.leave !== undefined && random.chance(0.08))
      return toElement(draw, maker, { ...element.fields, ...maker.leave(draw) })
    if (!random.chance(0.35)) return element
    tally.count('records: changed in a later version')
    const fresh: Fields = { ...element.fields, ...maker.make(draw) }
    const share = random.pick([0.1, 0.3, 1])
    const fields = Object.fromEntries(
      Object.keys(fresh).map((key) => [key, random.chance(share) ? fresh[key] : element.fields?.[key]]),
    )
    return toElement(draw, maker, fields)
  })
  const added = makeIds(draw, 1 + random.below(3), `${maker.prefix}n`, 700 + random.below(90)).map((id) =>
    ofId(draw, maker, id),
  )
  tally.count('records: added in a later version', added.length)
  const all = setField(draw, maker, [...changed, ...added])
  if (!random.chance(0.3)) return all
  tally.count('records: shuffled in a later version')
  return random.shuffled(all)
}

/** Sometimes empties a field in all records, or sets the field to a new value in all records. */
function setField(draw: Draw, maker: Maker, elements: readonly Element[]): readonly Element[] {
  const { random, tally } = draw
  const keys = Object.keys(elements.at(-1)?.fields ?? {}).filter((key) => key !== maker.idKey)
  const texts = keys.filter((key) => ['company', 'description'].includes(key.toLowerCase()))
  const set = (key: string, value: Json) =>
    elements.map((element) =>
      element.fields === null ? element : toElement(draw, maker, { ...element.fields, [key]: value }),
    )
  if (keys.length > 0 && random.chance(0.08)) {
    tally.count('records: a field is hidden in a later version')
    return set(random.pick(keys), null)
  }
  if (texts.length > 0 && random.chance(0.3)) {
    tally.count('records: a field has one new value in a later version')
    return set(random.pick(texts), 'written anew')
  }
  return elements
}

function hasId(value: Json | undefined): boolean {
  if (typeof value === 'string') return value.trim() !== '' && Buffer.byteLength(value) <= MAX_ID_BYTES
  return typeof value === 'object' && value !== null && 'digits' in value
}
