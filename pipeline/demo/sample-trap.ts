import type { Json } from '../../transforms/rules/json.ts'

/** An element of the sample event, as JSON will have it. */
export type SampleRecord = Readonly<Record<string, unknown>>

/** Makes an ordinary element into one that shows a trap. */
export type Twist<Place> = (element: SampleRecord, place: Place) => SampleRecord

/** One thing that a source may do on the wire, and the elements that show it. */
export interface Trap<Place> {
  readonly name: string
  readonly shows: string
  readonly twists: readonly Twist<Place>[]
}

/** What every twist may look at. */
export interface Neighbour {
  /** gives the element before, which from then on belongs to the trap as well */
  readonly borrow: () => SampleRecord
}

/** A trap shown once for each twist, or twice where there is but one. */
export function trap<Place>(name: string, shows: string, ...twists: readonly Twist<Place>[]): Trap<Place> {
  return { name, shows, twists: twists.length === 1 ? [...twists, ...twists] : twists }
}

/** A trap that spoils more than its own record, and is therefore shown once only. */
export function trapOnce<Place>(name: string, shows: string, twist: Twist<Place>): Trap<Place> {
  return { name, shows, twists: [twist] }
}

/** Sets fields and leaves the others. */
export function having(fields: SampleRecord): Twist<unknown> {
  return (element) => ({ ...element, ...fields })
}

/** Gives a field another name, its place in the record included. */
export function renaming(names: Readonly<Record<string, string>>): Twist<unknown> {
  return (element) =>
    Object.fromEntries(Object.entries(element).map(([key, value]) => [names[key] ?? key, value]))
}

export function lacking(...keys: readonly string[]): Twist<unknown> {
  return (element) => Object.fromEntries(Object.entries(element).filter(([key]) => !keys.includes(key)))
}

/** The same id as the element before, with other values. */
export function sharingId(key: string): Twist<Neighbour> {
  return (element, { borrow }) => ({ ...element, [key]: borrow()[key] })
}

export function idText(id: Json): string {
  return JSON.isRawJSON(id) ? id.rawJSON : String(id)
}

export interface Twisted {
  readonly elements: readonly SampleRecord[]
  /** indexes of the elements that show a trap or lend one a value */
  readonly touched: ReadonlySet<number>
}

/**
 * Spreads the traps evenly over part of a list, each on an element of its own where there are two elements for
 * every twist or more. In a shorter list traps meet on one element and may hide each other.
 */
export function spreadTraps<Place>(
  elements: readonly SampleRecord[],
  range: { readonly from: number; readonly to: number },
  traps: readonly Trap<Place & Neighbour>[],
  place: Place,
): Twisted {
  const twists = traps.flatMap((each) => each.twists)
  const twisted = [...elements]
  const touched = new Set<number>()
  const room = range.to - range.from
  twists.forEach((twist, turn) => {
    const index = range.from + Math.floor(((turn + 0.5) * room) / twists.length)
    const element = twisted[index]
    if (element === undefined) return
    const borrow = (): SampleRecord => {
      touched.add(index - 1)
      return elements[index - 1] ?? element
    }
    twisted[index] = twist(element, { ...place, borrow })
    touched.add(index)
  })
  return { elements: twisted, touched }
}
