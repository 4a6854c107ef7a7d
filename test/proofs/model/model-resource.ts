import { isObject, type Json, type JsonObject, render } from '../../harness/json.ts'

/** One element of a resource in source order. */
export interface Row {
  readonly id: string | null
  /** True if the id is a field of the record, not the e-mail address that a user without one goes by. */
  readonly isOwnId: boolean
  /** `counts`: the last of its id; `unseen`: of a run before, and still taken to be there. */
  readonly status: 'counts' | 'repeated' | 'invalid' | 'unseen'
}

export type Current = ReadonlyMap<string, JsonObject>

/** Records that could not be read, by what they are, and how many of each. */
export type Unreadable = ReadonlyMap<string, number>

/** Describes what is remembered of the readings of a resource that were proved. */
export interface Memory {
  /** Of the last one; null before the first. */
  readonly last: Unreadable | null
  /** Beside which a record was seen last, by its id. */
  readonly beside: ReadonlyMap<string, Unreadable>
  readonly ever: ReadonlySet<string>
}

export const NO_MEMORY: Memory = { last: null, beside: new Map(), ever: new Set() }

interface Manner {
  readonly idOf: (record: JsonObject) => string | null
  /** True if that is its own field. */
  readonly hasOwnId?: (record: JsonObject) => boolean
  /** Options that shape what a record is. */
  readonly shape: string
  /** True if the resource was read to its proved end. */
  readonly isProved: boolean
}

export interface Reading {
  readonly rows: readonly Row[]
  /** What the source is taken to hold, records that were not seen included. */
  readonly current: Current
  readonly memory: Memory
  /** True if a record that could not be read is new, or was not there so often when all was read last. */
  readonly hasNewUnreadable: boolean
}

/**
 * Reads one resource.
 *
 * What was missed is gone only where the end was proved, and where each record that could not be read was there when it
 * was seen last: then it is none of these: an unreadable record holds back only what it could be.
 *
 * @param before what the resource held in the run before
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
  // Reading: what is still taken to be there has its decision too, or its item would stand without one.
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

/** Returns whether there is one among these that was not there before, or not so often. */
function isMore(unreadable: Unreadable, before: Unreadable | null): boolean {
  return [...unreadable].some(([key, count]) => count > (before?.get(key) ?? 0))
}
