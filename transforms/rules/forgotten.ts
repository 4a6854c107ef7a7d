import { isJsonObject, type Json, type JsonObject } from './json.ts'
import { readText } from './text.ts'

/** Knows ids and e-mail addresses of people who were forgotten, without knowing the people. */
export interface Known {
  isId(id: string): boolean
  isAddress(address: string): boolean
}

/** Finds people in records of one source, wherever they are. */
export interface SuppressionFilter {
  /** Whether a record of a resource of people is of one who was forgotten, by its id or its address. */
  isForgotten(record: Json): boolean
  /** A record without what it holds of them; the same value where that is nothing. */
  withoutPeople(record: Json): Json
}

/** How a source writes people down. */
export interface PeopleShape {
  readonly ids: ReadonlySet<string>
  readonly lists: ReadonlySet<string>
  readonly addresses: ReadonlySet<string>
  readonly foldsKeys: boolean
}

/** An object is a person by its address anywhere, by its id only in a list of people: other things may have the same id. */
export function makeSuppressionFilter(
  { ids, lists, addresses, foldsKeys }: PeopleShape,
  known: Known,
): SuppressionFilter {
  const fold = (key: string) => (foldsKeys ? key.toLowerCase() : key)
  const isId = (value: Json | undefined) => {
    const { value: id } = readText(value)
    return id !== null && known.isId(id)
  }
  const hasAddress = (object: JsonObject) =>
    Object.keys(object).some((key) => {
      if (!addresses.has(fold(key))) return false
      const { value } = readText(object[key])
      return value !== null && known.isAddress(value)
    })
  const hasId = (object: JsonObject) =>
    Object.keys(object).some((key) => ids.has(fold(key)) && isId(object[key]))
  const isNamed = (element: Json, isPeople: boolean) =>
    isJsonObject(element)
      ? hasAddress(element) || (isPeople && hasId(element))
      : isPeople && !Array.isArray(element) && isId(element)

  function reduced(value: Json, isPeople: boolean): Json {
    if (Array.isArray(value)) {
      const kept = value.filter((element: Json) => !isNamed(element, isPeople))
      const inner = kept.map((element: Json) => (isJsonObject(element) ? within(element) : element))
      const isSame = kept.length === value.length && inner.every((element, place) => element === value[place])
      return isSame ? value : inner
    }
    if (isJsonObject(value)) return isNamed(value, isPeople) ? null : within(value)
    if (isPeople && typeof value === 'string') {
      const named = value.split(',')
      const kept = named.filter((id) => !isId(id))
      return kept.length === named.length ? value : kept.join(',')
    }
    return isNamed(value, isPeople) ? null : value
  }

  function within(object: JsonObject): JsonObject {
    let isSame = true
    const members = Object.entries(object).map(([key, value]) => {
      const kept = reduced(value, lists.has(fold(key)))
      if (kept !== value) isSame = false
      return [key, kept] as const
    })
    return isSame ? object : Object.fromEntries(members)
  }

  return {
    isForgotten: (record) => isJsonObject(record) && (hasAddress(record) || hasId(record)),
    withoutPeople: (record) => (isJsonObject(record) ? within(record) : record),
  }
}
