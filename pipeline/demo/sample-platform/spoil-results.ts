import type { ArmedFaults } from './armed-faults.ts'
import type { Result } from './records.ts'

/** Spoils the results on their way out; what is stored for their key stays as it was. */
export function spoilResults(results: readonly Result[], faults: ArmedFaults): readonly Result[] {
  const [first] = results
  const last = results.at(-1)
  if (first === undefined || last === undefined) return results
  let spoilt = results
  if (faults.take(['swapsTwoResults'])) spoilt = withTwoSwapped(spoilt)
  if (faults.take(['omitsAResult'])) spoilt = spoilt.slice(0, -1)
  if (faults.take(['repeatsAResult'])) spoilt = [...spoilt, first]
  if (faults.take(['addsAResult'])) spoilt = [...spoilt, { seq: last.seq + 1, status: 'unchanged' }]
  if (faults.take(['shuffleResults'])) spoilt = shuffled(spoilt)
  return spoilt
}

/** Gives two operations each other's outcome; where all have the same, there are no two to swap. */
function withTwoSwapped(results: readonly Result[]): readonly Result[] {
  const [first] = results
  const other = results.find(({ status }) => status !== first?.status)
  if (first === undefined || other === undefined) return results
  return results.map((result) => {
    if (result === first) return { ...other, seq: first.seq }
    return result === other ? { ...first, seq: other.seq } : result
  })
}

/** Never the order that it had, where there is another. */
function shuffled(results: readonly Result[]): readonly Result[] {
  if (results.length < 2) return results
  for (;;) {
    const lots = results.map((result) => ({ result, lot: Math.random() }))
    const mixed = lots.sort((a, b) => a.lot - b.lot).map(({ result }) => result)
    if (mixed.some((result, index) => result !== results[index])) return mixed
  }
}
