import { isObject, type Json, type JsonObject, render } from '../../harness/json.ts'

/** One element of a resource; rows have the order of the source. */
export interface Row {
  readonly id: string | null
  /**
   * True if the id is from the record's id field; false if it is the e-mail address of a user without an id.
   */
  readonly isOwnId: boolean
  /**
   * `counts`: the record is the last record with its id. `unseen`: the record is from an earlier run and is
   * still considered as present.
   */
  readonly status: 'counts' | 'repeated' | 'invalid' | 'unseen'
}

export type Current = ReadonlyMap<string, JsonObject>

/** How often each unreadable record occurs, by the record's JSON text. */
export type Unreadable = ReadonlyMap<string, number>

/** Facts that the model remembers from earlier readings of a resource that were proved complete. */
export interface Memory {
  /** The unreadable records of the last reading that was proved complete; null if there was none. */
  readonly last: Unreadable | null
  /** For each record id: the unreadable records of the last proved reading in which the record was seen. */
  readonly beside: ReadonlyMap<string, Unreadable>
  readonly ever: ReadonlySet<string>
}

export const NO_MEMORY: Memory = { last: null, beside: new Map(), ever: new Set() }

interface Manner {
  readonly idOf: (record: JsonObject) => string | null
  /** Returns true if the id is from the record's id field. */
  readonly hasOwnId?: (record: JsonObject) => boolean
  /** Options that change how a record is read. */
  readonly shape: string
  /** True if the reading was proved complete. */
  readonly isProved: boolean
}

export interface Reading {
  readonly rows: readonly Row[]
  /** The records that are considered as present, including records that were not seen. */
  readonly current: Current
  readonly memory: Memory
  /**
   * True if an unreadable record is new, or occurs more often than in the last reading that was proved
   * complete.
   */
  readonly hasNewUnreadable: boolean
}

/**
 * Reads one resource.
 *
 * A record that was not seen is considered as removed only under two conditions. The two conditions: the
 * reading was proved complete, and each unreadable record already existed when the record was last seen.
 * Without these conditions, one of the unreadable records may be the record that was not seen.
 *
 * @param before the records of the resource after the previous run
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
  // Interpretation of the rules: a record that was not seen but is considered as present gets a decision too.
  // Without that decision, there would be none on the record's item.
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

/** Returns true if one of these unreadable records is new or occurs more often than before. */
function isMore(unreadable: Unreadable, before: Unreadable | null): boolean {
  return [...unreadable].some(([key, count]) => count > (before?.get(key) ?? 0))
}
