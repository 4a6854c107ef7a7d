import { isObject, type Json, type JsonObject } from './json.ts'

/** One element of a resource in source order. */
export interface Row {
  readonly id: string | null
  /** Whether the id is a field of the record, not the e-mail address that a user without one goes by. */
  readonly isOwnId: boolean
  /** `counts`: the last of its id; `unseen`: of a run before, and still taken to be there. */
  readonly status: 'counts' | 'repeated' | 'invalid' | 'unseen'
}

/** Records by id. */
export type Current = ReadonlyMap<string, JsonObject>

export interface Reading {
  readonly rows: readonly Row[]
  /** What the source is taken to hold, records that were not seen included. */
  readonly current: Current
}

/**
 * Reads one resource.
 *
 * A record without an id may be any of those that were missed: nothing of its resource counts as gone then, as where
 * it was not read to its proved end. Source: design 11, "A record without an id has the same effect on its resource".
 *
 * @param idOf the id that a record goes by
 * @param hasOwnId whether that is a field of its own
 * @param before what the resource held in the run before
 * @param isProved whether the resource was read to its proved end
 */
export function readResource(
  elements: readonly Json[],
  idOf: (record: JsonObject) => string | null,
  before: Current,
  hasOwnId: (record: JsonObject) => boolean = () => true,
  isProved = true,
): Reading {
  const ids = elements.map((element) => (isObject(element) ? idOf(element) : null))
  const rows = ids.map((id, index): Row => {
    const element = elements[index]
    const isOwnId = isObject(element) && hasOwnId(element)
    if (id === null) return { id, isOwnId, status: 'invalid' }
    return { id, isOwnId, status: ids.lastIndexOf(id) === index ? 'counts' : 'repeated' }
  })
  const current = new Map(ids.includes(null) || !isProved ? before : [])
  for (const [index, element] of elements.entries()) {
    const id = ids[index]
    if (isObject(element) && id !== null && id !== undefined) current.set(id, element)
  }
  // Reading: what is still taken to be there has its decision too, or its item would stand without one.
  const unseen = [...current.keys()]
    .filter((id) => !ids.includes(id))
    .map((id): Row => ({ id, isOwnId: true, status: 'unseen' }))
  return { rows: [...rows, ...unseen], current }
}
