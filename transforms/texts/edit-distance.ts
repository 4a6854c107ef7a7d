/**
 * Returns the smallest number of steps that turn one text into the other (optimal string alignment). A step
 * inserts, deletes or replaces a letter, or swaps two neighbouring letters. No library is used, because
 * libraries for the Levenshtein distance count a swap, the most frequent typing mistake, as two steps.
 */
export function editDistance(one: string, other: string): number {
  let [beforeLast, last]: [number[], number[]] = [[], Array.from({ length: other.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1]
      const least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1))
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      row.push(isSwap ? Math.min(least, (beforeLast[j - 2] ?? 0) + 1) : least)
    }
    ;[beforeLast, last] = [last, row]
  }
  return last[other.length] ?? 0
}
