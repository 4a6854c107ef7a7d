/** Values of one place: the rows of a staged table, or the items of a content. */
export interface SearchedPlace {
  /** Name of the place in the message, for example `staging.pretalx_speakers`. */
  readonly name: string
  /** True if the place has records or items of people. In such a place, longer texts are searched too. */
  readonly isOfPeople: boolean
  readonly rows: readonly unknown[]
}

/**
 * Finds the first value of a forgotten person that is still in one of the places.
 *
 * @param values the personal values of the person, each with the column that had it
 * @returns a message with the column, the place and what to do, without the value; null if nothing is left
 */
export function findLeftValue(
  values: readonly (readonly [column: string, value: string])[],
  places: readonly SearchedPlace[],
): string | null {
  for (const { name, isOfPeople, rows } of places) {
    for (const [path, text] of rows.flatMap((row) => textsIn(row))) {
      const [column] = values.find(([, value]) => (isOfPeople ? text.includes(value) : text === value)) ?? []
      if (column !== undefined)
        return `after \`forget\`, ${name}${path} still has the value of the person's column ${column}; ${isOfPeople ? OF_PEOPLE : OF_OTHERS}`
    }
  }
  return null
}

const OF_PEOPLE =
  'a forgotten person is recognised by the id and the address: check the id of the resource, `people.address` and `people.ownId`'
const OF_OTHERS =
  'if both only happen to be equal, give the records in `full` different values; otherwise `forget` does not find the person in this record: declare the list of people as `references`, or name its key in `people.keys`'

/** Returns the texts and numbers in a value as texts, each with its path. */
function textsIn(value: unknown, path = ''): readonly (readonly [path: string, text: string])[] {
  if (typeof value !== 'object' || value === null) return [[path, String(value)]]
  if (Array.isArray(value)) return value.flatMap((one, index) => textsIn(one, `${path}[${index}]`))
  return Object.entries(value).flatMap(([key, one]) => textsIn(one, `${path}.${key}`))
}
