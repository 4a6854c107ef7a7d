/** A change of the source between two requests. */
export interface Change {
  readonly name: string
  apply(list: readonly number[]): readonly number[]
}

/** A change, and the request before which it happens. */
export interface Drift {
  readonly change: Change
  readonly request: number
}

const NEW_ID = 99

/** Every deletion, every insertion, and every pair of the two, in a list of so many. */
export function changesOf(count: number) {
  const places = (length: number) => Array.from({ length }, (_, place) => place)
  const deletion = (place: number): Change => ({
    name: `deletion at ${place}`,
    apply: (list) => list.filter((_, index) => index !== place),
  })
  const insertion = (place: number): Change => ({
    name: `insertion at ${place}`,
    apply: (list) => list.toSpliced(place, 0, NEW_ID),
  })
  const deletions = places(count).map(deletion)
  const insertions = places(count + 1).map(insertion)
  const pairs = deletions.flatMap((one) =>
    insertions.map(
      (other): Change => ({
        name: `${one.name} and ${other.name}`,
        // The place of the insertion is that before the deletion.
        apply: (list) => {
          const without = new Set(list).difference(new Set(one.apply(list)))
          return other.apply(list).filter((id) => !without.has(id))
        },
      }),
    ),
  )
  return { deletions, insertions, pairs }
}

/** Before each request of an undisturbed read but the first. */
export function driftsOf(changes: readonly Change[], requests: number): readonly Drift[] {
  const numbers = Array.from({ length: requests - 1 }, (_, index) => index + 2)
  return changes.flatMap((change) => numbers.map((request) => ({ change, request })))
}
