import { isObject, type Json, type JsonObject, render } from '../../harness/json.ts'

/** One element of a resource, in source order. */
export interface Row {
  readonly id: string | null
  /** True if the record has an id field; false if a user is identified by its e-mail address. */
  readonly isOwnId: boolean
  /**
   * `counts`: the last record with its id. `unseen`: a record of an earlier run that still counts as present.
   */
  readonly status: 'counts' | 'repeated' | 'invalid' | 'unseen'
}

export type Current = ReadonlyMap<string, JsonObject>

/** Number of unreadable records, by their content. */
export type Unreadable = ReadonlyMap<string, number>

/** Results of earlier proved readings of a resource. */
export interface Memory {
  /** The unreadable records of the last proved reading; null before the first. */
  readonly last: Unreadable | null
  /** By record id: the unreadable records of the proved reading that saw the record last. */
  readonly beside: ReadonlyMap<string, Unreadable>
  readonly ever: ReadonlySet<string>
}

export const NO_MEMORY: Memory = { last: null, beside: new Map(), ever: new Set() }

interface Manner {
  readonly idOf: (record: JsonObject) => string | null
  /** True if the id is a field of the record. */
  readonly hasOwnId?: (record: JsonObject) => boolean
  /** Options that change how a record is read. */
  readonly shape: string
  /** True if the resource was read to its proved end. */
  readonly isProved: boolean
}

export interface Reading {
  readonly rows: readonly Row[]
  /** The records that count as present, including those that were not seen. */
  readonly current: Current
  readonly memory: Memory
  /** True if an unreadable record is new, or there are more of it than in the last proved reading. */
  readonly hasNewUnreadable: boolean
}

/**
 * Reads one resource.
 *
 * A record that was not seen is gone only if the end of the reading was proved and each unreadable record was
 * already there when the record was last seen. Otherwise an unreadable record may be the one that was not
 * seen.
 *
 * @param before records of the resource after the run before
 */
export function readResource(
  elements: readonly Json[],
  { idOf, hasOwnId = () => true, shape, isProved }: Manner,
  before: Current,
  memory: Memory,
): Reading {
  const ids = elements.map((element) => (isObject(element) ? idOf(element) : null))
  const rows = ids.map((id, index): Row => {
    const element = elements[index]
    const isOwnId = isObject(element) && hasOwnId(element)
    if (id === null) return { id, isOwnId, status: 'invalid' }
    return { id, isOwnId, status: ids.lastIndexOf(id) === index ? 'counts' : 'repeated' }
  })
  const unreadable = new Map<string, number>()
  for (const [index, element] of elements.entries()) {
    if (ids[index] !== null) continue
    const key = `${shape} ${render(element)}`
    unreadable.set(key, (unreadable.get(key) ?? 0) + 1)
  }
  const current = new Map(
    [...before].filter(([id]) => !isProved || isMore(unreadable, memory.beside.get(id) ?? null)),
  )
  for (const [index, element] of elements.entries()) {
    const id = ids[index]
    if (isObject(element) && id !== null && id !== undefined) current.set(id, element)
  }
  // Reading: a record that still counts as present has a decision too. Otherwise its item would have none.
  const unseen = [...current.keys()]
    .filter((id) => !ids.includes(id))
    .map((id): Row => ({ id, isOwnId: true, status: 'unseen' }))
  const read = ids.flatMap((id) => id ?? [])
  const proved = isProved ? read.map((id) => [id, unreadable] as const) : []
  return {
    rows: [...rows, ...unseen],
    current,
    memory: {
      last: isProved ? unreadable : memory.last,
      beside: new Map([...memory.beside, ...proved]),
      ever: new Set([...memory.ever, ...read]),
    },
    hasNewUnreadable: isMore(unreadable, memory.last),
  }
}

/** Returns true if one of these records was not there before, or fewer times. */
function isMore(unreadable: Unreadable, before: Unreadable | null): boolean {
  return [...unreadable].some(([key, count]) => count > (before?.get(key) ?? 0))
}
